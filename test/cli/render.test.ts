import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { money, unixMillis } from '../../src/core/index.ts';
import { noPaint, screenOf } from '../../src/cli/ui/paint.ts';
import { renderNext } from '../../src/cli/next/render.ts';
import { renderRuns } from '../../src/cli/runs/render.ts';
import { needsPerson, type StatusView } from '../../src/app/index.ts';
import { renderStatus } from '../../src/cli/status/command.ts';
import { approved, titled } from '../support/approved.ts';
import { at, hostile, jobView, now, pageFaults, runView, screens, statusView } from './support/views.ts';

type StatusData = NonNullable<StatusView['data']>;
type Rotation = NonNullable<StatusData['rotations']>[number];

const pipe = { paint: noPaint };

const attempt = (number: number, minute: number, reason?: string) => ({
  attempt: number,
  startedAt: at(`2026-11-21T07:${minute}:00Z`),
  endedAt: at(`2026-11-21T07:${minute}:01.200Z`),
  state: 'failed' as const,
  ...(reason === undefined ? {} : { code: 'gateway-unreachable', reason }),
});

const failed = runView('2026-11-21T07:00:00Z', {
  state: 'failed',
  code: 'gateway-unreachable',
  reason: 'connection refused',
  attempts: [attempt(1, 10, 'no route'), attempt(2, 20, 'connection refused')],
  nextAttempt: unixMillis(now + 240_000),
});

const others = [
  runView('2026-11-20T07:00:00Z', { summary: '1,204 rows landed' }),
  runView('2026-11-01T07:00:00Z', {
    trigger: 'catchup',
    state: 'missed',
    attempts: [],
    through: at('2026-11-19T07:00:00Z'),
    reason: 'no daemon was running',
  }),
];
const queued = { state: 'queued', attempts: [] } as const;
const open = [
  runView('2026-11-21T08:29:00Z', {
    state: 'running',
    attempts: [{ attempt: 1, startedAt: at('2026-11-21T08:29:20Z'), state: 'running' }],
  }),
  runView('2026-11-21T08:28:00Z', { ...queued, waiting: 'the lock x, held by y' }),
  runView('2026-11-21T08:27:00Z', {
    ...queued,
    nextAttempt: unixMillis(now + 5000),
    waiting: 'begins later',
  }),
  runView('2026-11-21T08:26:00Z', { state: 'failed', attempts: [attempt(1, 10)], nextAttempt: now }),
];
const ofTwoZones = [
  runView('2026-11-21T07:00:00Z'),
  runView('2026-11-21T06:00:00Z', { zone: 'Asia/Kolkata' }),
];
const slots = [
  { job: 'pull-logs', slot: at('2026-11-21T09:07:00Z'), zone: 'UTC' },
  { job: 'daily-spend', slot: at('2026-11-21T11:50:00Z'), zone: 'UTC' },
];

it('the lists of runs and slots show zone, state, attempts, time and reason, and what an open run waits for', async () => {
  const job = 'daily-spend';
  const pages = titled([
    ['runs', renderRuns([failed, ...others], { now }, pipe)],
    ['runs of one job, with each attempt', renderRuns([failed, ...others], { job, now }, pipe)],
    ['open runs', renderRuns(open, { now }, pipe)],
    ['runs of two time zones', renderRuns(ofTwoZones, { now }, pipe)],
    ['no runs', renderRuns([], { now }, pipe)],
    ['no runs of one job', renderRuns([], { job, now }, pipe)],
    ['next slots', renderNext(slots, now, pipe)],
    ['no next slots', renderNext([], now, pipe)],
  ]);
  await expect(pages).toMatchFileSnapshot(approved('cli/runs'));
});

const troubled = statusView({
  config: {
    loadedAt: at('2026-11-20T05:30:00Z'),
    faults: [
      { file: 'config/jobs/spend.yaml', line: 3, column: 14, message: 'unknown key sinse', advice: 'since?' },
    ],
    atNextStart: ['health.port', 'warehouse.path'],
  },
  jobs: [
    jobView('pull-logs', { last: runView('2026-11-21T08:07:00Z'), next: at('2026-11-21T09:07:00Z') }),
    jobView('daily-spend', {
      last: failed,
      outageSince: at('2026-11-19T07:00:00Z'),
      next: at('2026-11-22T07:00:00Z'),
    }),
    jobView('old', { suspend: true }),
  ],
  open: [failed],
  mail: { waiting: 2, failed: 1, unknown: 3, held: 0 },
});

