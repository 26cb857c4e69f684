import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  absoluteMoney,
  addMoney,
  compareMoney,
  interval,
  money,
  multiplyMoney,
  roundMoney,
  subtractMoney,
  sumMoney,
  unixMillis,
  unixSeconds,
  zero,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../src/core/index.ts';
import { agreedWhenLanded, settledThrough } from '../../src/ingest/index.ts';
import type { KnownGap, StoredComparison } from '../../src/warehouse/index.ts';
import {
  agreement,
  asBalance,
  bucketsIn,
  concludeComparisons,
  figuresOf,
  gapOf,
  isBad,
  isGood,
  judgeGaps,
  matchFigures,
  nameGap,
  describeComparison,
  type LogSums,
  type Vote,
} from '../../src/reconcile/index.ts';
import { once } from '../support/storm.ts';

/** An amount of so many hundred-millionths. */
const grains = (count: number): Money => money(`${count}e-8`);

const sumsOf = (calls: readonly number[], refunded: readonly number[]): LogSums => {
  const consumption = sumMoney(calls.map(grains));
  const refunds = sumMoney(refunded.map(grains));
  return {
    consumption,
    refunds,
    net: subtractMoney(consumption, refunds),
    topUps: zero,
    rows: calls.length + refunded.length,
  };
};

const calls = fc.array(fc.integer({ min: 1, max: 400_000_000 }), { minLength: 1, maxLength: 40 });
const refunds = fc.array(fc.integer({ min: 1, max: 50_000_000 }), { maxLength: 4 });
const rate = money('7.13');

const deps = {
  currency: 'USD',
  unitsPerCurrency: 500_000,
  isCurrency: true,
  others: [{ name: 'CNY', perCurrency: rate }],
};

/** What a gateway shows of the sum, in its unit and with refunds taken off or not. */
const shown = (sums: LogSums, unit: string, takesOff: boolean): Money => {
  const sum = takesOff ? sums.net : sums.consumption;
  return multiplyMoney(sum, money({ USD: '1', CNY: '7.13', units: '500000' }[unit] ?? '1'));
};

const cutOff = (amount: Money, places: number): Money => {
  const [whole = '0', fraction = ''] = amount.split('.');
  return money(`${whole}.${fraction.slice(0, places)}0`);
};

