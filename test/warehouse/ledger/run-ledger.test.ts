import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/warehouse/engine.ts';
import { execute } from '../../../src/warehouse/rows.ts';
import { at, cursorAt, missedAt, runAt } from './ledger-support.ts';
import { openIn, optionsIn, testFolder } from '../support.ts';

const claimedIn = async (folder: Parameters<typeof openIn>[0], ...runs: ReturnType<typeof runAt>[]) => {
  const warehouse = await openIn(folder);
  await warehouse.runs.claim([{ runs }]);
  return warehouse;
};

describe('a claim', () => {
  it('claims a slot once, moves the cursor with it, and keeps every field', async () => {
    await using folder = await testFolder();
    await using warehouse = await openIn(folder);
    const { runs } = warehouse;
    const first = runAt('pull', 1000, { version: 3, trigger: 'catchup' });
    const range = missedAt('pull', 100, { through: at(900), interval: { start: at(100), end: at(900) } });
    expect(await runs.claim([{ cursor: cursorAt('pull', 1000), runs: [first, range] }])).toEqual([
      first,
      range,
    ]);
    const again = runAt('pull', 1000, { account: 'other' });
    const second = runAt('pull', 2000);
    expect(await runs.claim([{ cursor: cursorAt('pull', 2000, 2), runs: [again, second, second] }])).toEqual([
      second,
    ]);
    expect(await runs.cursors()).toEqual([cursorAt('pull', 2000, 2)]);
    expect(await runs.find(first)).toEqual(first);
    expect(await runs.list({ limit: 10 })).toEqual([second, first, range]);
  });

  it('does not change the cursor when it has none', async () => {
    await using folder = await testFolder();
    await using warehouse = await openIn(folder);
    await warehouse.runs.claim([{ cursor: cursorAt('pull', 2000), runs: [] }]);
    await warehouse.runs.claim([{ runs: [runAt('pull', 5000, { trigger: 'hand' })] }]);
    expect(await warehouse.runs.cursors()).toEqual([cursorAt('pull', 2000)]);
  });

  it('writes rows and cursor atomically', async () => {
    await using folder = await testFolder();
    await using warehouse = await openIn(folder);
    const broken = { ...runAt('b', 1000), account: null as unknown as string };
    await expect(
      warehouse.runs.claim([
        { cursor: cursorAt('a', 1000), runs: [runAt('a', 1000)] },
        { cursor: cursorAt('b', 1000), runs: [broken] },
      ]),
    ).rejects.toMatchObject({ code: 'warehouse-failed' });
    expect(await warehouse.runs.cursors()).toEqual([]);
    expect(await warehouse.runs.list({ limit: 10 })).toEqual([]);
  });

  it('is guarded by the keys of the tables', async () => {
    await using folder = await testFolder();
    const warehouse = await claimedIn(folder, runAt('pull', 1000));
    await warehouse.runs.begin([runAt('pull', 1000)], at(1001));
    await warehouse.runs.claim([{ cursor: cursorAt('pull', 1000), runs: [] }]);
    await warehouse.runs.noteOutages({ opened: [{ job: 'pull', slot: at(1), openedAt: at(2) }], closed: [] });
    await warehouse[Symbol.asyncDispose]();
    await using engine = await openEngine(optionsIn(folder));
    for (const table of ['job_run', 'job_attempt', 'job_cursor', 'job_outage'])
      await expect(
        engine.state(async (connection) =>
          execute(connection, `INSERT INTO ${table} SELECT * FROM ${table}`),
        ),
      ).rejects.toThrow(/Duplicate key|duplicate key/);
  });
});

