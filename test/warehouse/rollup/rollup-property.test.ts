import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  absoluteMoney,
  groupBy,
  hasCode,
  interval,
  localDays,
  subtractMoney,
  sumMoney,
  unixMillis,
  unixSeconds,
  zero,
} from '../../../src/core/index.ts';
import type { CubeQuery, CubeRequest, Warehouse } from '../../../src/warehouse/index.ts';
import { inDatabase, isOnPostgres } from '../../support/postgres-warehouse.ts';
import { openAt } from '../archive/archive-support.ts';
import { testFolder, type TestFolder } from '../support.ts';
import { landCalls, type CountName, type LoggedCall } from '../tokens/tokens-support.ts';
import { runs } from '../../support/storm.ts';

const first = Date.UTC(2026, 2, 27) / 1000;
const day = 86_400;
/** The end of March, when clocks go forward in Berlin, and the start of April. */
const dayCount = 8;
const zones = ['Europe/Berlin', 'UTC', 'Asia/Kathmandu'] as const;

const count = fc.option(fc.constantFrom(0, 1, 7, 400, 10 ** 17), { nil: undefined });
const call: fc.Arbitrary<LoggedCall> = fc.record({
  at: fc.integer({ min: 0, max: day - 1 }),
  model: fc.constantFrom('gpt-5', 'claude', ''),
  key: fc.constantFrom('search', 'growth'),
  kind: fc.constantFrom('consumption', 'consumption', 'refund', 'topup', 'odd'),
  prompt_tokens: count,
  completion_tokens: count,
  cached_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
  audio_tokens: count,
  quota: fc.constantFrom('0', '0.000000000001', '1.25', '-3', '98765.4321'),
}) as fc.Arbitrary<LoggedCall>;

type Step =
  | {
      readonly do: 'land';
      readonly from: number;
      readonly days: number;
      readonly calls: readonly LoggedCall[];
      readonly without: readonly CountName[];
    }
  | { readonly do: 'read'; readonly zone: string }
  | { readonly do: 'configure'; readonly cached: string | undefined; readonly reasoning: string | undefined }
  | { readonly do: 'archive' }
  | { readonly do: 'reopen' }
  | { readonly do: 'back up' }
  | { readonly do: 'restore'; readonly all: boolean };

const landing: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('land' as const),
  from: fc.integer({ min: 0, max: dayCount - 1 }),
  days: fc.integer({ min: 1, max: 3 }),
  calls: fc.array(call, { minLength: 1, maxLength: 12 }),
  without: fc.subarray(['cached_tokens', 'reasoning_tokens'] as CountName[]),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: landing },
  { weight: 4, arbitrary: fc.constantFrom(...zones).map((zone): Step => ({ do: 'read', zone })) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('configure' as const),
      cached: fc.constantFrom('includes_cache', 'excludes_cache', undefined),
      reasoning: fc.constantFrom('includes_reasoning', 'excludes_reasoning', undefined),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'reopen' }) },
  ...(isOnPostgres
    ? []
    : [
        { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'archive' }, { do: 'back up' }) },
        { weight: 1, arbitrary: fc.boolean().map((all): Step => ({ do: 'restore', all })) },
      ]),
);

const figures = `count(*) AS cells, sum(calls), sum(rows), sum(spend), sum(amount), sum(prompt_tokens), sum(cached_tokens),
  sum(input_tokens), sum(input_uncached_tokens), sum(input_cache_read_tokens), sum(input_unclassified_tokens),
  sum(output_tokens), sum(output_plain_tokens), sum(output_reasoning_tokens), sum(output_unclassified_tokens)`;

/** What the cells of each table are grouped by. */
const groupings = ['model_name', 'token_name', 'model_name, token_name'].flatMap((names) =>
  // Of whole months, before cells of days can serve them.
  [names, `day, ${names}`].map((all) => `${all}, kind, input_counts, output_counts`),
);

/** By each grouping: through the rollup, and by quarter hour, which no day of the rollup answers. */
const bothWays = async (warehouse: Warehouse, zone: string) => {
  const request: CubeRequest = {
    account: 'main',
    zone,
    periods: [{ name: 'current', days: localDays('2026-03-01', '2026-04-30', zone) }],
  };
  return warehouse.readCube(request, async (query: CubeQuery) => {
    const byDay: unknown[] = [];
    const fromCalls: unknown[] = [];
    for (const columns of groupings) {
      const all = `${columns}, ${figures} FROM cube`;
      byDay.push((await query(`SELECT ${all} GROUP BY ALL ORDER BY ALL`)).rows);
      fromCalls.push(
        (
          await query(
            `SELECT ${all.replace('count(*) AS cells', 'count(DISTINCT 1) AS cells')}
             WHERE quarter IS NOT NULL GROUP BY ALL ORDER BY ALL`,
          )
        ).rows,
      );
    }
    return { byDay, fromCalls };
  });
};

