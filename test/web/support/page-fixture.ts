import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { money, unixMillis } from '../../../src/core/index.ts';
import { createLog } from '../../../src/core/logging/json-log.ts';
import {
  createLinkUse,
  listenForPage,
  readReport,
  type FeedEntry,
  type JobView,
  type OutboxView,
  type StatusView,
} from '../../../src/web/index.ts';
import { viewOf } from './page-views.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { at, runView } from '../../control/support/control-fixture.ts';

const hour = 3_600_000;
const before = (hours: number) => unixMillis(at - hours * hour);

const job = (name: string, more: Partial<JobView> = {}): JobView => ({
  job: name,
  kind: 'report',
  zone: 'Europe/Berlin',
  schedule: '0 8 * * *',
  suspend: false,
  next: unixMillis(at + 25 * hour),
  last: { ...runView(name), summary: '1,204 rows landed' },
  ...more,
});

const row = (id: string, state: OutboxView['state'], more: Partial<OutboxView> = {}): OutboxView => ({
  id,
  account: 'main',
  kind: 'report:daily-spend',
  subject: '2026-11-21T07:00:00.000Z',
  recipient: 'finance@example.com',
  messageId: '<1@example.com>',
  route: 'mail',
  zone: 'Europe/Berlin',
  state,
  attempts: 3,
  doubts: 0,
  queuedAt: before(5),
  changedAt: before(1),
  ...more,
});

export const goodStatus: StatusView = {
  version: '1.2.3',
  now: at,
  daemon: { pid: 7, startedAt: before(30), stopping: false },
  config: { loadedAt: before(30), faults: [], atNextStart: [] },
  jobs: [
    job('daily-spend'),
    job('pull-logs', { kind: 'pull-logs' }),
    job('paused', { suspend: true }),
    { job: 'by-hand', kind: 'report', zone: 'Asia/Shanghai', suspend: false },
  ],
  open: [],
  mail: { waiting: 0, failed: 0, unknown: 0, held: 0 },
  data: {
    zone: 'Europe/Berlin',
    accounts: [
      {
        account: 'main',
        log: { start: before(9000), end: before(1) },
        sources: [
          { job: 'pull-logs', kind: 'pull-logs', watermark: before(1) },
          { job: 'usage', kind: 'pull-usage' },
        ],
        compared: [
          {
            source: 'statistics',
            range: { start: before(25), end: before(1) },
            gap: money('0'),
            unit: 'USD',
            verdict: 'equal',
            bad: false,
            text: 'Both say USD 12.50.',
            comparedAt: before(1),
          },
        ],
        gaps: [],
        moreGaps: 0,
      },
    ],
    reports: {
      newest: [
        {
          job: 'daily-spend',
          slot: before(1),
          zone: 'Europe/Berlin',
          subject: 'Spend yesterday: $12.50, up 4 %',
          period: '20 Nov 2026',
          builtAt: before(1),
          verdict: { text: 'Agrees with the statistics.', good: true },
          place: 'daily-spend/20261121T050000.000Z',
        },
      ],
    },
    backup: {
      taken: {
        name: '20261121T010000Z',
        target: '/backups',
        takenAt: before(7),
        bytes: 812_400_000,
        newBytes: 9_300_000,
      },
      restored: { name: '20261115T010000Z', drilledAt: before(140) },
    },
  },
};

/** All that can be wrong, under names and with words that somebody has chosen to do harm. */
export const badStatus = (names: readonly string[]): StatusView => {
  const name = (index: number): string => names[index % names.length] ?? '';
  const failed = { state: 'failed', code: 'gateway-unreachable' } as const;
  const { data } = goodStatus;
  if (data === undefined) throw new Error('the good status has data');
  return {
    ...goodStatus,
    config: {
      loadedAt: before(30),
      faults: names.map((message, index) => ({
        file: 'config/jobs/spend.yaml',
        line: index,
        column: 3,
        message,
        advice: name(index + 5),
      })),
      atNextStart: ['health.port 8080 → 9090'],
    },
    jobs: names.map((reason, index) =>
      job(`job-${index}`, {
        last: { ...runView(`job-${index}`), ...failed, reason },
        lastGood: before(80),
        outageSince: before(48),
        zone: index % 3 === 0 ? 'America/Argentina/ComodRivadavia' : 'Europe/Berlin',
      }),
    ),
    open: names.map((waiting, index) => ({ ...runView(`open-${index}`), state: 'queued', waiting })),
    mail: { waiting: 3, failed: 1, unknown: 40, held: 2 },
    data: {
      zone: 'Europe/Berlin',
      accounts: [
        {
          account: 'main',
          sources: [],
          compared: names.map((text) => ({
            source: 'usage by model',
            range: { start: before(25), end: before(1) },
            gap: money('-1234567.000000000001'),
            unit: 'USD',
            verdict: 'unexplained',
            bad: true,
            text,
            comparedAt: before(1),
          })),
          gaps: names.map((text, index) => ({
            source: 'statistics',
            range: { start: before(25), end: before(1) },
            gap: money('12'),
            unit: 'USD',
            verdict: 'truncated',
            text,
            state: index % 2 === 0 ? 'open' : 'passed',
            notedAt: before(1),
          })),
          moreGaps: 7,
        },
      ],
      reports: {
        newest: names.map((subject, index) => ({
          job: `job-${index}`,
          part: 'growth',
          slot: before(1),
          zone: 'Europe/Berlin',
          subject,
          period: name(index + 3),
          builtAt: before(1),
          verdict: { text: name(index + 4), good: false },
          place: `job-${index}/20261121T050000.000Z-growth`,
        })),
        problem: '2 folders of the archive hold no report that can be read',
      },
      rotations: names.map((service, index) => ({
        id: `rotation-${index}`,
        account: 'main',
        service,
        stage: index % 2 === 0 ? 'waiting' : 'delivering',
        since: before(3),
        message: `${name(index + 2)}; fix the cause, then resume the rotation with \`tollkeeper keys resume billing\``,
        old: { keyId: 12, name: name(index + 1) },
        candidate: { keyId: 13, name: service },
        tries: index,
      })),
      backup: {
        taken: { name: 'x', target: name(3), takenAt: before(7), bytes: 1, newBytes: 0 },
      },
    },
  };
};