describe('a clock set back', () => {
  it('removes future slots that never ran, and claims them again in the same cycle', async () => {
    await using folder = await testFolder();
    const ran = runAt('pull', 3000);
    const kept = [
      missedAt('pull', 1000),
      runAt('pull', 3500, { trigger: 'hand' }),
      runAt('pull', 3600, { trigger: 'backfill' }),
      runAt('pull', 3700, { trigger: 'needed' }),
      missedAt('other', 5000),
    ];
    const gone = [
      missedAt('pull', 2500),
      missedAt('pull', 4000, { state: 'skipped' }),
      runAt('pull', 4500, { trigger: 'catchup' }),
    ];
    await using warehouse = await claimedIn(folder, ran, ...kept, ...gone);
    const { runs } = warehouse;
    await runs.begin([ran], at(3001));
    await runs.end([{ job: 'pull', slot: at(3000), state: 'failed', at: at(3002), nextAttempt: at(9000) }]);
    const again = [runAt('pull', 2500, { version: 2 }), runAt('pull', 3000, { version: 2 })];
    const fresh = await runs.claim([
      { cursor: cursorAt('pull', 2400, 2), runs: again, reopenedAfter: at(2400) },
    ]);
    expect(fresh).toEqual([again[0]]);
    expect((await runs.list({ limit: 20 })).map(({ slot, version }) => [slot, version])).toEqual([
      [5000, 1],
      [3700, 1],
      [3600, 1],
      [3500, 1],
      [3000, 1],
      [2500, 2],
      [1000, 1],
    ]);
    expect(await runs.cursors()).toEqual([cursorAt('pull', 2400, 2)]);
  });

  it('keeps the slot of the current moment and slots that ran, even abandoned ones', async () => {
    await using folder = await testFolder();
    const gone = runAt('pull', 3000);
    const skipped = {
      slot: at(3000),
      job: 'pull',
      state: 'skipped',
      at: at(3500),
      reason: 'suspended',
    } as const;
    await using warehouse = await claimedIn(folder, missedAt('pull', 2000), gone);
    const { runs } = warehouse;
    await runs.begin([gone], at(3001));
    await runs.end([{ ...gone, state: 'interrupted', at: at(3002), nextAttempt: at(9000) }]);
    await runs.close([{ ...skipped, code: 'aborted' }]);
    await runs.claim([{ cursor: cursorAt('pull', 2000), runs: [], reopenedAfter: at(2000) }]);
    expect(await runs.list({ limit: 9 })).toMatchObject([
      { slot: 3000, state: 'skipped', code: 'aborted', attempts: 1 },
      { slot: 2000, state: 'missed' },
    ]);
  });

  it('cuts an interval that extends past it', async () => {
    await using folder = await testFolder();
    const range = missedAt('pull', 1000, { through: at(9000) });
    await using warehouse = await claimedIn(folder, range);
    const { runs } = warehouse;
    await runs.claim([{ cursor: cursorAt('pull', 5000), runs: [], reopenedAfter: at(5000) }]);
    expect(await runs.find(range)).toEqual({ ...range, through: 5000 });
    await runs.claim([{ cursor: cursorAt('pull', 900), runs: [range], reopenedAfter: at(900) }]);
    expect(await runs.find(range)).toEqual(range);
  });

  it('removes and claims the same slots any number of times, also across a restart', async () => {
    await using folder = await testFolder();
    const slots = Array.from({ length: 300 }, (_, index) => 1000 * (index + 1));
    for (let round = 0; round < 4; round += 1) {
      await using warehouse = await openIn(folder);
      for (let turn = 0; turn < 4; turn += 1) {
        const claimed = slots.map((slot) => missedAt('pull', slot, { version: round * 4 + turn }));
        const fresh = await warehouse.runs.claim([
          { cursor: cursorAt('pull', 300_000), runs: claimed, reopenedAfter: at(0) },
        ]);
        expect(fresh).toEqual(claimed);
      }
      expect(await warehouse.runs.list({ limit: 1000 })).toHaveLength(300);
    }
  });
});

describe('an interval of missed slots', () => {
  it('gives its first slot to a requested run and keeps the rest', async () => {
    await using folder = await testFolder();
    const range = missedAt('pull', 1000, { through: at(9000) });
    await using warehouse = await claimedIn(folder, range);
    const { runs } = warehouse;
    expect(await runs.reopen(range, at(10_000))).toBeUndefined();
    expect(await runs.claim([{ runs: [runAt('pull', 1000)] }])).toEqual([]);
    const asked = runAt('pull', 1000, { trigger: 'backfill' });
    expect(await runs.claim([{ runs: [asked] }])).toEqual([asked]);
    expect(await runs.list({ limit: 10 })).toEqual([{ ...range, slot: 1001 }, asked]);
  });
});