describe('a figure of another source', () => {
  it('never equals a log of rounded amounts, and fits it within half of the last decimal of each row', () => {
    const sums = { ...sumsOf([], []), net: money('5.96'), consumption: money('5.96'), rows: 4 };
    const figures = figuresOf(sums, { ...deps, roundAmounts: 12 });
    const fitOf = (value: string) => matchFigures([{ value: money(value), places: 20 }], figures).fit;
    expect(fitOf('5.96')).toBe('rounding');
    expect(fitOf('5.960000000002')).toBe('rounding');
    expect(fitOf('5.9600000000021')).toBeUndefined();
  });

  it('gets the verdict for its difference in any unit, with any refunds and rounding', () => {
    fc.assert(
      fc.property(
        calls,
        refunds,
        fc.constantFrom('USD', 'CNY', 'units'),
        fc.boolean(),
        fc.constantFrom('as it is', 'rounded', 'cut off'),
        fc.integer({ min: 4, max: 7 }),
        (spent, given, unit, takesOff, writing, places) => {
          const sums = sumsOf(spent, given);
          const whole = shown(sums, unit, takesOff);
          const value =
            writing === 'as it is'
              ? whole
              : writing === 'rounded'
                ? money(roundMoney(whole, places))
                : cutOff(whole, places);
          // A sum as small as the rounding fits in any unit.
          fc.pre(compareMoney(absoluteMoney(takesOff ? sums.net : sums.consumption), money('0.01')) > 0);
          // Where refunds are as small as the rounding, both sums fit.
          fc.pre(sums.refunds === zero || compareMoney(sums.refunds, money('0.001')) > 0);
          const match = matchFigures([{ value, places }], figuresOf(sums, deps));
          const expected =
            unit !== 'USD'
              ? ['currency']
              : !takesOff && sums.refunds !== zero
                ? ['refunds']
                : value === whole
                  ? ['equal']
                  : ['rounding'];
          expect(expected).toContain(agreement(match));
          expect(match.figure.unit).toBe(unit);
          expect(match.refunds).toBe(
            sums.refunds === zero ? undefined : takesOff ? 'taken off' : 'not taken off',
          );
          expect(addMoney(match.ours, match.gap)).toBe(value);
        },
      ),
      // A negative sum, cut off towards zero.
      { examples: [[[1], [6_475_002], 'USD', true, 'cut off', 4]] },
    );
  });

  it('never agrees where calls are missing or too many, in any unit', () => {
    fc.assert(
      fc.property(
        calls,
        refunds,
        fc.constantFrom('USD', 'CNY', 'units'),
        fc.boolean(),
        fc.array(fc.integer({ min: 20_000, max: 400_000_000 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        (spent, given, unit, takesOff, planted, isMissing) => {
          const whole = sumsOf([...spent, ...planted], given);
          const part = sumsOf(spent, given);
          const [theirs, ours] = isMissing ? [whole, part] : [part, whole];
          const gap = sumMoney(planted.map(grains));
          // What was planted may happen to be what was refunded.
          fc.pre(compareMoney(absoluteMoney(subtractMoney(gap, ours.refunds)), money('0.001')) > 0);
          const value = shown(theirs, unit, takesOff);
          const known = { unit, refunds: takesOff ? ('taken off' as const) : ('not taken off' as const) };
          const match = matchFigures([{ value, places: 8 }], figuresOf(ours, deps), known);
          expect(agreement(match)).toBeUndefined();
          expect(match.figure.unit).toBe(unit);
          expect(compareMoney(match.gap, zero)).toBe(isMissing ? 1 : -1);
          const vote: Vote = { range: rangeOf(0, 10), verdict: 'unexplained', match };
          expect(nameGap(vote, [])).toBe(isMissing ? 'truncated' : 'unexplained');
        },
      ),
    );
  });

  it('is compared under every reading, and one match is enough', () => {
    const figures = figuresOf(sumsOf([250_000_000], []), deps);
    const readings = ['2.6', '2.5'].map((value) => ({ value: money(value) }));
    expect(agreement(matchFigures(readings, figures))).toBe('equal');
    expect(agreement(matchFigures(readings.slice(0, 1), figures))).toBeUndefined();
    expect(matchFigures([], figures)).toMatchObject({ fit: undefined, gap: '-2.5' });
    expect(agreement(matchFigures([{ value: zero }], figuresOf(sumsOf([], []), deps)))).toBe('equal');
  });

  it('with few decimals counts as rounded only after enough figures showed it', () => {
    const figures = figuresOf(sumsOf([225_431_000], []), deps);
    const reading = { value: money('2.25') };
    expect(agreement(matchFigures([reading], figures))).toBeUndefined();
    expect(agreement(matchFigures([{ ...reading, places: 2, isPlacesKnown: true }], figures))).toBe(
      'rounding',
    );
    expect(
      agreement(matchFigures([{ ...reading, places: 3, isPlacesKnown: true }], figures)),
    ).toBeUndefined();
  });

  it('that is a difference of two four-digit amounts may be off by the last place, and no more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 ** 12 }),
        calls,
        fc.constantFrom('rounded', 'cut off'),
        (before, spent, writing) => {
          const sums = sumsOf(spent, []);
          const write = (amount: Money): Money =>
            writing === 'rounded' ? money(roundMoney(amount, 4)) : cutOff(amount, 4);
          const first = grains(before);
          const value = subtractMoney(write(addMoney(first, sums.net)), write(first));
          const reading = { value, isDifference: true };
          expect(['equal', 'rounding']).toContain(agreement(matchFigures([reading], figuresOf(sums, deps))));
          const more = { ...reading, value: addMoney(value, money('0.0003')) };
          expect(agreement(matchFigures([more], figuresOf(sums, deps)))).toBeUndefined();
        },
      ),
    );
  });

  it('for the balance falls by charges and rises by top-ups', () => {
    const sums = { ...sumsOf([300_000_000], [100_000_000]), topUps: money('50') };
    const change = { value: money('48'), isDifference: true };
    expect(agreement(matchFigures([change], figuresOf(asBalance(sums), deps)))).toBe('equal');
    expect(
      agreement(matchFigures([{ ...change, value: money('-2') }], figuresOf(asBalance(sums), deps))),
    ).toBeUndefined();
  });

  it('is described in one sentence with both figures', () => {
    fc.assert(
      fc.property(calls, refunds, fc.integer({ min: 0, max: 400_000_000 }), (spent, given, theirs) => {
        const sums = sumsOf(spent, given);
        const match = matchFigures([{ value: grains(theirs) }], figuresOf(sums, deps));
        const open = ['late data', 'truncated', 'unexplained'] as const;
        for (const verdict of [agreement(match) ?? 'unexplained', ...open]) {
          const text = describeComparison({ source: 'statistics', verdict, match });
          expect(text).toContain(match.reading);
          expect(text).toMatch(/^[A-Z].*\.$/);
          expect(text).not.toContain('..');
          if (verdict === 'unexplained') expect(text).toContain(gapOf(match));
        }
      }),
    );
  });
});

