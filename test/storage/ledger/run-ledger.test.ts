import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/storage/index.ts';
import { at, cursorAt, missedAt, runAt } from './ledger-support.ts';
import { openIn, optionsIn, testFolder } from '../../warehouse/support.ts';

const claimedIn = async (folder: Parameters<typeof openIn>[0], ...runs: ReturnType<typeof runAt>[]) => {
  const warehouse = await openIn(folder);
  await warehouse.runs.claim([{ runs }]);
  return warehouse;
};

describe('a claim', () => {
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
    await warehouse.runs.noteOutages({
      opened: [{ job: 'pull', slot: at(1), openedAt: at(2) }],
      closed: [],
      noted: [],
      mails: [],
    });
    await warehouse[Symbol.asyncDispose]();
    await using engine = await openEngine(optionsIn(folder));
    for (const table of ['job_run', 'job_attempt', 'job_cursor', 'job_outage'])
      await expect(
        engine.state(async (connection) => connection.execute(`INSERT INTO ${table} SELECT * FROM ${table}`)),
      ).rejects.toThrow(/Duplicate key|duplicate key/);
  });
});

it('the run ledger stores any text, with unpaired surrogates as the replacement character', async () => {
  await using folder = await testFolder();
  const odd = missedAt('a', 1, { reason: 'nul \u0000 "quoted" \\ \n \u{1f600}', summary: '' });
  const cut = missedAt('a', 2, { reason: 'cut in two \ud83d' });
  await using warehouse = await claimedIn(folder, odd, cut);
  expect(await warehouse.runs.find(odd)).toEqual(odd);
  expect(await warehouse.runs.find(cut)).toEqual({ ...cut, reason: 'cut in two \ufffd' });
});

describe('a clock set back', () => {
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
});
