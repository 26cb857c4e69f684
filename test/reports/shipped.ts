import {
  interval,
  money,
  systemClock,
  unixMillis,
  unixSeconds,
  type Interval,
  type LocaleTag,
  type UnixSeconds,
} from '../../src/core/index.ts';
import {
  buildReport,
  inLocale,
  resolvePeriod,
  type ReportDefinition,
  type ReportFacts,
  type ReportModel,
} from '../../src/reports/index.ts';
import type { CubeRequest, KeyState, StoredComparison, Warehouse } from '../../src/warehouse/index.ts';
import { hostileNames } from './hostile.ts';
import { key } from '../warehouse/snapshots/snapshots-support.ts';
import { batchOf, testFolder } from '../warehouse/support.ts';
import { openMemoryWarehouse } from '../support/memory-warehouse.ts';
import { now, shipped, zone } from './sample.ts';

/** One call of the log; what is left out was not served. */
export type Call = {
  readonly at: number;
  readonly model: string;
  readonly key: string;
  readonly kind?: 'consumption' | 'refund';
  readonly prompt?: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly completion?: number;
  readonly reasoning?: number;
  readonly audioIn?: number;
  readonly audioOut?: number;
  readonly image?: number;
  readonly charge: string;
};

const columns = [
  ['created_at', ({ at }: Call) => at],
  ['model_name', ({ model }: Call) => `"${model.replaceAll('"', '""')}"`],
  ['token_name', ({ key }: Call) => `"${key.replaceAll('"', '""')}"`],
  ['kind', ({ kind = 'consumption' }: Call) => kind],
  ['prompt_tokens', ({ prompt = 0 }: Call) => prompt],
  ['cached_tokens', ({ cached = 0 }: Call) => cached],
  ['cache_write_tokens', ({ cacheWrite = 0 }: Call) => cacheWrite],
  ['completion_tokens', ({ completion = 0 }: Call) => completion],
  ['reasoning_tokens', ({ reasoning = 0 }: Call) => reasoning],
  ['audio_input_tokens', ({ audioIn = 0 }: Call) => audioIn],
  ['audio_output_tokens', ({ audioOut = 0 }: Call) => audioOut],
  ['image_tokens', ({ image = 0 }: Call) => image],
  ['quota', ({ charge }: Call) => charge],
] as const;

export type Account = AsyncDisposable & {
  readonly warehouse: Warehouse;
  /** Unless told otherwise, what cached tokens are part of is decided afterwards, as a pull does. */
  readonly land: (calls: readonly Call[], how?: Landed) => Promise<void>;
  readonly report: (name: string, change?: ReportChange) => Promise<ReportModel>;
};

export type Landed = {
  readonly judged?: boolean;
  /** The days that the calls are all of; the whole time of the tests when left out. */
  readonly days?: Interval<UnixSeconds>;
  /** Token columns that the export lacks. */
  readonly without?: readonly string[];
};

/** Conventions that the configuration states. */
export type Rules = {
  readonly input: Parameters<Warehouse['tokens']['configure']>[1];
  readonly output: Parameters<Warehouse['tokens']['configure']>[2];
};

const allInclude: Rules = { input: { '*': 'includes_cache' }, output: { '*': 'includes_reasoning' } };

export type ReportChange = {
  readonly period?: string;
  readonly locale?: LocaleTag;
  readonly account?: string;
  readonly deps?: Partial<CubeRequest>;
  /** In place of the shipped one. */
  readonly definition?: ReportDefinition;
  readonly facts?: Partial<ReportFacts>;
};

const month = '2026-10-21..2026-11-20';