const rangeOf = (start: number, end: number): Interval<UnixSeconds> =>
  interval(unixSeconds(start), unixSeconds(end));

describe('an unexplained gap', () => {
  const matched = (ours: number, theirs: number) =>
    matchFigures(
      [{ value: grains(theirs), places: 8 }],
      figuresOf(sumsOf([ours], []), { ...deps, others: [] }),
    );
  const vote = (ours: number, theirs: number, start = 0, end = 10): Vote => {
    const match = matched(ours, theirs);
    return { range: rangeOf(start, end), match, verdict: agreement(match) ?? 'unexplained' };
  };
  const short = vote(100_000_000, 150_000_000);

  it.each([
    ['truncated', short, []],
    ['truncated', short, [vote(100_000_000, 151_000_000)]],
    ['unexplained', short, [vote(100_000_000, 100_000_000)]],
    ['unexplained', short, [vote(100_000_000, 90_000_000)]],
    ['unexplained', vote(100_000_000, 90_000_000), [vote(100_000_000, 90_000_000)]],
    // What agrees over a part of the span says nothing about the rest.
    ['truncated', short, [vote(50_000_000, 50_000_000, 0, 5)]],
    ['unexplained', vote(100_000_000, 150_000_000, 2, 5), [vote(70_000_000, 70_000_000)]],
    ['truncated', short, [{ ...vote(100_000_000, 90_000_000), verdict: 'late data' as const }]],
    // The balance falls by what the log lacks.
    ['truncated', short, [{ ...vote(100_000_000, 50_000_000), isFalling: true }]],
    ['unexplained', short, [{ ...vote(100_000_000, 150_000_000), isFalling: true }]],
  ] as const)('is %s', (expected, open, others) => {
    expect(nameGap(open, others)).toBe(expected);
  });

  it('comes first in the conclusion', () => {
    const one = (verdict: string, text: string, entry?: string) => ({
      verdict,
      text,
      ...(entry === undefined ? {} : { entry }),
    });
    const found = [one('equal', 'Fine.'), one('late data', 'Late.'), one('unexplained', 'Why.', 'gpt')];
    expect(concludeComparisons(found, 0)).toContain('Why.');
    expect(concludeComparisons([...found, one('truncated', 'Short.')], 0)).toContain('Short.');
    expect(concludeComparisons(found.slice(0, 2), 0)).toContain('Late.');
    expect(concludeComparisons(found.slice(0, 1), 0)).toContain('agrees with the one source');
    expect(concludeComparisons([], 0)).toBe('Nothing could be compared.');
    expect(['truncated', 'unexplained'].every((verdict) => isBad(verdict) && !isGood(verdict))).toBe(true);
    expect([isBad('late data'), isGood('late data')]).toEqual([false, false]);
  });
});

