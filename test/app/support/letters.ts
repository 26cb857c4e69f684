import { unixMillis } from '../../../src/base/index.ts';
import { configMail, noticeMails } from '../../../src/app/notice-mail.ts';
import type { NoticeMeans } from '../../../src/app/notice-mail.ts';
import type { Mail } from '../../../src/mail/index.ts';
import type { Notice } from '../../../src/schedule/index.ts';

const at = (text: string) => unixMillis(Date.parse(text));

type Jobs = NoticeMeans['jobs'];

/** A job as far as its mails need it. */
export const jobNamed = (name: string, more: Partial<Jobs[string]> = {}): Jobs[string] => ({
  name,
  kind: 'pull-logs',
  account: 'main',
  timezone: 'Europe/Berlin',
  schedule: '7 * * * *',
  suspend: false,
  timeout: 3_600_000,
  needs: [],
  needsDeadline: 21_600_000,
  whenLate: 'run',
  catchup: 'latest',
  maxCatchupRuns: 50,
  concurrency: 'forbid',
  retries: { limit: 3, backoff: 'exponential', initial: 30_000, max: 600_000 },
  randomizedDelay: 0,
  locks: [],
  notify: ['failed', 'late', 'missed', 'recovered'],
  fields: {},
  place: { file: 'jobs.yaml', line: 1, column: 1 },
  ...more,
});

export const noticeOf = (job: string, kind: Notice['kind'], more: Partial<Notice> = {}): Notice => ({
  job,
  kind,
  slot: at('2026-11-21T07:07:00Z'),
  at: at('2026-11-21T07:31:12Z'),
  reason: 'the gateway cannot be reached: connect ECONNREFUSED 10.0.0.7:443',
  code: 'gateway-unreachable',
  outage: { job, slot: at('2026-11-21T05:07:00Z'), openedAt: at('2026-11-21T05:31:12Z') },
  ...more,
});

export const means = (...jobs: readonly Jobs[string][]): NoticeMeans => ({
  from: 'Tollkeeper <reports@example.com>',
  operators: ['ops@example.com'],
  jobs: Object.fromEntries(jobs.map((job) => [job.name, job])),
  zone: 'UTC',
});

export const hostile =
  '<img src=x onerror=alert(1)><script>alert(2)</script> "quotes" `</td>` \u202Eevil ' + 'w'.repeat(300);

const only = (mails: readonly Mail[]): Mail => {
  const [mail] = mails;
  if (mail === undefined) throw new Error('no mail');
  return mail;
};

const recovered = { reason: '1,204 rows of 1 window landed, USD 27.05 as served', code: 'x' };

const notices: readonly Notice[] = [
  noticeOf('pull-logs', 'failed'),
  noticeOf('monthly-statement-of-the-research-department', 'late', {
    reason:
      'pull-logs reaches 2026-11-20 11:50 Europe/Berlin; needed are data through 2026-11-21 00:00 Europe/Berlin',
    code: 'data-late',
  }),
  noticeOf('pull-usage', 'missed', {
    reason: 'it was older than catchup_window when it was seen',
    code: 'none',
  }),
  noticeOf('daily-spend', 'recovered', recovered),
];

/** Every sort of letter, by what it shows. */
export const letters: Readonly<Record<string, () => Mail>> = {
  'one job failed': () => only(noticeMails([noticeOf('pull-logs', 'failed')], means(jobNamed('pull-logs')))),
  'one job is well again': () =>
    only(noticeMails([noticeOf('pull-logs', 'recovered', recovered)], means(jobNamed('pull-logs')))),
  'several jobs': () => only(noticeMails(notices, means(...notices.map(({ job }) => jobNamed(job))))),
  'hostile words': () =>
    only(
      noticeMails(
        [noticeOf('pull-logs', 'failed', { reason: hostile, code: 'gateway-refused' })],
        means(jobNamed('pull-logs')),
      ),
    ),
  'a faulty config': () =>
    only(
      [
        configMail(
          [
            {
              file: '/etc/tollkeeper/config/jobs/spend-of-all-the-departments.yaml',
              line: 12,
              column: 75,
              message: 'unknown key "timeot" in jobs.pull-logs',
              advice: 'did you mean "timeout"?',
            },
            {
              file: '/etc/tollkeeper/config/tollkeeper.yaml',
              line: 3,
              column: 3,
              message: 'jobs.spend lacks the key "mail"',
            },
          ],
          at('2026-11-21T07:31:12Z'),
          means(),
        ),
      ].filter((mail) => mail !== undefined),
    ),
};
