import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cachePriceOf, reasoningPriceOf, type PricedCall } from '../../../src/warehouse/tokens/part-price.ts';
import { once } from '../../support/storm.ts';

type Use = { readonly text: number; readonly cached: number; readonly write: number; readonly out: number };

type Prices = Use & { readonly call: number };

const use: fc.Arbitrary<Use> = fc.record({
  text: fc.integer({ min: 1, max: 20_000 }),
  cached: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 20_000 })),
  write: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5000 })),
  out: fc.integer({ min: 0, max: 3000 }),
});

/** What vendors do: text has a price, cached tokens cost some of it or the same, writing may cost more. */
const prices: fc.Arbitrary<Prices> = fc
  .record({
    text: fc.integer({ min: 1, max: 20_000 }),
    cachedPart: fc.double({ min: 0, max: 1, noNaN: true }),
    writePart: fc.double({ min: 0, max: 2, noNaN: true }),
    out: fc.integer({ min: 0, max: 50_000 }),
    call: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1_000_000 })),
  })
  .map(({ text, cachedPart, writePart, out, call }) => ({
    text,
    cached: Math.round(text * cachedPart),
    write: Math.round(text * writePart),
    out,
    call,
  }));

const charged = (one: Use, price: Prices): number =>
  one.text * price.text +
  one.cached * price.cached +
  one.write * price.write +
  one.out * price.out +
  price.call;

const promptOf = (one: Use, includes: boolean): number =>
  includes ? one.text + one.cached + one.write : one.text;

const callsOf = (uses: readonly Use[], includes: boolean, chargeOf: (one: Use) => number): PricedCall[] =>
  uses.map((one) => ({
    counts: [promptOf(one, includes), one.cached, one.write, one.out],
    charge: chargeOf(one),
  }));

const nameOf = (includes: boolean) => (includes ? 'includes_cache' : 'excludes_cache');

/** Uses of all sizes, without chance. */
const manyUses: readonly Use[] = Array.from({ length: 80 }, (_, at) => ({
  text: 500 + ((at * 7919) % 9000),
  cached: at % 3 === 0 ? 0 : 128 * (1 + ((at * 31) % 40)),
  write: at % 5 === 0 ? 1024 + at : 0,
  out: 20 + ((at * 523) % 700),
}));

const usual: Prices = { text: 300, cached: 30, write: 375, out: 1500, call: 0 };

describe('the convention derived from charges', () => {
  it.each([true, false])('is the convention of the prompt (includes the cache: %s)', (includes) => {
    const shown = cachePriceOf(
      callsOf(manyUses, includes, (one) => charged(one, usual)),
      1,
    );
    expect(shown?.shows).toBe(nameOf(includes));
    expect(shown?.whole.value).toBeCloseTo(300, 3);
    expect(shown?.part.value).toBeCloseTo(includes ? -270 : 30, 3);
    expect(shown?.calls).toBe(80);
  });

  it('needs twenty calls more than there are prices', () => {
    const shown = (count: number) =>
      cachePriceOf(
        callsOf(manyUses.slice(0, count), true, (one) => charged(one, usual)),
        1,
      )?.shows;
    expect([shown(24), shown(25)]).toEqual([undefined, 'includes_cache']);
  });

  it('is never wrong for any vendor prices and rounding', () => {
    fc.assert(
      fc.property(
        fc.array(use, { minLength: 25, maxLength: 80 }),
        prices,
        fc.boolean(),
        fc.constantFrom(1, 10, 200, 10_000, 1_000_000),
        fc.constantFrom(Math.round, Math.floor, Math.ceil),
        (uses, price, includes, unit, rounded) => {
          const calls = callsOf(uses, includes, (one) => rounded(charged(one, price) / unit));
          expect([undefined, nameOf(includes)]).toContain(cachePriceOf(calls, 1)?.shows);
        },
      ),
      { numRuns: once(400) },
    );
  });

  it('is found nearly always when cached tokens are cheaper and all columns are exported', () => {
    let found = 0;
    fc.assert(
      fc.property(prices, fc.boolean(), (price, includes) => {
        const cheaper = { ...price, text: price.text + 20, cached: Math.ceil(price.text / 10) + 1 };
        const calls = callsOf(manyUses, includes, (one) => charged(one, cheaper));
        const shown = cachePriceOf(calls, 1);
        expect([undefined, nameOf(includes)]).toContain(shown?.shows);
        if (shown !== undefined) found += 1;
      }),
      { numRuns: 100 },
    );
    expect(found).toBeGreaterThan(95);
  });

  it.each([
    ['prices go by tiers', (one: Use) => charged(one, usual) * (one.text + one.cached > 8000 ? 2 : 1)],
    ['something is charged that no column tells', (one: Use) => charged(one, usual) + (one.out % 7) * 1000],
    ['cached tokens cost as much as others', (one: Use) => charged(one, { ...usual, cached: 300 })],
    ['prompts cost nothing', (one: Use) => one.out * 1500],
  ])('is undecided when %s', (_, chargeOf) => {
    expect(cachePriceOf(callsOf(manyUses, true, chargeOf), 1)).toBeUndefined();
  });

  it('is undecided when cached tokens are free and additional, or constant', () => {
    const free = callsOf(manyUses, false, (one) => charged(one, { ...usual, cached: 0 }));
    expect(cachePriceOf(free, 1)).toBeUndefined();
    const same = manyUses.map((one) => ({ ...one, cached: 1024 }));
    expect(
      cachePriceOf(
        callsOf(same, true, (one) => charged(one, usual)),
        1,
      ),
    ).toBeUndefined();
  });

  it('is undecided for no call and for a few that are repeated', () => {
    const few = callsOf(manyUses.slice(0, 20), true, (one) => charged(one, usual));
    const again = Array.from({ length: 10 }, () => few).flat();
    expect(cachePriceOf(again, 1)).toBeUndefined();
    expect(cachePriceOf([], 1)).toBeUndefined();
  });
});