describe('a gap found by a pull', () => {
  const at = unixMillis(1000);
  type More = Partial<StoredComparison>;
  const total = (verdict: string, start: number, end: number, gap: string, more: More = {}) =>
    ({
      source: 'statistics',
      range: rangeOf(start, end),
      ours: zero,
      theirs: money(gap),
      gap: money(gap),
      unit: 'USD',
      verdict,
      text: 'Words.',
      comparedAt: at,
      ...more,
    }) satisfies StoredComparison;
  /** What is noted after one pull after the other, and how many gaps each brought. */
  const pulls = (...found: readonly (readonly StoredComparison[])[]) => {
    let known: readonly KnownGap[] = [];
    const brought = found.map((one) => {
      const changed = judgeGaps(one, known, at);
      const isSame = (left: KnownGap, right: KnownGap) =>
        left.source === right.source &&
        left.range.start === right.range.start &&
        left.range.end === right.range.end;
      const kept = known.map((gap) => changed.find((next) => isSame(gap, next)) ?? gap);
      const fresh = changed.filter((next) => !known.some((gap) => isSame(gap, next)));
      known = [...kept, ...fresh];
      return fresh.length;
    });
    return { brought, states: known.map(({ state }) => state) };
  };
  const short = total('truncated', 10, 20, '5');

  it('is reported once while it lasts, and again only after the source agreed in between', () => {
    expect(pulls([short], [total('truncated', 20, 30, '7')], [total('unexplained', 30, 40, '-7')])).toEqual({
      brought: [1, 0, 0],
      states: ['open'],
    });
    expect(pulls([short], [total('equal', 20, 30, '0')], [total('truncated', 30, 40, '7')])).toEqual({
      brought: [1, 0, 1],
      states: ['passed', 'open'],
    });
    // That an earlier day agrees says nothing about today.
    expect(pulls([short], [total('equal', 0, 10, '0')], [total('truncated', 20, 30, '7')]).brought).toEqual([
      1, 0, 0,
    ]);
  });

  it('is not reported again for a longer interval or another source, but a larger gap is', () => {
    const passed = [[short], [total('rounding', 20, 30, '0.00001')]];
    expect(pulls(...passed, [total('truncated', 0, 30, '5')]).brought).toEqual([1, 0, 0]);
    expect(pulls(...passed, [total('truncated', 0, 30, '9')]).brought).toEqual([1, 0, 1]);
    const usage = { source: 'usage by model' } as const;
    expect(pulls([short], [total('truncated', 0, 30, '5.0004', usage)]).brought).toEqual([1, 0]);
    expect(pulls([short], [total('truncated', 0, 30, '9', usage)]).brought).toEqual([1, 1]);
    expect(pulls([short], [total('truncated', 20, 30, '5', usage)]).brought).toEqual([1, 1]);
    expect(pulls([short], [total('truncated', 0, 30, '35', { ...usage, unit: 'CNY' })]).brought).toEqual([
      1, 0,
    ]);
    // Those of one pull are told of together.
    expect(pulls([short, total('truncated', 10, 20, '5', usage)]).brought).toEqual([2]);
  });

  it('is resolved when its whole interval agrees, and is reported when it returns', () => {
    expect(pulls([short], [total('equal', 10, 20, '0')], [short]).states).toEqual(['open']);
    expect(pulls([short], [total('late data', 0, 20, '1')]).states).toEqual(['healed']);
    expect(pulls([short], [total('late data', 20, 30, '1')]).states).toEqual(['open']);
    expect(pulls([short], [total('equal', 0, 30, '0')], [total('truncated', 12, 18, '5')]).brought).toEqual([
      1, 0, 1,
    ]);
    expect(pulls([{ ...short, entry: 'gpt' }]).brought).toEqual([0]);
  });
});