/** A warehouse in memory, and reports over it as a job builds them. */
export const openAccount = async (rules: Rules = allInclude, clock = systemClock): Promise<Account> => {
  const folder = await testFolder();
  const warehouse = await openMemoryWarehouse(folder.spool, { clock });
  await warehouse.tokens.configure('main', rules.input, rules.output);
  const all = interval(
    unixSeconds(Date.UTC(2026, 8, 19) / 1000),
    resolvePeriod(month, now, zone).interval.end,
  );
  return {
    warehouse,
    land: async (calls, { judged = true, days: window = all, without = [] } = {}) => {
      const served = columns.filter(([name]) => !without.includes(name));
      const lines = calls.map((call) => served.map(([, read]) => read(call)).join(','));
      await warehouse.logs.landWindow(
        await batchOf(folder, lines, {
          window,
          asked: window,
          columns: served.map(([name]) => ({ name, role: name })),
          amounts: { form: 'currency', unitsPerCurrency: 500_000, decimalsWritten: true },
        }),
      );
      if (judged) await warehouse.tokens.judge('main');
    },
    report: async (name, change = {}) => {
      const { period = month, locale = 'en', account = 'main', deps = {}, definition, facts } = change;
      const covered = await warehouse.logs.watermark(account);
      return buildReport({
        definition: inLocale(definition ?? (await shipped(name)), locale),
        locale,
        warehouse,
        account,
        currency: 'USD',
        zone,
        period: resolvePeriod(period, now, zone, locale),
        deps: { run: { now, ...(covered === undefined ? {} : { covered }) }, ...deps },
        facts: {
          runId: 'run-20261120-080000',
          warnings: [],
          ...(covered === undefined ? {} : { dataSince: covered.start, dataThrough: covered.end }),
          reconciliation: { verdict: 'equal', text: 'The log adds up.', good: true },
          ...facts,
        },
      });
    },
    [Symbol.asyncDispose]: async () => {
      await warehouse[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};

export const keyOf = (id: number, name: string, change: Partial<KeyState> = {}): KeyState =>
  key(id, {
    name,
    keyMask: `sk-${id}…`,
    remainQuota: money('5'),
    createdTime: unixSeconds(Date.UTC(2026, 5, 1) / 1000),
    ...change,
  });

/** Prices for everything, so that every table has every name. */
export const anyPrice: Partial<CubeRequest> = {
  prices: [
    {
      pattern: '*',
      currency: 'USD',
      input: money('3'),
      cached: money('0.3'),
      cache_write: money('3.75'),
      audio_input: money('40'),
      image: money('3'),
      output: money('15'),
      audio_output: money('80'),
    },
  ],
};

export const lastDay = (day: number, hour = 9): number => Date.UTC(2026, 10, 20 - day, hour) / 1000;

const storable = hostileNames.filter((name) => !/\p{Cc}|\p{Cs}/u.test(name));

const amounts = ['1234567.891234567891', '0.000000000001', '98765.4321', '0.0042', '12', '999999999.5'];

/** Models, keys and entries of comparisons with hostile names; a few amounts and counts are huge, a few tiny. */
export const openHostileAccount = async (): Promise<Account> => {
  const account = await openAccount();
  const calls = storable.map((name, at): Call => ({
    at: lastDay(1 + (at % 25)),
    model: name,
    key: storable[(at * 7 + 3) % storable.length] ?? '',
    kind: at % 9 === 8 ? 'refund' : 'consumption',
    prompt: at % 5 === 0 ? 9_007_199_254_740_990 : 90_001 * (at + 1),
    cached: 40_000 * at,
    cacheWrite: 100 * at,
    completion: at % 5 === 1 ? 9_007_199_254_740_990 : 5000 * (at + 1),
    reasoning: 1000 * at,
    audioIn: at,
    audioOut: at,
    image: at,
    charge: at % 9 === 8 ? '-0.5' : (amounts[at % amounts.length] ?? '1'),
  }));
  await account.land(calls);
  // Landed again without a few of them and with another amount: days are restated.
  await account.land(calls.slice(2).map((call, at) => (at === 0 ? { ...call, charge: '7777777.7' } : call)));
  const { warehouse } = account;
  const keys = storable.map((name, at) =>
    keyOf(at + 1, at % 4 === 0 ? (storable[0] ?? '') : name, {
      keyMask: name,
      status: 1 + (at % 4),
      unlimitedQuota: at % 3 === 0,
      expiredTime: at % 2 === 0 ? 'never' : unixSeconds(lastDay(-at)),
    }),
  );
  const takenAt = unixMillis(lastDay(9) * 1000);
  await warehouse.snapshots.land({ account: 'main', takenAt, keys: keys.slice(0, 20) });
  await warehouse.snapshots.land({
    account: 'main',
    takenAt: unixMillis(lastDay(3) * 1000),
    keys: keys.slice(2),
  });
  const range = resolvePeriod(month, now, zone).interval;
  const compared = (source: StoredComparison['source'], entry?: string, at = 0): StoredComparison => ({
    source,
    ...(entry === undefined ? {} : { entry }),
    range,
    ours: money(amounts[at % amounts.length] ?? '1'),
    theirs: money('1234567.891234567891'),
    gap: money('-123456.123456789012'),
    unit: at % 2 === 0 ? 'USD' : 'units',
    verdict: ['unexplained', 'truncated', 'late data', 'refunds', 'currency'][at % 5] ?? '',
    text: 'They differ.',
    comparedAt: now,
  });
  await warehouse.comparisons.put('main', [
    compared('statistics', undefined, 1),
    compared('used_quota', undefined, 2),
    compared('usage by model', undefined, 3),
    compared('usage by key', undefined, 4),
    ...storable.map((name, at) => compared('usage by model', name, at)),
    ...storable.map((name, at) => compared('usage by key', name, at)),
  ]);
  return account;
};