describe('attempts', () => {
  it('are counted and recorded from start to end', async () => {
    await using folder = await testFolder();
    const key = { job: 'pull', slot: at(1000) };
    let warehouse = await claimedIn(folder, runAt('pull', 1000));
    await warehouse.runs.begin([key], at(1100));
    await warehouse[Symbol.asyncDispose]();

    warehouse = await openIn(folder);
    expect(await warehouse.runs.open()).toEqual([
      { ...runAt('pull', 1000), nextAttempt: undefined, state: 'running', attempts: 1, startedAt: 1100 },
    ]);
    const failed = { code: 'gateway-unreachable', reason: 'no answer' };
    await warehouse.runs.end([{ ...key, state: 'failed', at: at(1200), nextAttempt: at(2200), ...failed }]);
    expect(await warehouse.runs.open()).toMatchObject([
      { state: 'failed', nextAttempt: 2200, endedAt: 1200, ...failed },
    ]);
    await warehouse.runs.begin([key], at(2300));
    await warehouse.runs.end([{ ...key, state: 'ok', at: at(2400), summary: '12 rows' }]);
    // A second end of the same attempt, as after a crash between two writes, changes nothing.
    await warehouse.runs.end([{ ...key, state: 'failed', at: at(2500) }]);
    expect(await warehouse.runs.open()).toEqual([]);
    const { nextAttempt: _, ...claimed } = runAt('pull', 1000);
    const ok = { ...claimed, state: 'ok', attempts: 2, startedAt: 2300, endedAt: 2400, summary: '12 rows' };
    expect(await warehouse.runs.latest()).toEqual([ok]);
    expect(await warehouse.runs.goodThrough('pull')).toBe(1000);
    expect(await warehouse.runs.goodThrough('other')).toBeUndefined();
    expect([...(await warehouse.runs.goodEnds())]).toEqual([['pull', 2400]]);
    expect(await warehouse.runs.attempts([key, key])).toEqual([
      { ...key, attempt: 1, startedAt: 1100, endedAt: 1200, state: 'failed', ...failed },
      { ...key, attempt: 2, startedAt: 2300, endedAt: 2400, state: 'ok' },
    ]);
    await warehouse[Symbol.asyncDispose]();
  });

  it('start only for queued runs, all or none', async () => {
    await using folder = await testFolder();
    await using warehouse = await claimedIn(folder, runAt('a', 1000), missedAt('b', 1000));
    const { runs } = warehouse;
    await expect(runs.begin([runAt('a', 1000), runAt('b', 1000)], at(1001))).rejects.toMatchObject({
      code: 'warehouse-failed',
      message: expect.stringContaining('1 of 2 runs to start are no longer queued') as string,
    });
    expect(await runs.find(runAt('a', 1000))).toEqual(runAt('a', 1000));
    await runs.begin([runAt('a', 1000)], at(1001));
    await expect(runs.begin([runAt('a', 1000)], at(1002))).rejects.toThrow('no longer queued');
    expect(await runs.attempts([runAt('a', 1000)])).toHaveLength(1);
  });

  it('can start again only after the run has ended', async () => {
    await using folder = await testFolder();
    const missed = missedAt('pull', 1000);
    await using warehouse = await claimedIn(folder, missed, runAt('pull', 2000));
    const { runs } = warehouse;
    expect(await runs.reopen({ job: 'none', slot: at(1) }, at(1))).toBeUndefined();
    expect(await runs.reopen(runAt('pull', 2000), at(5000))).toBeUndefined();
    const { endedAt: _, reason: __, ...rest } = missed;
    const reopened = { ...rest, state: 'queued', nextAttempt: 5000 };
    expect(await runs.reopen(missed, at(5000))).toEqual(reopened);
    expect(await runs.find(missed)).toEqual(reopened);
  });
});

