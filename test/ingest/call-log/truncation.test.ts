import { describe, expect, it } from 'vitest';
import { interval, isFault, money, unknownGateway } from '../../../src/core/index.ts';
import { pullLogs } from '../../../src/ingest/index.ts';
import {
  csvOf,
  chunksOf,
  logSource,
  plainStyle,
  seconds,
  type SourceRow,
  type SourceStyle,
  sumOf,
} from './log-source.ts';
import { base, openIn, pullOf, testFolder, openNew } from '../support.ts';
import { chaosFactor } from '../../support/storm.ts';
import fc from 'fast-check';
import { agreement, matchFigures } from '../../../src/reconcile/index.ts';

const whole = interval(seconds(0), seconds(4_000_000_000));

const rows: readonly SourceRow[] = [
  { at: base, model: 'é', token: 'two\nlines', prompt: 1, quota: '0.5' },
  { at: base + 1, model: 'total', token: '', prompt: 12, quota: '0.25' },
  { at: base + 2, model: 'm', token: '"k"', prompt: 0, quota: '10.125' },
];
const order = ['created_at', 'model_name', 'token_name', 'prompt_tokens', 'quota'];
const charged = '10.875';

/** Outside a storm every seventeenth byte, and each where a line ends. */
const looked = (body: Buffer, bytes: number): boolean =>
  chaosFactor > 1 ||
  bytes % 17 === 0 ||
  bytes === body.length ||
  /[\r\n]/.test(body.toString('latin1', bytes - 2, bytes));

/** What each cut of the export comes to, by the bytes that are left: the sum that landed, or nothing. */
const cutEverywhere = async (
  change: Partial<SourceStyle>,
): Promise<ReadonlyMap<number, string | undefined>> => {
  const style = { ...plainStyle, bom: false, order, ...change };
  const empty = csvOf([], style);
  const body = Buffer.from(csvOf(rows, style));
  await using folder = await testFolder();
  await using warehouse = await openIn(folder);
  const outcomes = new Map<number, string | undefined>();
  for (let bytes = 0; bytes <= body.length; bytes += 1) {
    if (!looked(body, bytes)) continue;
    const account = `cut-${bytes}`;
    const outcome = await pullLogs(
      pullOf(
        folder,
        warehouse,
        {
          fetchLogs: async ({ columns }) => ({
            body: chunksOf(columns.length === 0 ? empty : body.subarray(0, bytes), 7),
          }),
        },
        { account, columns: order, windowSeconds: 86_400 },
      ),
    ).catch((error: unknown) => error);
    if (outcome instanceof Error && !isFault(outcome)) throw outcome;
    const { net, calls } = await warehouse.spend(account, whole);
    if (outcome instanceof Error) expect([bytes, net, calls]).toEqual([bytes, '0', 0]);
    outcomes.set(bytes, outcome instanceof Error ? undefined : net);
  }
  return outcomes;
};

const landed = (outcomes: ReadonlyMap<number, string | undefined>): readonly (string | undefined)[] =>
  [...outcomes.values()].filter((sum) => sum !== undefined);

describe('an export that ends early without an error', () => {
  it('is rejected at every byte except between two rows, where nothing reveals it', async () => {
    for (const newline of ['\n', '\r\n'] as const)
      expect(landed(await cutEverywhere({ newline }))).toEqual(['0', '0.5', '0.75', charged]);
  });

  it('is rejected at every byte when the gateway writes a total line', async () => {
    expect(landed(await cutEverywhere({ total: true }))).toEqual([charged]);
  });

  it('loses only whole rows when the last line has no line break and the time is the last column', async () => {
    const timeLast = ['model_name', 'token_name', 'prompt_tokens', 'quota', 'created_at'];
    const sums = landed(await cutEverywhere({ endsLines: false, order: timeLast }));
    expect(new Set(sums)).toEqual(new Set(['0', '0.5', '0.75', charged]));
  });
});

it('a single time cut off before its offset is requested again and lands in its hour', async () => {
  const timeLast = ['model_name', 'token_name', 'prompt_tokens', 'quota', 'created_at'];
  const ahead = (at: number): string => `${new Date((at + 28_800) * 1000).toISOString().slice(0, 19)}+08:00`;
  const style = { endsLines: false, order: timeLast, time: ahead };
  const lone = { at: base + 5 * 3600, model: 'm', token: 'k', prompt: 1, quota: '0.5' };
  let answers = 0;
  const source = logSource([lone], style, (body, { columns }) => {
    if (columns.length > 0) answers += 1;
    return columns.length > 0 && answers === 1 ? body.slice(0, -'+08:00'.length) : body;
  });
  const { folder, warehouse } = await openNew();
  await pullLogs(pullOf(folder, warehouse, source, { windowSeconds: 86_400 }));
  const itsHour = interval(seconds(lone.at), seconds(lone.at + 3600));
  expect(await warehouse.spend('main', itsHour)).toMatchObject({ calls: 1, net: '0.5' });
  expect(await warehouse.spend('main', whole)).toMatchObject({ calls: 1 });
});