/** By hour, model and key: through the hours of the rollup, and as sums of the calls. */
const hoursBothWays = async (warehouse: Warehouse) => {
  const range = interval(unixSeconds(first - day), unixSeconds(first + (dayCount + 2) * day));
  const { found, series } = await warehouse.hours({
    account: 'main',
    queries: [
      { range, by: ['model', 'key'], each: 'hour' },
      { range, by: [], each: 'range' },
    ],
    series: [
      { range, by: 'model', each: 'hour' },
      { range, by: 'key', each: 'hour' },
      { range, each: 'hour' },
    ],
  });
  const [pairs = [], whole = []] = found;
  const [models, keys, account] = series;
  const calls = await warehouse.calls('main', range);
  const hourOf = (at: number): number => Math.floor(at / 3600) * 3600;
  const sums = groupBy(calls, ({ createdAt, model, keyName }) => `${hourOf(createdAt)} ${model} ${keyName}`);
  const ofNames = [
    ...groupBy(calls, ({ createdAt, model }) => `${hourOf(createdAt)} of ${model}`),
    ...groupBy(calls, ({ createdAt, keyName }) => `${hourOf(createdAt)} by ${keyName}`),
    ...groupBy(calls, ({ createdAt }) => `${hourOf(createdAt)} in all `),
  ] as const;
  const spendOf = (of: readonly (typeof calls)[number][]) =>
    sumMoney(
      of.map(({ kind, amount = zero }) =>
        kind === 'refund' ? subtractMoney(zero, absoluteMoney(amount)) : amount,
      ),
    );
  const countOf = (of: readonly (typeof calls)[number][]): number =>
    of.filter(({ kind }) => kind === 'consumption').length;
  return {
    byHour: new Map(
      pairs.map(({ at, model, key, ...sum }) => [`${at} ${model} ${key}`, [sum.calls, sum.spend]] as const),
    ),
    fromCalls: new Map([...sums].map(([name, of]) => [name, [countOf(of), spendOf(of)]])),
    asSeries: new Map(
      [['of', models] as const, ['by', keys] as const, ['in all', account] as const].flatMap(
        ([word, all = new Map<string, ReadonlyMap<number, { calls: number; spend: number }>>()]) =>
          [...all].flatMap(([name, of]) =>
            [...of].map(
              ([at, { calls, spend }]) => [`${at} ${word} ${name}`, [calls, spend.toPrecision(12)]] as const,
            ),
          ),
      ),
    ),
    seriesOfCalls: new Map(
      ofNames.map(([name, of]) => [name, [countOf(of), Number(spendOf(of)).toPrecision(12)]]),
    ),
    whole: whole.map(({ calls, spend }) => [calls, spend]),
    wholeOfCalls: [[countOf(calls), spendOf(calls)]],
  };
};

const apply = async (warehouse: Warehouse, folder: TestFolder, step: Step): Promise<void> => {
  switch (step.do) {
    case 'land': {
      const from = first + step.from * day;
      const calls = step.calls.map((one, at) => ({
        ...one,
        at: from + (((one.at ?? 0) + at * 40_000) % (step.days * day)),
      }));
      // Amounts that could be of two forms are refused: then nothing of the landing remains.
      return landCalls(warehouse, folder, calls, { from, days: step.days, without: step.without }).catch(
        (error: unknown) => {
          if (!hasCode(error, 'export-amounts-changed')) throw error;
        },
      );
    }
    case 'read': {
      const { byDay, fromCalls } = await bothWays(warehouse, step.zone);
      expect(byDay).toEqual(fromCalls);
      const hours = await hoursBothWays(warehouse);
      expect(hours.byHour).toEqual(hours.fromCalls);
      expect(hours.asSeries).toEqual(hours.seriesOfCalls);
      return expect(hours.whole).toEqual(hours.wholeOfCalls);
    }
    case 'configure':
      return warehouse.tokens.configure(
        'main',
        step.cached === undefined ? {} : ({ 'gpt-*': step.cached } as never),
        step.reasoning === undefined ? {} : ({ '*': step.reasoning } as never),
      );
    case 'archive':
      await warehouse.archive.run({ account: 'main', settle: 0, retain: 0 });
      return undefined;
    default:
      return undefined;
  }
};

/** As rows of schema 24, whose columns are known only from the values of their UTC day. */
const forgetColumns = async (folder: TestFolder): Promise<unknown> =>
  inDatabase(join(folder.path, 'test', 'test.duckdb'), 'UPDATE call_log SET served_columns = NULL');

/** While no one has the database open. `all`: with the archive; otherwise the database alone is older. */
const closed = async (folder: TestFolder, step: Step): Promise<void> => {
  const [data, backup] = [join(folder.path, 'test'), join(folder.path, 'backup')];
  if (step.do === 'back up') {
    await rm(backup, { recursive: true, force: true });
    await cp(data, backup, { recursive: true });
  } else if (step.do === 'restore') {
    await rm(step.all ? data : join(data, 'test.duckdb'), { recursive: true, force: true });
    await cp(step.all ? backup : join(backup, 'test.duckdb'), step.all ? data : join(data, 'test.duckdb'), {
      recursive: true,
    });
  }
};

it('the rollup equals the calls after any landings, conventions, archive runs, restarts and restored backups', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(landing, { maxLength: 2 }),
      fc.array(step, { minLength: 4, maxLength: 14 }),
      async (old, steps) => {
        await using folder = await testFolder();
        const now = unixMillis(Date.UTC(2026, 5, 2));
        const open = async (): Promise<Warehouse> => openAt(folder, 'test', now);
        let warehouse = await open();
        for (const one of old) await apply(warehouse, folder, one);
        await warehouse[Symbol.asyncDispose]();
        if (!isOnPostgres) await forgetColumns(folder);
        if (!isOnPostgres) await closed(folder, { do: 'back up' });
        warehouse = await open();
        try {
          for (const one of steps) {
            if (one.do === 'reopen' || one.do === 'back up' || one.do === 'restore') {
              await warehouse[Symbol.asyncDispose]();
              await closed(folder, one);
              warehouse = await open();
            } else await apply(warehouse, folder, one);
            expect(await warehouse.rollup.compare('main', 'cells')).toEqual([]);
            expect(await warehouse.rollup.compare('main', 'sums')).toEqual([]);
          }
          for (const zone of zones) await apply(warehouse, folder, { do: 'read', zone });
        } finally {
          await warehouse[Symbol.asyncDispose]();
        }
      },
    ),
    { numRuns: runs(isOnPostgres ? 4 : 12) },
  );
}, 600_000);
