import { unixMillis, type UnixMillis, money, unixSeconds } from '../../../src/core/index.ts';
import { adminKeyMessages, configMessages } from '../../../src/app/notifications/config.ts';
import { gapMessages } from '../../../src/app/notifications/gap.ts';
import { keyAlertMessages } from '../../../src/app/notifications/key-alert.ts';
import { learnedMessages } from '../../../src/app/notifications/learned.ts';
import { mailOf, type Message, type MessageDeps } from '../../../src/app/notifications/message.ts';
import { noticeMessages } from '../../../src/app/notifications/notice.ts';
import { localeOf, type PlanCounts } from '../../../src/messages/index.ts';
import type { Mail } from '../../../src/notify/index.ts';
import type { PlannedKey } from '../../../src/jobs/keys/key-plan.ts';
import { planEmail } from '../../../src/jobs/keys/plan-mail.ts';
import type { KeyAlert } from '../../../src/keys/index.ts';
import type { Notice } from '../../../src/scheduler/index.ts';
import type { KnownGap, LearnedChange } from '../../../src/warehouse/index.ts';
import { hostileNames } from '../../reports/hostile.ts';
import { jobOf, type WrittenJob } from '../../scheduler/support/scheduler-fixture.ts';

const english = localeOf('en');
const at = (text: string) => unixMillis(Date.parse(text));

type Jobs = MessageDeps['jobs'];

type Sender = {
  readonly from: string;
  readonly operators: readonly string[];
  readonly locale?: MessageDeps['locale'];
};

const mailsOf = (kind: string, messages: readonly Message[], sender: Sender): readonly Mail[] =>
  messages.flatMap(
    (message) =>
      mailOf(kind, message, {
        locale: english,
        ...sender,
        page: 'https://tollkeeper.example.com/',
      }) ?? [],
  );

type NoticeDeps = Omit<MessageDeps, 'locale'> & Sender;

export const noticeMails = (notices: readonly Notice[], sender: NoticeDeps): readonly Mail[] =>
  mailsOf('notice', noticeMessages(notices, { locale: english, ...sender }), sender);

export const gapMail = (
  findings: readonly KnownGap[],
  account: string,
  sender: NoticeDeps,
): Mail | undefined =>
  mailsOf('gap', gapMessages({ account, findings }, { locale: english, ...sender }), sender)[0];

export const learnedMail = (
  findings: readonly LearnedChange[],
  account: string,
  sender: Omit<NoticeDeps, 'jobs'>,
): Mail | undefined =>
  mailsOf('learned', learnedMessages({ account, findings }, { locale: english, ...sender }), sender)[0];

/** About two faults, one of them with an advice. */
export const configMails = (sender: NoticeDeps): readonly Mail[] => {
  const folder = '/etc/tollkeeper/config';
  const faults = [
    {
      file: `${folder}/jobs/spend-of-all-the-departments.yaml`,
      line: 12,
      column: 75,
      message: 'unknown key "timeot" in jobs.pull-logs',
      advice: 'did you mean "timeout"?',
    },
    { file: `${folder}/tollkeeper.yaml`, line: 3, column: 3, message: 'jobs.spend lacks the key "mail"' },
  ];
  const event = { faults, at: at('2026-11-21T07:31:12Z') };
  return mailsOf('config', configMessages(event, { locale: english, ...sender }), sender);
};

type AdminKeyEvent = Parameters<typeof adminKeyMessages>[0];

export const adminKeyMail = (
  name: string,
  account: AdminKeyEvent['accounts'][string],
  now: UnixMillis,
  sender: Sender,
): Mail | undefined =>
  mailsOf(
    'admin-key',
    adminKeyMessages({ accounts: { [name]: account }, now }, { locale: english, ...sender }),
    sender,
  )[0];

type KeyAlertEvent = Parameters<typeof keyAlertMessages>[0];

export const keyAlertMail = (
  alert: KeyAlert,
  moment: UnixMillis,
  sender: Omit<KeyAlertEvent, 'alert' | 'at'> & Omit<NoticeDeps, 'jobs'>,
): Mail | undefined =>
  mailsOf(
    'keys',
    keyAlertMessages({ ...sender, alert, at: moment }, { locale: english, ...sender }),
    sender,
  )[0];