type Thought = { readonly text: number; readonly plain: number; readonly reasoning: number };

const thoughts: readonly Thought[] = Array.from({ length: 80 }, (_, at) => ({
  text: 500 + ((at * 7919) % 9000),
  plain: 20 + ((at * 523) % 700),
  reasoning: at % 4 === 0 ? 0 : 10 + ((at * 311) % 1500),
}));

const thoughtCalls = (
  includes: boolean,
  chargeOf: (one: Thought) => number,
  uses: readonly Thought[] = thoughts,
): PricedCall[] =>
  uses.map((one) => ({
    counts: [includes ? one.plain + one.reasoning : one.plain, one.reasoning, one.text],
    charge: chargeOf(one),
  }));

const asOutput = (one: Thought): number => one.text * 300 + (one.plain + one.reasoning) * 1500;

describe('the convention of reasoning tokens derived from charges', () => {
  it.each([true, false])('is whether the completion includes them (includes reasoning: %s)', (includes) => {
    const shown = reasoningPriceOf(thoughtCalls(includes, asOutput), 1);
    expect(shown?.shows).toBe(includes ? 'includes_reasoning' : 'excludes_reasoning');
    expect(shown?.part.value).toBeCloseTo(includes ? 0 : 1500, 3);
  });

  it('is that the completion includes them when they are cheaper there', () => {
    const cheaper = (one: Thought): number => one.text * 300 + one.plain * 1500 + one.reasoning * 600;
    expect(reasoningPriceOf(thoughtCalls(true, cheaper), 1)?.shows).toBe('includes_reasoning');
  });

  it('is undecided when reasoning costs less than output but not nothing, or more than output', () => {
    for (const price of [600, 2400])
      expect(
        reasoningPriceOf(
          thoughtCalls(false, (one) => one.text * 300 + one.plain * 1500 + one.reasoning * price),
          1,
        ),
      ).toBeUndefined();
  });

  it('is undecided when reasoning rises and falls with the completion', () => {
    const even = thoughts.map((one) => ({ ...one, reasoning: one.plain * 2 }));
    expect(reasoningPriceOf(thoughtCalls(false, asOutput, even), 1)).toBeUndefined();
  });

  it('is never wrong when vendors charge reasoning as output, for any rounding', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            text: fc.integer({ min: 1, max: 20_000 }),
            plain: fc.integer({ min: 1, max: 3000 }),
            reasoning: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 6000 })),
          }),
          { minLength: 25, maxLength: 80 },
        ),
        fc.integer({ min: 1, max: 20_000 }),
        fc.integer({ min: 1, max: 50_000 }),
        fc.boolean(),
        fc.constantFrom(1, 10, 200, 10_000, 1_000_000),
        fc.constantFrom(Math.round, Math.floor, Math.ceil),
        (uses, text, output, includes, unit, rounded) => {
          const chargeOf = (one: Thought): number =>
            rounded((one.text * text + (one.plain + one.reasoning) * output) / unit);
          expect([undefined, includes ? 'includes_reasoning' : 'excludes_reasoning']).toContain(
            reasoningPriceOf(thoughtCalls(includes, chargeOf, uses), 1)?.shows,
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});