const gap = {
  source: 'statistics',
  range: { start: unixMillis(now - 86_400_000), end: now },
  gap: money('34.78'),
  unit: 'USD',
  verdict: 'truncated',
  text: 'The log is incomplete: 46.93 USD in the gateway’s statistics, 12.15 in the log; 34.78 is missing.',
  state: 'open',
  notedAt: now,
} as const;
const gaps = [gap, { ...gap, state: 'passed' as const }];
const account = { account: 'main', sources: [], compared: [], gaps, moreGaps: 2 };
const incomplete = statusView({
  data: { zone: 'Europe/Berlin', accounts: [account], reports: { newest: [] } },
});

describe('the status', () => {
  it('requires action only for an outage, an invalid configuration, and rejected or unknown mails', () => {
    const { daemon: _, ...without } = statusView({
      jobs: [jobView('daily-spend', { last: failed })],
      open: [failed],
      mail: { waiting: 7, failed: 0, unknown: 0, held: 0 },
    });
    expect(needsPerson(without)).toEqual([]);
    expect(needsPerson(troubled)).toHaveLength(4);
    expect(needsPerson(statusView({ jobs: [jobView('a', { outageSince: now })] }))).toHaveLength(1);
    const failure = { run: runView('2026-11-21T07:00:00Z', { state: 'failed' }), advice: 'run `it`' };
    expect(needsPerson(statusView({ jobs: [jobView('a', { failure }), jobView('b')] }))).toEqual([
      'job failed: a',
    ]);
    expect(needsPerson(statusView({ jobs: [jobView('a', { failure, outageSince: now })] }))).toEqual([
      'job in outage: a',
    ]);
    expect(needsPerson(statusView({ config: troubled.config }))).toHaveLength(1);
    expect(needsPerson(statusView({ mail: { waiting: 0, failed: 1, unknown: 0, held: 0 } }))).toHaveLength(1);
    expect(needsPerson(statusView({ mail: { waiting: 0, failed: 0, unknown: 1, held: 0 } }))).toHaveLength(1);
  });
});

describe('with any data', () => {
  const evil = runView('2026-10-25T00:30:00Z', {
    state: 'interrupted',
    code: hostile,
    reason: hostile,
    summary: hostile,
    waiting: hostile,
    attempts: [attempt(1, 10, hostile), attempt(2, 20, hostile)],
  });
  const evilStatus = (job: string) =>
    statusView({
      config: {
        loadedAt: now,
        faults: [{ file: hostile, line: 1, column: 1, message: hostile, advice: hostile }],
        atNextStart: [hostile],
      },
      jobs: [
        jobView(job, { last: evil, outageSince: now, next: unixMillis(now + 1) }),
        jobView('b', { zone: 'America/Argentina/Buenos_Aires', last: evil }),
      ],
      open: [evil],
    });

  it.each(screens)('%s has no line that is too long and no control character', (_, screen) => {
    for (const page of [
      renderStatus(evilStatus('a'.repeat(16)), screen),
      renderStatus(troubled, screen),
      renderRuns([evil, failed], { now }, screen),
      renderRuns([evil, failed], { job: 'daily-spend', now }, screen),
      renderNext([{ job: 'x', slot: now, zone: 'Europe/Berlin' }], now, screen),
      renderNext([], now, screen),
      renderRuns([], { now }, screen),
      renderStatus(statusView(), screen),
    ])
      expect(pageFaults(page, screen)).toEqual([]);
  });

  it('the zone is kept longer than the duration of a run when columns are few', () => {
    const page = renderStatus(evilStatus('a'.repeat(24)), { paint: noPaint, width: 100 });
    expect(page).toContain('ZONE');
    expect(page).not.toContain('TOOK');
  });
});

it('color on a terminal changes no text', () => {
  const terminal = { write: () => undefined, isTerminal: true, columns: 80 };
  const coloured = renderStatus(troubled, screenOf(terminal, {}));
  const bare = stripVTControlCharacters(coloured);
  expect(bare).not.toBe(coloured);
  expect(bare).toBe(renderStatus(troubled, { paint: noPaint, width: 80 }));
});