/** A job as far as its mails need it. */
export const jobNamed = (name: string, more: WrittenJob = {}): Jobs[string] => ({
  ...jobOf(name, { timezone: 'Europe/Berlin', schedule: '7 * * * *', ...more }),
  kind: 'pull-logs',
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

export const deps = (...jobs: readonly Jobs[string][]): NoticeDeps => ({
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
      'pull-logs reaches 2026-11-20 11:50 Europe/Berlin; the run needs data through 2026-11-21 00:00 Europe/Berlin',
    code: 'data-late',
  }),
  noticeOf('pull-usage', 'missed', {
    reason: 'it was older than catchup_window when it was detected',
    code: 'none',
  }),
  noticeOf('daily-spend', 'recovered', recovered),
];

type AlertEmail = Pick<Mail, 'subject' | 'html' | 'text'>;

/** The letter of a plan over keys of these names, every second of them held. */
const planOf = (names: readonly string[], counts: PlanCounts): AlertEmail =>
  planEmail(
    {
      counts,
      keys: names.map((name, index): PlannedKey => ({
        name,
        service: index % 3 === 0 ? name : name.replace(/\.g\d+$/, ''),
        facts:
          index % 2 === 1
            ? {
                kind: 'skip',
                reason: 'name-not-unique',
                message:
                  '2 keys have this name (ids 12, 13), so that the log cannot tell which one is used; rename or delete the others',
              }
            : { kind: 'end', action: { kind: 'delete' }, clock: 'age', passed: 0 },
        age: index % 4 === 3 ? undefined : (31 + index) * 86_400_000,
      })),
      usual: 12,
    },
    {
      locale: english,
      job: 'rotate-prod',
      account: 'main',
      slot: at('2026-11-21T02:00:00Z'),
      zone: 'Europe/Berlin',
    },
  );

const alertsOf = (service: string, more: Partial<KeyAlert> = {}): AlertEmail => {
  const use = {
    calls: 1204,
    lastCall: unixSeconds(at('2026-11-21T08:27:00Z') / 1000),
    spend: money('3.25'),
    models: ['gpt-4o', service, 'claude-sonnet-4', 'text-embedding-3-small'].map((model) => ({
      model,
      calls: 301,
    })),
  };
  const alert: KeyAlert = {
    kind: 'held',
    account: 'main',
    service,
    rotation: 'r1',
    about: {
      event: 'held',
      name: `${service}.g6`,
      why: { reason: 'used', use, names: [] },
    },
    use,
    key: 'r1 held 6',
    ...more,
  };
  const mail = keyAlertMail(alert, at('2026-11-21T08:30:00Z'), {
    from: 'reports@example.com',
    operators: ['ops@example.com'],
    zone: 'Europe/Berlin',
    currency: 'USD',
    teams: [{ name: 'growth', keys: [service], mail: ['growth@example.com'] }],
    keyNames: [],
  });
  if (mail === undefined) throw new Error('no mail');
  return mail;
};

const evil = hostileNames.join(' ');

/** Every sort of letter, by what it shows. */
export const letters: Readonly<Record<string, () => AlertEmail>> = {
  'one job failed': () => only(noticeMails([noticeOf('pull-logs', 'failed')], deps(jobNamed('pull-logs')))),
  'one job is well again': () =>
    only(noticeMails([noticeOf('pull-logs', 'recovered', recovered)], deps(jobNamed('pull-logs')))),
  'several jobs': () => only(noticeMails(notices, deps(...notices.map(({ job }) => jobNamed(job))))),
  'hostile words': () =>
    only(
      noticeMails(
        [noticeOf('pull-logs', 'failed', { reason: hostile, code: 'gateway-refused' })],
        deps(jobNamed('pull-logs')),
      ),
    ),
  'a faulty config': () => only(configMails(deps())),
  'a plan of keys': () =>
    planOf(['billing.g7', 'search-indexer-eu-west-1.g12', 'growth', 'growth-mail.g2'], {
      rotate: 2,
      skipped: 2,
    }),
  'a plan of keys, names hostile': () => planOf(hostileNames, { rotate: 17, skipped: 18 }),
  'an old key that is used': () => alertsOf('billing'),
  'an old key that is used, names hostile': () => alertsOf(evil),
  'an old key whose owner still uses it': () =>
    alertsOf('billing', {
      kind: 'used',
      about: {
        event: 'old-key-used',
        name: 'billing.g6',
        successor: 'billing.g7',
        from: unixSeconds(Date.parse('2026-11-19T00:00:00Z') / 1000),
        to: unixSeconds(Date.parse('2026-11-20T00:00:00Z') / 1000),
        hours: [9, 10, 14, 21].map((hour) =>
          unixSeconds(Date.parse('2026-11-19T00:00:00Z') / 1000 + hour * 3600),
        ),
        ends: { kind: 'unused', quiet: 86_400_000, from: unixMillis(Date.parse('2026-11-22T10:07:00Z')) },
      },
    }),
  'a step on a key that failed': () =>
    alertsOf('search-indexer', {
      kind: 'failed',
      about: {
        event: 'step-failed',
        step: 'deliver',
        why: '/secrets/search-indexer.env cannot be written: EACCES: permission denied',
        old: { state: 'works', name: 'search-indexer.g1' },
      },
      fault: { code: 'path-unwritable', advice: 'give the folder to the user that tollkeeper runs as' },
      use: undefined as never,
    }),
  'a rotation that waits': () =>
    alertsOf("o'neill; $(reboot) `id`", {
      kind: 'waiting',
      about: { event: 'paused', why: hostile },
      use: undefined as never,
    }),
};