const truncations = 100;

const row: fc.Arbitrary<SourceRow> = fc.record({
  at: fc.integer({ min: base, max: base + 59 }),
  model: fc.constantFrom('gpt-4o', 'a,b', 'é'),
  token: fc.constantFrom('growth-1', 'two\nlines', ''),
  prompt: fc.integer({ min: 0, max: 5000 }),
  quota: fc.integer({ min: 1, max: 999_999 }).map((digits) => `0.${String(digits).padStart(6, '0')}`),
});

const usual = ['created_at', 'model_name', 'token_name', 'prompt_tokens', 'quota'];

const style: fc.Arbitrary<Partial<SourceStyle>> = fc.record({
  newline: fc.constantFrom('\n' as const, '\r\n' as const),
  total: fc.constantFrom(false, false, true),
  endsLines: fc.boolean(),
  // The amount last, which a cut leaves a number; or anywhere.
  order: fc.oneof(fc.constant(usual), fc.shuffledSubarray(usual, { minLength: usual.length })),
});

/** Where the body is cut, the same at each request or at each somewhere else, as a share of it. */
const cut = fc.record({
  at: fc.noBias(fc.integer({ min: 0, max: 9999 })),
  again: fc.option(fc.noBias(fc.integer({ min: 0, max: 9999 }))),
});

/** Whether the gateway's own sum shows that ours is short. */
const sumShows = (ours: string, theirs: string): boolean => {
  const net = money(ours);
  const figure = {
    unit: 'USD',
    kind: 'own' as const,
    perCurrency: money('1'),
    net,
    consumption: net,
    refunds: money('0'),
  };
  return agreement(matchFigures([{ value: money(theirs) }], [figure])) === undefined;
};

it('a pull detects all of 100 random truncations that lose charge when the connection is closed cleanly', async () => {
  const seed = Number(process.env['TOLLKEEPER_TRUNCATION_SEED'] ?? Date.now() % 2 ** 31);
  process.stdout.write(`${truncations} truncations, TOLLKEEPER_TRUNCATION_SEED=${seed}\n`);
  const { folder, warehouse } = await openNew();
  const found = new Map<string, number>();
  const count = (how: string): void => void found.set(how, (found.get(how) ?? 0) + 1);
  const draws = fc.sample(fc.tuple(fc.array(row, { minLength: 1, maxLength: 12 }), style, cut), {
    numRuns: truncations,
    seed,
  });
  for (const [index, [rows, change, { at, again }]] of draws.entries()) {
    const written = { ...plainStyle, bom: false, ...change };
    const body = Buffer.from(csvOf(rows, written));
    const empty = csvOf([], written);
    let calls = 0;
    const fetchLogs = async ({ columns }: { readonly columns: readonly string[] }) => {
      if (columns.length === 0) return { body: chunksOf(empty, 50) };
      calls += 1;
      const share = calls % 2 === 0 ? (again ?? at) : at;
      return { body: chunksOf(body.subarray(0, Math.floor((share / 10_000) * body.length)), 50) };
    };
    const account = `cut-${index}`;
    const request = pullOf(
      folder,
      warehouse,
      { fetchLogs },
      {
        account,
        columns: written.order,
        until: seconds(base + 60),
        windowSeconds: 60,
        profile: { ...unknownGateway, amounts: 'currency' },
      },
    );
    const outcome = await pullLogs(request).catch((error: unknown) => error);
    if (outcome instanceof Error && !isFault(outcome)) throw outcome;
    const { net } = await warehouse.spend(account, whole);
    const charged = sumOf(rows.map(({ quota }) => quota));
    if (isFault(outcome)) {
      expect(net).toBe('0');
      count(outcome.code);
    } else if (net === charged) count('nothing lost');
    else {
      expect([seed, index, net, charged, sumShows(net, charged)]).toEqual([seed, index, net, charged, true]);
      count('sum');
    }
  }
  process.stdout.write(`found by ${JSON.stringify(Object.fromEntries(found))}\n`);
  expect([...found.values()].reduce((sum, times) => sum + times, 0)).toBe(truncations);
  expect(found.get('export-truncated')).toBeGreaterThan(0);
  // What is whole is no truncation: the comparison tells nothing of it.
  expect([sumShows('0.1234', '0.1234'), sumShows('0.12', '0.1234')]).toEqual([false, true]);
});