describe('rotations in the status', () => {
  const rotation = (service: string, change: Partial<Rotation> = {}): Rotation => ({
    id: service,
    account: 'main',
    service,
    stage: 'current',
    since: at('2026-11-21T07:30:00Z'),
    message: 'both keys work until 2026-11-23',
    tries: 0,
    ...change,
  });
  const withRotations = (rotations: readonly Rotation[], change: Partial<StatusData> = {}): StatusView =>
    statusView({
      jobs: [jobView('pull-logs', { zone: 'UTC' })],
      data: { zone: 'Europe/Berlin', accounts: [], reports: { newest: [] }, rotations, ...change },
    });
  const pageOf = (view: StatusView): string => renderStatus(view, pipe);

  const ofAll = [
    rotation('calm'),
    rotation('failing', {
      stage: 'delivering',
      message: 'the disk is full',
      tries: 2,
      triesAllowed: 5,
      nextTry: unixMillis(now + 240_000),
    }),
    rotation('late', { escalated: true, message: 'batch.g1 is still used' }),
    rotation('stuck', { stage: 'waiting', message: 'deliver failed 5 times', tries: 5, triesAllowed: 5 }),
  ];
  const damaged = { code: 'audit-damaged', message: 'line 2 is not it', advice: 'put it back' };

  it('are on one page with faults, outages, unsent mails and the daemon, those that require action first', async () => {
    const { daemon: _, ...empty } = statusView();
    const { daemon: __, ...alone } = withRotations([rotation('calm')]);
    const ending = statusView({
      daemon: { pid: 1, startedAt: now, stopping: true },
      jobs: [jobView('a', { outageSince: now }), jobView('b', { next: now }), jobView('c')],
    });
    const two = [rotation('a'), rotation('a', { account: 'other' })];
    const many = Array.from({ length: 25 }, (___, index) => rotation(`s${index}`));
    const pages = titled([
      ['with faults, outage and unsent mails', renderStatus(troubled, { paint: noPaint, width: 80 })],
      ['gaps of the data', renderStatus(incomplete, pipe)],
      ['gaps of the data, on 80 columns', renderStatus(incomplete, { paint: noPaint, width: 80 })],
      ['nothing to report', renderStatus(statusView({ jobs: [jobView('by-hand-only')] }), pipe)],
      ['without jobs or daemon', renderStatus(empty, pipe)],
      ['a daemon that stops', renderStatus(ending, pipe)],
      ['rotations', pageOf(withRotations(ofAll))],
      ['rotations without a daemon', pageOf(alone)],
      ['rotations of two accounts', pageOf(withRotations(two))],
      ['many rotations', pageOf(withRotations(many))],
      ['a damaged key journal', pageOf(withRotations([], { keyProblem: damaged }))],
    ]);
    await expect(pages).toMatchFileSnapshot(approved('cli/status'));
  });

  it('require action when one is paused or an old key is overdue, not when a step is retried', () => {
    const needed = (rotations: readonly Rotation[], change: Partial<StatusData> = {}): readonly string[] =>
      needsPerson(withRotations(rotations, change));
    expect(needed([rotation('calm'), rotation('failing', { tries: 1 })])).toEqual([]);
    expect(needed([rotation('a', { stage: 'waiting', escalated: true })])).toHaveLength(1);
    expect(needed([rotation('a', { escalated: true })])).toHaveLength(1);
    expect(needed([], { keyProblem: damaged })).toHaveLength(1);
    const many = Array.from({ length: 8 }, (_, index) => rotation(`s${index}`, { stage: 'waiting' }));
    expect(needed(many)).toEqual(['rotations are paused: s0, s1, s2, s3, s4 and 3 more']);
  });

  it('show any names on their lines', () => {
    const long = rotation(hostile, { message: hostile, tries: 1, nextTry: now, account: hostile });
    const problem = { code: hostile, message: hostile, advice: hostile };
    for (const [, screen] of screens)
      expect(
        pageFaults(
          renderStatus(withRotations([long, rotation('b')], { keyProblem: problem }), screen),
          screen,
        ),
      ).toEqual([]);
  });
});
