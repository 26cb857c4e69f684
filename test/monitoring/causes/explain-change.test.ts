import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { money, multiplyMoney, subtractMoney, sumMoney, zero, type Money } from '../../../src/core/index.ts';
import {
  causeFactors,
  createExplainer,
  type ChangedCell,
  type Usage,
  type Waterfall,
} from '../../../src/monitoring/index.ts';
import type { ClassPrices, TokenClass } from '../../../src/warehouse/index.ts';

const classes = [
  'input_uncached_tokens',
  'input_cache_read_tokens',
  'input_cache_write_tokens',
  'output_plain_tokens',
  'output_reasoning_tokens',
] as const satisfies readonly TokenClass[];

type Tokens = Partial<Record<TokenClass, bigint>>;

const prices: ClassPrices = {
  input_uncached_tokens: money('3'),
  input_cache_read_tokens: money('0.3'),
  input_cache_write_tokens: money('3.75'),
  output_plain_tokens: money('15'),
  output_reasoning_tokens: money('15'),
};

const priced = (tokens: Tokens): Money =>
  sumMoney(classes.map((name) => multiplyMoney(prices[name] ?? zero, money(String(tokens[name] ?? 0n)))));

const usage = (calls: number, tokens: Tokens, charge: Money = priced(tokens), refunds = zero): Usage => ({
  calls,
  tokens,
  charge,
  refunds,
});

const times = (tokens: Tokens, factor: number): Tokens =>
  Object.fromEntries(Object.entries(tokens).map(([name, count]) => [name, (count ?? 0n) * BigInt(factor)]));

const timesUsage = ({ calls, tokens, charge, refunds }: Usage, factor: number): Usage => ({
  calls: calls * factor,
  tokens: times(tokens, factor),
  charge: multiplyMoney(charge, money(String(factor))),
  refunds,
});

const nothing = usage(0, {}, zero);

const amountsOf = ({ parts }: Waterfall): Record<string, string> =>
  Object.fromEntries(
    parts.filter(({ amount }) => amount !== '0').map(({ factor, amount }) => [factor, amount]),
  );

const check = (waterfall: Waterfall, cells: readonly ChangedCell[]): void => {
  const net = (period: 'before' | 'after') =>
    sumMoney(cells.map((cell) => subtractMoney(cell[period].charge, cell[period].refunds)));
  expect(waterfall.change).toBe(subtractMoney(net('after'), net('before')));
  expect(sumMoney(waterfall.parts.map(({ amount }) => amount))).toBe(waterfall.change);
  expect(waterfall.parts.map(({ factor }) => factor)).toEqual([...causeFactors]);
};

const tokens = fc
  .tuple(...classes.map(() => fc.bigInt({ min: 0n, max: 10n ** 15n })))
  .map((counts): Tokens => Object.fromEntries(classes.map((name, at) => [name, counts[at] ?? 0n])));

const amounts = fc
  .bigInt({ min: 0n, max: 10n ** 24n })
  .map((units) => multiplyMoney(money(String(units)), money('1e-12')));

const usages: fc.Arbitrary<Usage> = fc.oneof(
  fc.constant(nothing),
  fc.record({
    calls: fc.integer({ min: 0, max: 1_000_000 }),
    tokens: fc.oneof(tokens, fc.constant({})),
    charge: amounts,
    refunds: fc.oneof(fc.constant(zero), amounts),
  }),
);

const accounts: fc.Arbitrary<readonly ChangedCell[]> = fc.array(
  fc.record({ model: fc.string(), key: fc.string(), before: usages, after: usages }),
  { maxLength: 12 },
);

/** A usage with calls, tokens in every class, and a charge that follows the prices. */
const ordinary = fc
  .record({
    calls: fc.integer({ min: 1, max: 1000 }),
    tokens: fc
      .tuple(...classes.map(() => fc.bigInt({ min: 1n, max: 1_000_000n })))
      .map((counts): Tokens => Object.fromEntries(classes.map((name, at) => [name, counts[at] ?? 1n]))),
  })
  .map(({ calls, tokens: counts }) => usage(calls, counts));

const withChange = (
  befores: readonly Usage[],
  change: (before: Usage, at: number) => Usage,
): readonly ChangedCell[] =>
  befores.map((before, at) => ({ model: `m${at}`, key: `k${at % 2}`, before, after: change(before, at) }));

const several = fc.array(ordinary, { minLength: 1, maxLength: 6 });
const factor = fc.integer({ min: 2, max: 9 });

describe('the parts of a change', () => {
  it('add up to it exactly, whatever the periods and the account are', () => {
    fc.assert(
      fc.property(accounts, fc.boolean(), (cells, known) => {
        check(createExplainer(() => (known ? prices : undefined))(cells), cells);
      }),
    );
  });

  it('that are altered by the smallest unit are found', () => {
    const cells = withChange([usage(1, { output_plain_tokens: 5n })], (before) => timesUsage(before, 2));
    const waterfall = createExplainer(() => prices)(cells);
    check(waterfall, cells);
    const altered = {
      ...waterfall,
      parts: waterfall.parts.map((part) =>
        part.factor === 'mix' ? { ...part, amount: money('0.000000000001') } : part,
      ),
    };
    expect(() => check(altered, cells)).toThrow();
  });

  it('do not depend on the order of models and keys', () => {
    fc.assert(
      fc.property(accounts, (cells) => {
        const amounts = (given: readonly ChangedCell[]) => amountsOf(createExplainer(() => prices)(given));
        expect(amounts(cells.toReversed())).toEqual(amounts(cells));
      }),
    );
  });
});