it('the run ledger closes queued runs and no others', async () => {
  await using folder = await testFolder();
  await using warehouse = await claimedIn(
    folder,
    runAt('a', 1),
    runAt('b', 1),
    runAt('c', 1),
    missedAt('d', 1),
  );
  const { runs } = warehouse;
  await runs.begin([runAt('b', 1), runAt('c', 1)], at(2));
  await runs.end([{ job: 'c', slot: at(1), state: 'failed', at: at(3), nextAttempt: at(9) }]);
  const closing = { slot: at(1), at: at(4), reason: 'suspended' };
  await runs.close(['a', 'b', 'c', 'd'].map((job) => ({ ...closing, job, state: 'skipped' as const })));
  expect((await runs.list({ limit: 9 })).map(({ job, state, reason }) => [job, state, reason])).toEqual([
    ['a', 'skipped', 'suspended'],
    ['b', 'running', undefined],
    ['c', 'skipped', 'suspended'],
    ['d', 'missed', 'nobody was awake'],
  ]);
  expect(await runs.find(runAt('c', 1))).toMatchObject({ attempts: 1, endedAt: 4 });
});

it('the run ledger lists runs by job and state, newest first', async () => {
  await using folder = await testFolder();
  await using warehouse = await claimedIn(
    folder,
    ...[1, 2, 3].flatMap((slot) => [runAt('a', slot), missedAt('b', slot)]),
  );
  const slots = async (query: Parameters<typeof warehouse.runs.list>[0]) =>
    (await warehouse.runs.list(query)).map(({ job, slot }) => `${job}${slot}`);
  expect(await slots({ job: 'a', limit: 2 })).toEqual(['a3', 'a2']);
  expect(await slots({ states: ['missed', 'ok'], limit: 2 })).toEqual(['b3', 'b2']);
  expect(await slots({ states: [], limit: 2 })).toEqual([]);
  expect(await slots({ job: 'a', states: ['missed'], limit: 2 })).toEqual([]);
});

it('the run ledger stores any text, with unpaired surrogates as the replacement character', async () => {
  await using folder = await testFolder();
  const odd = missedAt('a', 1, { reason: 'nul \u0000 "quoted" \\ \n \u{1f600}', summary: '' });
  const cut = missedAt('a', 2, { reason: 'cut in two \ud83d' });
  await using warehouse = await claimedIn(folder, odd, cut);
  expect(await warehouse.runs.find(odd)).toEqual(odd);
  expect(await warehouse.runs.find(cut)).toEqual({ ...cut, reason: 'cut in two \ufffd' });
});

it('the run ledger deletes cursors, records outages and trims ended runs', async () => {
  await using folder = await testFolder();
  const old = missedAt('a', 1000);
  const reaching = missedAt('a', 500, { through: at(5000) });
  const waiting = runAt('a', 1500);
  const ran = runAt('b', 1200);
  await using warehouse = await claimedIn(folder, old, reaching, waiting, ran, missedAt('a', 6000));
  const { runs } = warehouse;
  await runs.claim([
    { cursor: cursorAt('a', 1), runs: [] },
    { cursor: cursorAt('b', 1), runs: [] },
  ]);
  await runs.forget(['a', 'none']);
  expect(await runs.cursors()).toEqual([cursorAt('b', 1)]);

  const outage = (job: string, slot: number) => ({ job, slot: at(slot), openedAt: at(slot + 1) });
  await runs.noteOutages({ opened: [outage('a', 1), outage('b', 2)], closed: ['c'] });
  await runs.noteOutages({ opened: [outage('a', 3), outage('b', 4)], closed: ['a'] });
  expect(await runs.outages()).toEqual([outage('a', 3), outage('b', 2)]);

  await runs.begin([ran], at(1201));
  expect(await runs.trim(at(5000))).toBe(1);
  await runs.end([{ job: 'b', slot: at(1200), state: 'ok', at: at(1300) }]);
  expect(await runs.attempts([ran])).toHaveLength(1);
  expect(await runs.trim(at(5001))).toBe(2);
  expect(await runs.attempts([ran])).toEqual([]);
  expect((await runs.list({ limit: 9 })).map(({ slot }) => slot)).toEqual([6000, 1500]);
});
