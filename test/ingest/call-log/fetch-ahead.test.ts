import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fault, interval, type FaultCode } from '../../../src/core/index.ts';
import { pullLogs, type LogPull, type LogPullDeps, type LogQuery } from '../../../src/ingest/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { chunksOf, logSource, seconds, sumOf, type LogSource, type SourceRow } from './log-source.ts';
import { base, pullOf, openNew } from '../support.ts';
import { runs } from '../../support/storm.ts';

const whole = interval(seconds(0), seconds(4_000_000_000));
const hour = 3600;

const rows: readonly SourceRow[] = Array.from({ length: 240 }, (_, index) => ({
  at: base + index * 359,
  model: `m${index % 3}`,
  token: 'k',
  prompt: index,
  quota: `0.0${1000 + index}`,
}));
const total = sumOf(rows.map(({ quota }) => quota));

/** What an account holds, and by which windows it came. */
const stored = async (warehouse: Warehouse, account: string): Promise<unknown> => ({
  spend: await warehouse.spend(account, whole),
  watermark: await warehouse.logs.watermark(account),
  windows: (await warehouse.logs.windows(account)).map((landed) => ({ ...landed, landedAt: 0 })),
});

const outcomeOf = async (pull: LogPull & LogPullDeps): Promise<unknown> =>
  pullLogs(pull).then(
    ({ windows, rows: landed, quota }) => ({ windows, landed, quota }),
    (error: unknown) => error,
  );

/** Counts the questions under way; each is under way from its call to the end of its body, which waits until so many once were. */
const counting = (source: Pick<LogSource, 'fetchLogs'>, together = 1) => {
  const seen = { now: 0, most: 0, asked: 0 };
  let meet = (): void => undefined;
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  return {
    seen,
    fetchLogs: async (query: LogQuery) => {
      seen.asked += 1;
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      if (seen.most >= together) meet();
      // The header is asked for alone, and so is the first window.
      const waits = seen.asked > 2;
      const { body } = await source.fetchLogs(query);
      return {
        body: (async function* () {
          try {
            if (waits) await met;
            yield* body;
          } finally {
            seen.now -= 1;
          }
        })(),
      };
    },
  };
};

const codes: readonly FaultCode[] = [
  'gateway-key-refused',
  'gateway-unreachable',
  'gateway-timeout',
  'gateway-connection-lost',
  'export-not-csv',
];