/** Rows of the outbox that fit it: of every state that the page tells. */
export const badMails = (names: readonly string[]): readonly OutboxView[] => [
  row('1', 'failed', { recipient: names[0] ?? '', lastError: '550 no such user' }),
  row('2', 'deferred', { next: unixMillis(at + hour), lastError: '452 later' }),
  row('3', 'unknown', { next: unixMillis(at + hour) }),
  row('4', 'queued', { route: 'finance-chat' }),
  ...names.map((recipient, index) =>
    row(`${index + 40}`, 'unknown', { recipient, lastError: recipient, subject: recipient }),
  ),
];

const refuse = (): Promise<never> => Promise.reject(new Error('not asked'));

/** Actions that fail the test when they are taken. */
export const noActions: PageOptions['actions'] = {
  run: refuse,
  acknowledge: refuse,
  mute: refuse,
  unmute: refuse,
  resend: refuse,
};

export type Done = readonly [action: string, what: unknown];

/** Actions that are noted. */
export const notedActions = (): { readonly done: Done[]; readonly actions: PageOptions['actions'] } => {
  const done: Done[] = [];
  const note = (action: string) => async (what: unknown) => void done.push([action, what]);
  return {
    done,
    actions: {
      run: note('run'),
      acknowledge: note('acknowledge'),
      mute: note('mute'),
      unmute: note('unmute'),
      resend: note('resend'),
    },
  };
};

type PageOptions = Parameters<typeof listenForPage>[0];

type Asked = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
};

/** Those of one database. */
export const endedSessions = (): PageOptions['ended'] => {
  const ended = new Set<string>();
  return {
    hasEnded: (id) => Promise.resolve(ended.has(id)),
    end: ({ id }) => Promise.resolve(void ended.add(id)),
  };
};

/** The page of a daemon that shows this, and an archive of reports. */
export const openPageFixture = async (
  shown: {
    readonly status?: () => Promise<StatusView>;
    readonly mails?: readonly OutboxView[];
    readonly view?: PageOptions['view'];
    readonly feed?: () => Promise<readonly FeedEntry[]>;
  },
  {
    links,
    ...more
  }: Partial<Omit<PageOptions, 'view' | 'feed' | 'links'>> & {
    readonly links?: Pick<NonNullable<PageOptions['links']>, 'key' | 'wasUsed'>;
  } = {},
) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tollkeeper-')));
  const archive = join(folder, 'reports');
  await mkdir(archive);
  let logged = '';
  const listener = await listenForPage({
    host: '127.0.0.1',
    port: 0,
    names: [],
    view:
      shown.view ??
      (async (team) => viewOf(await (shown.status?.() ?? goodStatus), { team, mails: shown.mails ?? [] })),
    status: async () => shown.status?.() ?? goodStatus,
    feed: shown.feed ?? (() => Promise.resolve([])),
    isOpen: true,
    ended: endedSessions(),
    actions: noActions,
    zone: () => 'Europe/Berlin',
    clock: manualClock(at),
    report: (job, slot) => readReport(archive, job, slot),
    redact: (text) => text,
    log: createLog({
      write: (text) => void (logged += text),
      level: 'debug',
      clock: manualClock(at),
      redact: (text) => text,
    }),
    ...more,
    ...(links === undefined
      ? {}
      : { links: { key: links.key, ...createLinkUse(links.wasUsed, more.actions ?? noActions) } }),
  });
  return {
    port: listener.port,
    url: `http://127.0.0.1:${listener.port}/`,
    /** Of reports. */
    archive,
    write: async (file: string, text: string) => {
      const path = join(folder, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    },
    /** One request as any program could send it. */
    ask: async (
      path: string,
      { form, method = form === undefined ? 'GET' : 'POST', headers = {} }: Asked = {},
    ) => {
      const sent =
        form === undefined ? headers : { 'content-type': 'application/x-www-form-urlencoded', ...headers };
      const asking = request({
        port: listener.port,
        host: '127.0.0.1',
        path,
        method,
        headers: sent,
        agent: false,
      });
      asking.end(form === undefined ? undefined : new URLSearchParams(form).toString());
      const [response] = (await once(asking, 'response')) as [IncomingMessage];
      let text = '';
      for await (const chunk of response) text += String(chunk);
      return { status: response.statusCode, headers: response.headers, text };
    },
    logged: () => logged,
    [Symbol.asyncDispose]: async () => {
      await listener[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export type PageFixture = Awaited<ReturnType<typeof openPageFixture>>;