describe('settled time', () => {
  const landing = (start: number, end: number, at: number) => ({
    window: rangeOf(start, end),
    landedAt: unixMillis(at * 1000),
  });

  it('is time landed at least ten minutes later, without a gap', () => {
    const range = rangeOf(1000, 5000);
    expect(settledThrough(range, [])).toBe(1000);
    expect(settledThrough(range, [landing(0, 6000, 6000)])).toBe(5000);
    expect(settledThrough(range, [landing(0, 5000, 5000)])).toBe(4400);
    expect(settledThrough(range, [landing(0, 5000, 5000), landing(4000, 5000, 9000)])).toBe(5000);
    expect(settledThrough(range, [landing(0, 2000, 9000), landing(2001, 5000, 9000)])).toBe(2000);
  });

  it('agreed at landing only where nothing landed since', () => {
    const range = rangeOf(0, 100);
    const agreed = (start: number, end: number, at: number) => ({
      range: rangeOf(start, end),
      comparedAt: unixMillis(at * 1000),
    });
    expect(agreedWhenLanded(range, [agreed(0, 60, 70), agreed(60, 100, 110)], [landing(0, 100, 50)])).toBe(
      true,
    );
    expect(agreedWhenLanded(range, [agreed(0, 60, 70)], [landing(0, 100, 50)])).toBe(false);
    expect(agreedWhenLanded(range, [agreed(0, 100, 70)], [landing(90, 95, 71)])).toBe(false);
    expect(agreedWhenLanded(range, [], [])).toBe(false);
  });
});

describe('buckets of usage', () => {
  const at = (text: string): number => Date.parse(text) / 1000;
  const shownBuckets = (
    from: string,
    to: string,
    seen: readonly string[],
    granularity: 'hour' | 'day' | 'week',
    zone: string,
  ) =>
    bucketsIn(
      rangeOf(at(from), at(to)),
      seen.map((text) => unixMillis(at(text) * 1000)),
      granularity,
      zone,
    ).map(({ start, end }) =>
      [start, end].map((moment) => new Date(moment * 1000).toISOString().slice(0, 16)),
    );

  it('lie completely in the interval, on the days of the zone, across a DST change', () => {
    expect(shownBuckets('2026-10-23T00:00Z', '2026-10-26T12:00Z', [], 'day', 'Europe/Berlin')).toEqual([
      ['2026-10-23T22:00', '2026-10-24T22:00'],
      ['2026-10-24T22:00', '2026-10-25T23:00'],
    ]);
    expect(shownBuckets('2026-10-23T00:30Z', '2026-10-23T03:00Z', [], 'hour', 'Asia/Shanghai')).toEqual([
      ['2026-10-23T01:00', '2026-10-23T02:00'],
      ['2026-10-23T02:00', '2026-10-23T03:00'],
    ]);
  });

  it('start where the received buckets start when the zone differs from the configured one', () => {
    const seen = ['2026-10-23T22:00Z', '2026-10-25T23:00Z'];
    expect(shownBuckets('2026-10-22T00:00Z', '2026-10-27T00:00Z', seen, 'day', 'UTC')).toEqual([
      ['2026-10-22T22:00', '2026-10-23T22:00'],
      ['2026-10-23T22:00', '2026-10-24T22:00'],
      ['2026-10-24T22:00', '2026-10-25T23:00'],
      ['2026-10-25T23:00', '2026-10-26T23:00'],
    ]);
  });

  it('are contiguous and stay inside any interval', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_700_000_000, max: 1_800_000_000 }),
        fc.integer({ min: 0, max: 40 * 86_400 }),
        fc.constantFrom('hour', 'day', 'week'),
        fc.constantFrom('UTC', 'Asia/Shanghai', 'Europe/Berlin', 'America/New_York'),
        (start, length, granularity, zone) => {
          const range = rangeOf(start, start + length);
          const found = bucketsIn(range, [], granularity, zone);
          const longest = { hour: 3600, day: 90_000, week: 8 * 86_400 }[granularity];
          for (const [index, bucket] of found.entries()) {
            expect(bucket.start >= range.start && bucket.end <= range.end).toBe(true);
            expect(found[index + 1]?.start ?? bucket.end).toBe(bucket.end);
          }
          expect(length - found.reduce((sum, bucket) => sum + bucket.end - bucket.start, 0)).toBeLessThan(
            2 * longest,
          );
        },
      ),
      { numRuns: once(40) },
    );
  });
});
