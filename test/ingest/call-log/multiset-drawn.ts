import fc from 'fast-check';
import { anyStyle } from './log-styles.ts';
import { day, type TimedRow } from './multiset-model.ts';
import { strikes } from './struck-effects.ts';
import { base } from '../support.ts';

const hour = 3600;

const styles = anyStyle({ min: 20, max: 900 });

/** So long calls are made. Days. */
export const days = 4;

/** Most moments lie where windows, pulls and days begin and end, or a second beside. */
const moments = fc
  .tuple(
    fc.oneof(
      { weight: 2, arbitrary: fc.integer({ min: 0, max: days * 4 }).map((number) => number * 6 * hour) },
      fc.integer({ min: 0, max: days * 96 }).map((number) => number * 900),
    ),
    fc.constantFrom(-1, 0, 0, 1, 450),
  )
  .map(([start, beside]) => base + start + beside);

/** Never whole: whole amounts far above earlier ones are rejected as a change of units (test/warehouse/logs/amount-forms.test.ts). */
const amounts = fc
  .tuple(fc.bigInt({ min: -3_000_000_000n, max: 9_000_000_000n }), fc.integer({ min: 1, max: 8 }))
  .map(([digits, places]) => {
    const text = (digits < 0n ? -digits : digits).toString().padStart(places + 1, '0');
    const fraction = text.slice(-places);
    return `${digits < 0n ? '-' : ''}${text.slice(0, -places)}.${/[1-9]/.test(fraction) ? fraction : '5'}`;
  });

const row = fc
  .record({
    at: moments,
    model: fc.constantFrom('gpt-4o', 'claude "x"', 'a,b'),
    token: fc.constantFrom('', 'growth-1', '=cmd', 'two\nlines'),
    prompt: fc.integer({ min: 0, max: 2_000_000_000 }),
    quota: amounts,
    kind: fc.constantFrom('', '', '', 'consumption', '2', 'refund', '6', 'top-up', 'gift'),
    extra: fc.constantFrom('', 'note', 'say "hi"'),
    late: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      fc.integer({ min: 1, max: hour }),
      fc.integer({ min: hour, max: 2 * day }),
    ),
  })
  .map(({ late, ...one }): TimedRow => {
    const quota = one.kind === 'top-up' && one.prompt % 2 === 0 ? '' : one.quota;
    // Of a model, a word that is not known would be learned from its amounts (test/warehouse/kinds/decide-kinds.test.ts).
    const named = one.kind === 'gift' ? { model: '', token: one.token === '' ? 'growth-1' : one.token } : {};
    return { ...one, ...named, quota, shownFrom: one.at + late };
  });

/** Duplicates are calls of their own. */
const rows = fc
  .array(fc.tuple(row, fc.constantFrom(1, 1, 2, 3)), { minLength: 1, maxLength: 30 })
  .map((list) => list.flatMap(([one, count]) => Array.from({ length: count }, () => one)));

const steps = fc.record({
  /** Seconds on the clock since the step before. */
  wait: fc.oneof(
    fc.constantFrom(900, 6 * hour, 12 * hour, 12 * hour, day, day, 36 * hour),
    fc.integer({ min: 1, max: day }),
  ),
  /** A span to be pulled again, instead of what is due. */
  again: fc.option(fc.tuple(fc.option(moments), fc.option(moments)), { freq: 3 }),
  strike: fc.option(strikes, { freq: 4 }),
  windowSeconds: fc.oneof(
    fc.constantFrom(6 * hour, day, 31 * day),
    fc.integer({ min: 5 * hour, max: 3 * day }),
  ),
  ahead: fc.integer({ min: 0, max: 2 }),
  /** A report is made of what there is, to be told later what has changed since. */
  report: fc.boolean(),
});

export type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

/** A gateway and what is done with it. */
export const scenario = fc.record({
  rows,
  style: styles,
  steps: fc.array(steps, { minLength: 4, maxLength: 8 }),
  lag: fc.constantFrom(0, 600, 900),
  /** From where on is pulled at first, and from which step on all is. */
  since: fc.constantFrom(0, 0, 9 * hour),
  allFrom: fc.integer({ min: 0, max: 5 }),
  bad: fc.constantFrom('none' as const, 'none' as const, 'quarantine' as const, 'fail' as const),
});

export type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;