type Cells = readonly ChangedCell[];

const changed = (change: (before: Usage, by: number) => Usage): fc.Arbitrary<Cells> =>
  fc.tuple(several, factor).map(([befores, by]) => withChange(befores, (before) => change(before, by)));

const one = (usage: Usage): Cells => withChange([usage], () => nothing);
const reversed = (cells: Cells): Cells =>
  cells.map((cell) => ({ ...cell, before: cell.after, after: cell.before }));

const calledLess = fc
  .tuple(ordinary, ordinary, fc.integer({ min: 1, max: 8 }))
  .map(([first, second, moved]): Cells => {
    const each = [timesUsage(first, second.calls), timesUsage(second, first.calls)];
    const befores = each.map((usage) => timesUsage(usage, 9));
    const shares = [9 - moved, 9 + moved];
    return withChange(befores, (_, at) => timesUsage(each[at] ?? first, shares[at] ?? 1));
  });

const [old, now] = [usage(10, { output_plain_tokens: 100n }), usage(10, { output_plain_tokens: 300n })];

/** What only one factor changes, and whether that factor is also found where no price is known. */
const alone: readonly (readonly [
  what: string,
  factor: string,
  cells: fc.Arbitrary<Cells>,
  withoutPrices?: boolean,
])[] = [
  ['begins', 'volume', several.map((befores) => reversed(befores.flatMap(one)))],
  ['ends', 'volume', several.map((befores) => withChange(befores, () => nothing))],
  ['moves its calls between models and keys', 'mix', calledLess],
  [
    'replaces one model with another at the same number of calls',
    'mix',
    fc.constant([
      { model: 'old', key: 'k', before: old, after: nothing },
      { model: 'new', key: 'k', before: nothing, after: now },
    ]),
  ],
  [
    'has longer output',
    'length',
    changed(({ calls, tokens: counts }, by) =>
      usage(calls, { ...counts, output_plain_tokens: (counts.output_plain_tokens ?? 0n) * BigInt(by) }),
    ),
  ],
  [
    'caches another share of its input',
    'cache',
    changed(({ calls, tokens: { input_uncached_tokens: uncached = 0n, ...counts } }) =>
      usage(calls, { ...counts, input_cache_read_tokens: (counts.input_cache_read_tokens ?? 0n) + uncached }),
    ),
  ],
  [
    'pays more for the same calls',
    'price',
    changed((before, by) => ({ ...before, charge: multiplyMoney(before.charge, money(String(by))) })),
  ],
  [
    'adds calls without tokens',
    'fixed-price',
    fc.tuple(several, amounts).map(([befores, charge]) => {
      const images = { before: usage(1, {}, money('1')), after: usage(4, {}, charge) };
      return [...withChange(befores, (before) => before), { model: 'image', key: 'k', ...images }];
    }),
  ],
  [
    'has an export that lacks tokens in one of the periods',
    'unstated-tokens',
    fc.tuple(several, fc.boolean()).map(([befores, isLater]) => {
      const lacking = withChange(befores, (before) => ({
        ...before,
        tokens: { output_plain_tokens: before.tokens.output_plain_tokens ?? 1n },
        charge: multiplyMoney(before.charge, money('2')),
        unstatedCalls: 1,
      }));
      return isLater ? lacking : reversed(lacking);
    }),
  ],
  [
    'gets refunds',
    'refunds',
    fc
      .tuple(several, amounts)
      .map(([befores, refunds]) => withChange(befores, (before) => ({ ...before, refunds }))),
  ],
  ['grows all its calls by the same ratio', 'volume', changed(timesUsage), true],
  [
    'has more tokens in each call',
    'length',
    changed((before, by) => ({ ...timesUsage(before, by), calls: before.calls })),
    true,
  ],
];

it.each(
  alone.map(([what, factor, cells, withoutPrices = false]) => [what, factor, cells, withoutPrices] as const),
)('the change of an account that %s shows as %s alone', (_what, expected, drawn, withoutPrices) => {
  const known = [() => prices, ...(withoutPrices ? [() => undefined] : [])];
  fc.assert(
    fc.property(drawn, fc.constantFrom(...known), (cells, pricesOf) => {
      const waterfall = createExplainer(pricesOf)(cells);
      check(waterfall, cells);
      expect(amountsOf(waterfall)).toEqual(waterfall.change === '0' ? {} : { [expected]: waterfall.change });
    }),
  );
});

