import { describe, expect, it } from 'vitest';
import { money, unixMillis } from '../../src/core/index.ts';
import { statusJson } from '../../src/web/index.ts';
import { noPaint, screenOf } from '../../src/cli/ui/paint.ts';
import { renderNext } from '../../src/cli/next/render.ts';
import { renderRuns } from '../../src/cli/runs/render.ts';
import { needsPerson, type StatusView } from '../../src/daemon/index.ts';
import { renderStatus } from '../../src/cli/status/render.ts';
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
  reason: 'nobody answers',
  attempts: [attempt(1, 10, 'no route'), attempt(2, 20, 'nobody answers')],
  nextAttempt: unixMillis(now + 240_000),
});

describe('the list of runs', () => {
  it('shows slot, trigger, state, attempts, time and reason on one line each when lines may be long', () => {
    const page = renderRuns(
      [
        failed,
        runView('2026-11-20T07:00:00Z', { summary: '1,204 rows landed' }),
        runView('2026-11-01T07:00:00Z', {
          trigger: 'catchup',
          state: 'missed',
          attempts: [],
          through: at('2026-11-19T07:00:00Z'),
          reason: 'no daemon was running',
        }),
      ],
      { now },
      pipe,
    );
    expect(page).toBe(`times in Europe/Berlin
SLOT              JOB          TRIGGER   STATE   TRIES  TOOK
2026-11-21 08:00  daily-spend  schedule  failed  2      1.2 s  gateway-unreachable: nobody answers; next attempt 2026-11-21 09:34 (in 4 min)
2026-11-20 08:00  daily-spend  schedule  ok      1      10 s   1,204 rows landed
2026-11-01 08:00  daily-spend  catchup   missed  -             2026-11-01 08:00 to 2026-11-19 08:00 missed: no daemon was running
`);
  });

  it('shows each attempt with its reason only for the runs of one job', () => {
    const page = renderRuns([failed], { job: 'daily-spend', now }, pipe);
    expect(page.split('\n').slice(2)).toEqual([
      '2026-11-21 08:00  daily-spend  schedule  failed  2      1.2 s  next attempt 2026-11-21 09:34 (in 4 min)',
      '    attempt 1, 2026-11-21 08:10: failed after 1.2 s: gateway-unreachable: no route',
      '    attempt 2, 2026-11-21 08:20: failed after 1.2 s: gateway-unreachable: nobody answers',
      '',
    ]);
  });

  it('says what a queued run waits for, and how long a running one has run', () => {
    const page = renderRuns(
      [
        runView('2026-11-21T08:29:00Z', {
          state: 'running',
          attempts: [{ attempt: 1, startedAt: at('2026-11-21T08:29:20Z'), state: 'running' }],
        }),
        runView('2026-11-21T08:28:00Z', {
          state: 'queued',
          attempts: [],
          waiting: 'the lock x, held by y',
        }),
        runView('2026-11-21T08:27:00Z', {
          state: 'queued',
          attempts: [],
          nextAttempt: unixMillis(now + 5000),
          waiting: 'begins later',
        }),
        runView('2026-11-21T08:26:00Z', { state: 'failed', attempts: [attempt(1, 10)], nextAttempt: now }),
      ],
      { now },
      pipe,
    );
    expect(page).toMatch(/running {2}1 {6}40 s so far$/m);
    expect(page).toMatch(/queued .* waiting for the lock x, held by y$/m);
    expect(page).toMatch(/queued .* begins 2026-11-21 09:30 \(in 5 s\)$/m);
    expect(page).toMatch(/failed .* about to start$/m);
  });

  it('shows each zone when they differ', () => {
    const page = renderRuns(
      [runView('2026-11-21T07:00:00Z'), runView('2026-11-21T06:00:00Z', { zone: 'Asia/Kolkata' })],
      { now },
      pipe,
    );
    expect(page).toMatch(/^times in the time zone of each job\n/);
    expect(page).toContain('2026-11-21 08:00  Europe/Berlin');
    expect(page).toContain('2026-11-21 11:30  Asia/Kolkata ');
  });

  it('says when there is none', () => {
    expect(renderRuns([], { now }, pipe)).toBe('no run yet\n');
    expect(renderRuns([], { job: 'daily-spend', now }, pipe)).toBe('no run of daily-spend yet\n');
  });
});

