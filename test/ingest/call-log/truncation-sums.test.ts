import fc from 'fast-check';
import { expect, it } from 'vitest';
import { interval, isFault, money, unknownGateway } from '../../../src/core/index.ts';
import { pullLogs } from '../../../src/ingest/index.ts';
import {
  chunksOf,
  csvOf,
  plainStyle,
  seconds,
  sumOf,
  type SourceRow,
  type SourceStyle,
} from './log-source.ts';
import { base, pullOf, openNew } from '../support.ts';
import { agreement, matchFigures } from '../../../src/reconcile/index.ts';

const truncations = 100;
const whole = interval(seconds(0), seconds(4_000_000_000));

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