describe('windows fetched ahead', () => {
  it('land exactly as windows fetched one after the other, whichever arrives first or fails', async () => {
    const { folder, warehouse } = await openNew();
    let run = 0;
    const failure = fc.option(
      fc.record({
        at: fc.integer({ min: 0, max: 86_399 }),
        code: fc.constantFrom(...codes),
        inBody: fc.boolean(),
      }),
      { freq: 2 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        failure,
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 2 * hour, max: 9 * hour }),
        fc.constantFrom(1, 3000, 1_000_000),
        async (scheduler, fails, ahead, windowSeconds, spoolBytes) => {
          run += 1;
          const source = logSource(rows);
          const fetchLogs = async (query: LogQuery) => {
            const { body } = await source.fetchLogs(query);
            const moment = base + (fails?.at ?? 0);
            const strikes =
              fails !== null && query.columns.length > 0 && query.start <= moment && query.end > moment;
            if (!strikes) return { body };
            if (!fails.inBody) throw fault(fails.code, 'struck');
            return {
              body: (async function* () {
                yield* chunksOf('created_at,model_name', 7);
                throw fault(fails.code, 'struck');
              })(),
            };
          };
          const later = async (query: LogQuery) => {
            await scheduler.schedule(Promise.resolve(), `${query.start}`);
            return fetchLogs(query);
          };
          const pull = pullOf(folder, warehouse, { fetchLogs }, { windowSeconds, account: `one-${run}` });
          const expected = await outcomeOf(pull);
          const found = await scheduler.waitFor(
            outcomeOf({ ...pull, account: `ahead-${run}`, fetchLogs: later, ahead, spoolBytes }),
          );
          expect(found).toEqual(expected);
          expect(await stored(warehouse, `ahead-${run}`)).toEqual(await stored(warehouse, `one-${run}`));
          expect(await readdir(folder.spool)).toEqual([]);
        },
      ),
      { numRuns: runs(2) },
    );
  });

  it('never exceed the limit and land in order', async () => {
    const { folder, warehouse } = await openNew();
    const { seen, fetchLogs } = counting(logSource(rows, { chunk: 40 }), 3);
    const pull = pullOf(folder, warehouse, { fetchLogs }, { windowSeconds: hour, ahead: 2 });
    expect(await pullLogs(pull)).toMatchObject({ rows: 240, quota: total, windows: 24 });
    expect(seen.most).toBe(3);
    expect(seen.asked).toBe(25);
    const starts = (await warehouse.logs.windows('main')).map(({ window }) => window.start);
    expect(starts).toEqual(starts.toSorted((left, right) => left - right));
  });

  it('use no more disk space than allowed, apart from the next one to land', async () => {
    const { folder, warehouse } = await openNew();
    const { seen, fetchLogs } = counting(logSource(rows, { chunk: 40 }));
    const pull = pullOf(folder, warehouse, { fetchLogs }, { windowSeconds: hour, ahead: 2 });
    expect(await pullLogs({ ...pull, spoolBytes: 1 })).toMatchObject({ rows: 240, quota: total });
    expect(seen.most).toBe(1);
    expect(seen.asked).toBe(25);
  });

  it('are discarded when they grow too large, and requested again when they are next', async () => {
    const { folder, warehouse } = await openNew();
    const dense = [
      ...rows,
      ...rows.filter(({ at }) => at > base + 12 * hour).flatMap((row) => Array(20).fill(row) as SourceRow[]),
    ];
    const { seen, fetchLogs } = counting(logSource(dense, { chunk: 40 }));
    const pull = pullOf(
      folder,
      warehouse,
      { fetchLogs },
      { windowSeconds: hour, ahead: 2, spoolBytes: 3000 },
    );
    expect(await pullLogs(pull)).toMatchObject({
      rows: dense.length,
      quota: sumOf(dense.map(({ quota }) => quota)),
    });
    expect(seen.asked).toBeGreaterThan(25);
    expect(seen.asked).toBeLessThan(32);
    expect(seen.now).toBe(0);
    expect(await readdir(folder.spool)).toEqual([]);
  });

  it.each(['gateway-rate-limited', 'disk-full'] as const)(
    'after %s are asked for one by one',
    async (code) => {
      const { folder, warehouse } = await openNew();
      const { seen, fetchLogs } = counting(logSource(rows, { chunk: 40 }));
      let refused = 0;
      const overloaded = async (query: LogQuery) => {
        if (seen.now === 0) return fetchLogs(query);
        refused += 1;
        throw fault(code, 'too much at once');
      };
      const pull = pullOf(folder, warehouse, { fetchLogs: overloaded }, { windowSeconds: hour, ahead: 2 });
      expect(await pullLogs(pull)).toMatchObject({ rows: 240, quota: total, windows: 24 });
      expect(refused).toBeGreaterThan(0);
      expect(refused).toBeLessThanOrEqual(2);
    },
  );

  it('leave no files behind when the pull is stopped at any point', async () => {
    const { folder, warehouse } = await openNew();
    for (const stopAt of [1, 2, 3, 5, 8, 13, 25]) {
      const account = `stop-${stopAt}`;
      const controller = new AbortController();
      const source = logSource(rows, { chunk: 40 });
      const fetchLogs = async (query: LogQuery) => {
        const { body } = await source.fetchLogs(query);
        return {
          body: (async function* () {
            let pieces = 0;
            for await (const piece of body) {
              yield piece;
              pieces += 1;
              if (source.queries.length < stopAt || pieces < 3) continue;
              controller.abort(fault('aborted', 'stopped'));
              // It never ends by itself.
              await new Promise(() => undefined);
            }
          })(),
        };
      };
      const pull = pullOf(
        folder,
        warehouse,
        { fetchLogs },
        { account, windowSeconds: hour, ahead: 2, signal: controller.signal },
      );
      await expect(pullLogs(pull)).rejects.toMatchObject({ code: 'aborted' });
      expect(await readdir(folder.spool)).toEqual([]);
      const reached = (await warehouse.logs.watermark(account))?.end ?? base;
      expect((reached - base) % hour).toBe(0);
      const landed = rows.filter(({ at }) => at < reached);
      expect(await warehouse.spend(account, whole)).toMatchObject({
        calls: landed.length,
        net: sumOf(landed.map(({ quota }) => quota)) || '0',
      });
    }
  });
});