describe('the list of next slots', () => {
  it('shows slots with the time until they are due', () => {
    const slots = [
      { job: 'pull-logs', slot: at('2026-11-21T09:07:00Z'), zone: 'UTC' },
      { job: 'daily-spend', slot: at('2026-11-21T11:50:00Z'), zone: 'UTC' },
    ];
    expect(renderNext(slots, now, pipe)).toBe(`times in UTC
SLOT              DUE            JOB
2026-11-21 09:07  in 37 min      pull-logs
2026-11-21 11:50  in 3 h 20 min  daily-spend
`);
    expect(renderNext([], now, pipe)).toMatch(/^no next slot: /);
  });
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

describe('the status', () => {
  it('shows everything on one page', () => {
    expect(renderStatus(troubled, { paint: noPaint, width: 80 }))
      .toBe(`daemon running since 2026-11-20 06:30 Europe/Berlin (1 d 3 h)
pid 4711, version 1.2.3

1 fault in the config; the one read 2026-11-20 06:30 Europe/Berlin remains
active
  config/jobs/spend.yaml:3:14: unknown key sinse
      what to do: since?

requires a restart: health.port, warehouse.path

times in Europe/Berlin
JOB          STATE   LAST RUN          TOOK   NEXT
pull-logs    ok      2026-11-21 09:07  10 s   in 37 min
daily-spend  failed  2026-11-21 08:20  1.2 s  in 22 h 30 min
    ! outage since 2026-11-19 08:00 (2 d 2 h); gateway-unreachable: nobody
    answers
old          -                                suspended

OPEN RUN     SLOT              STATE
daily-spend  2026-11-21 08:00  failed  next attempt 2026-11-21 09:34 (in 4 min)

unsent mails: 2 waiting, 1 refused, 3 of unknown outcome

action required: job in outage: daily-spend; 1 fault in the config; 1 mail
refused; 3 mails of unknown outcome
`);
  });

  it('is short when all checks passed', () => {
    const page = renderStatus(statusView({ jobs: [jobView('by-hand-only')] }), pipe);
    expect(page).not.toMatch(/fault|mail|person|OPEN|start/);
    const { daemon: _, ...without } = statusView();
    expect(renderStatus(without, pipe)).toBe(
      'no daemon is running (version 1.2.3)\n`tollkeeper serve` runs jobs on their schedules\n\nno jobs are configured: add jobs to jobs/*.yaml\n',
    );
  });

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

  it('names each open gap of the data with its account, time range and explanation', () => {
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
    const account = {
      account: 'main',
      sources: [],
      compared: [],
      gaps: [gap, { ...gap, state: 'passed' }],
      moreGaps: 2,
    } as const;
    const view = statusView({
      data: { zone: 'Europe/Berlin', accounts: [account], reports: { newest: [] } },
    });
    const page = renderStatus(view, pipe);
    expect(page).toContain('data that does not reconcile:');
    expect(page).toContain(
      '  main, 2026-11-20 09:30 to 2026-11-21 09:30 Europe/Berlin\n    The log is incomplete:',
    );
    expect(page.match(/The log is incomplete/g)).toHaveLength(1);
    expect(page).toContain('  and 2 older\n');
    for (const line of renderStatus(view, { paint: noPaint, width: 80 }).split('\n'))
      expect(line.length).toBeLessThanOrEqual(80);
  });

  it('says that the daemon is stopping, which job is in outage, and which has no next slot', () => {
    const page = renderStatus(
      statusView({
        daemon: { pid: 1, startedAt: now, stopping: true },
        jobs: [jobView('a', { outageSince: now }), jobView('b', { next: now }), jobView('c')],
      }),
      pipe,
    );
    expect(page).toContain('daemon stopping');
    expect(page).toMatch(/! outage since 2026-11-21 09:30 \(0 ms\)$/m);
    expect(page).toMatch(/^b .* now$/m);
    expect(page).toMatch(/^c .* -$/m);
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

describe('color', () => {
  const terminal = { write: () => undefined, isTerminal: true, columns: 80 };
  it('is used on terminals, and changes no text', () => {
    const coloured = renderStatus(troubled, screenOf(terminal, {}));
    // oxlint-disable-next-line no-control-regex
    const bare = coloured.replaceAll(/\u001B\[\d+m/g, '');
    expect(bare).not.toBe(coloured);
    expect(bare).toBe(renderStatus(troubled, { paint: noPaint, width: 80 }));
  });

  it.each([
    [{ NO_COLOR: '1' }, 80],
    [{ TERM: 'dumb' }, 80],
  ])('is off with %j', (env, width) => {
    expect(screenOf(terminal, env)).toEqual({ paint: noPaint, width });
  });

  it('stays on with an empty NO_COLOR, and is off without a terminal', () => {
    expect(screenOf(terminal, { NO_COLOR: '' }).paint).not.toBe(noPaint);
    expect(screenOf({ ...terminal, isTerminal: false }, {})).toEqual({ paint: noPaint });
  });
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

  it('are listed with stage, description, start and next attempt, those that require action first', () => {
    const page = pageOf(
      withRotations([
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
      ]),
    );
    expect(page).toContain(`
ROTATION  STAGE       SINCE (Europe/Berlin)
stuck     waiting     2026-11-21 08:30
    deliver failed 5 times
late      current     2026-11-21 08:30
    batch.g1 is still used
failing   delivering  2026-11-21 08:30
    the disk is full
    failed 2 times, 3 attempts left, next in 4 min
calm      current     2026-11-21 08:30
    both keys work until 2026-11-23

action required: a rotation is paused: stuck; an old key is past the deadline: late
`);
  });

  it('require action when one is paused or an old key is overdue, not when a step is retried', () => {
    const needed = (rotations: readonly Rotation[], change: Partial<StatusData> = {}): readonly string[] =>
      needsPerson(withRotations(rotations, change));
    expect(needed([rotation('calm'), rotation('failing', { tries: 1 })])).toEqual([]);
    expect(needed([rotation('a', { stage: 'waiting', escalated: true })])).toEqual([
      'a rotation is paused: a',
    ]);
    expect(needed([rotation('a', { escalated: true })])).toEqual(['an old key is past the deadline: a']);
    const many = Array.from({ length: 8 }, (_, index) => rotation(`s${index}`, { stage: 'waiting' }));
    expect(needed(many)).toEqual(['rotations are paused: s0, s1, s2, s3, s4 and 3 more']);
  });

  it('give the reason and next step when key writes are stopped', () => {
    const keyProblem = { code: 'audit-damaged', message: 'line 2 is not it', advice: 'put it back' };
    const view = withRotations([], { keyProblem });
    expect(needsPerson(view)).toEqual(['the key journal failed verification']);
    expect(pageOf(view)).toContain(
      '\nkey operations are suspended: line 2 is not it\nwhat to do: put it back (audit-damaged)\n',
    );
  });

  it('are advanced only by a daemon', () => {
    const message = 'no daemon is running: they advance only while `tollkeeper serve` runs';
    const { daemon: _, ...without } = withRotations([rotation('calm')]);
    expect(pageOf(without)).toContain(message);
    expect(pageOf(withRotations([rotation('calm')]))).not.toContain(message);
  });

  it('show the account of a name and the number of further ones, each on its line', () => {
    const two = [rotation('a'), rotation('a', { account: 'other' })];
    expect(pageOf(withRotations(two))).toMatch(/^ROTATION +ACCOUNT +STAGE[^\n]*\na +main /m);
    const many = Array.from({ length: 25 }, (_, index) => rotation(`s${index}`));
    expect(pageOf(withRotations(many))).toContain('and 5 more: `tollkeeper keys list`');
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

  it('are in the JSON with times in UTC', () => {
    const json = statusJson(
      withRotations([rotation('a', { tries: 1, nextTry: at('2026-11-21T08:35:00Z') }), rotation('b')]),
      [],
    );
    expect(json.data?.rotations).toMatchObject([
      { service: 'a', since: '2026-11-21T07:30:00.000Z', nextTry: '2026-11-21T08:35:00.000Z' },
      { service: 'b', nextTry: undefined },
    ]);
  });
});