describe('the contributor to a part', () => {
  const contributorTo = (cells: readonly ChangedCell[], factor: string, days = 1) =>
    createExplainer(() => prices, days)(cells).parts.find((part) => part.factor === factor)?.contributor;
  const output = (calls: number, tokens: bigint): Usage => usage(calls, { output_plain_tokens: tokens });
  const change = (model: string, key: string, before: Usage, after: Usage): ChangedCell => ({
    model,
    key,
    before,
    after,
  });

  it('is the model and key with the largest contribution in the direction of the part', () => {
    const cells = [
      change('a', 'k', output(10, 10n), output(10, 30n)),
      change('b', 'k', output(10, 10n), output(10, 60n)),
      change('c', 'k', output(10, 20n), output(10, 10n)),
    ];
    expect(contributorTo(cells, 'length')).toEqual({ model: 'b', key: 'k', amount: '750' });
  });

  it('of fewer calls is never a model and key that made more calls', () => {
    // The most expensive pair makes more calls, in a share that shrinks with the total.
    const cells = [
      change('atlas', 'prod', output(686, 6860n), output(722, 7220n)),
      change('lyra', 'batch', output(1000, 8000n), output(500, 4000n)),
    ];
    expect(contributorTo(cells, 'volume')).toEqual({ model: 'lyra', key: 'batch', amount: '-60000' });
  });

  it('of calls has its own calls at its own earlier cost as its amount, also against an average of days', () => {
    const cells = [
      change('a', 'k', output(20, 200n), output(30, 300n)),
      change('b', 'k', output(10, 10n), output(10, 10n)),
    ];
    expect(contributorTo(cells, 'volume')).toEqual({ model: 'a', key: 'k', amount: '1500' });
    expect(contributorTo(cells, 'volume', 2)).toEqual({ model: 'a', key: 'k', amount: '3000' });
  });

  it('is a model or a key alone where no pair accounts for a quarter', () => {
    const ofMany = (model: (at: number) => string, key: (at: number) => string): readonly ChangedCell[] =>
      Array.from({ length: 5 }, (_, at) => change(model(at), key(at), output(1, 10n), output(2, 20n)));
    const one = ofMany(
      () => 'a',
      (at) => `k${at}`,
    );
    expect(contributorTo(one, 'volume')).toEqual({ model: 'a', amount: '750' });
    const other = ofMany(
      (at) => `m${at}`,
      () => 'k',
    );
    expect(contributorTo(other, 'volume')).toEqual({ key: 'k', amount: '750' });
    const none = ofMany(
      (at) => `m${at}`,
      (at) => `k${at}`,
    );
    expect(contributorTo(none, 'volume')).toBeUndefined();
  });

  it('of longer calls is no model with a key whose calls are shorter', () => {
    const cells = [
      ...Array.from({ length: 5 }, (_, at) => change('a', `k${at}`, output(1, 10n), output(1, 20n))),
      change('a', 'k5', output(1, 10n), output(1, 9n)),
    ];
    expect(contributorTo(cells.slice(0, 5), 'length')).toEqual({ model: 'a', amount: '750' });
    expect(contributorTo(cells, 'length')).toBeUndefined();
  });

  it('of a shift states whether its share of the calls is larger', () => {
    const cells = [
      change('dear', 'k', output(10, 1000n), output(5, 500n)),
      change('cheap', 'k', output(10, 10n), output(15, 15n)),
    ];
    expect(contributorTo(cells, 'mix')).toMatchObject({ model: 'cheap', state: 'larger-share' });
    expect(contributorTo(cells.slice(0, 1), 'mix')).toBeUndefined();
  });

  it('of refunds is not called new where a refund of the earlier period is gone', () => {
    const refunded = change('a', 'k', usage(0, {}, zero, money('5')), nothing);
    expect(contributorTo([refunded], 'refunds')).toEqual({
      model: 'a',
      key: 'k',
      amount: '5',
      state: 'gone',
    });
  });

  it('of refunds is not called gone where a refund follows the calls of the earlier period', () => {
    const refunded = change('a', 'k', output(3, 10n), usage(0, {}, zero, money('5')));
    expect(contributorTo([refunded], 'refunds')).toEqual({ model: 'a', key: 'k', amount: '-5' });
    expect(contributorTo([refunded], 'volume')).toMatchObject({ state: 'gone' });
  });
});

it('a rounding is no cause: without another price of a token, no part is a price', () => {
  const sized = fc.record({
    calls: fc.integer({ min: 1, max: 99 }),
    count: fc.bigInt({ min: 1n, max: 999n }),
  });
  const priceOne = ({ calls, count }: { calls: number; count: bigint }): Usage =>
    usage(calls, { output_plain_tokens: count }, money(String(count)));
  fc.assert(
    fc.property(fc.array(fc.tuple(sized, sized), { minLength: 2, maxLength: 5 }), (pairs) => {
      const cells = pairs.map(([before, after], at) => ({
        model: `m${at}`,
        key: 'k',
        before: priceOne(before),
        after: priceOne(after),
      }));
      const waterfall = createExplainer(() => undefined)(cells);
      check(waterfall, cells);
      expect(amountsOf(waterfall)).not.toHaveProperty('price');
    }),
  );
});
