import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  absoluteMoney,
  addMoney,
  compareMoney,
  interval,
  money,
  moneyOfUnits,
  multiplyMoney,
  subtractMoney,
  sumMoney,
  unitsOfMoney,
  unixMillis,
  unixSeconds,
  zero,
  type LocaleTag,
  type Money,
} from '../../src/core/index.ts';
import { budgetAlert } from '../../src/jobs/alert/rules/budget/budget-mails.ts';
import { localeOf } from '../../src/messages/index.ts';
import {
  levelName,
  type Assessment,
  type CausePart,
  type Waterfall,
  causeFactors,
} from '../../src/monitoring/index.ts';
import { buildTable } from '../../src/reports/compose/build-table.ts';
import { buildChanges } from '../../src/reports/compose/changes/build-changes.ts';
import type { Context } from '../../src/reports/compose/context.ts';
import { queryTable } from '../../src/reports/compose/query-table.ts';
import { describeCause, resolvePeriod } from '../../src/reports/index.ts';
import { budgetOf } from '../support/budget.ts';
import { runs } from '../support/storm.ts';
import { readShown } from './read-shown.ts';
import { now, spendSummary, zone } from './sample.ts';

const tags = ['en', 'de', 'zh'] as const satisfies readonly LocaleTag[];

/** From billions to the twelfth decimal, so that a pair of them has any size and any number of decimals. */
const amount = fc
  .tuple(fc.nat({ max: 11 }), fc.nat({ max: 12 }))
  .chain(([digits, decimals]) =>
    fc.bigInt({ min: 0n, max: 10n ** BigInt(digits) }).map((units) => moneyOfUnits(units, decimals)),
  );

/** Two amounts, or one and what is a little more: a difference is then much smaller than both. */
const pair = fc
  .tuple(amount, amount, fc.boolean())
  .map(([left, right, isNear]) => ({ now: isNear ? addMoney(left, right) : left, before: right }));

const forms = tags.flatMap((tag) => (['USD', 'CNY'] as const).map((currency) => ({ tag, currency })));

/** Decimals of an amount by the words of the footer: 2, below 0.10 to two significant digits. */
const placesOf = (exact: Money): number => {
  const size = absoluteMoney(exact);
  if (exact === zero || compareMoney(size, money('0.1')) >= 0) return 2;
  return Math.min(12, (size.slice(2).match(/^0*/)?.[0].length ?? 0) + 2);
};

/** Reads an amount with its sign, and checks that no zero has one. */
const read = (text: string, tag: LocaleTag): { readonly value: Money; readonly places: number } => {
  const { value, places } = readShown(text.replace('+', ''), tag);
  expect(text.includes('+')).toBe(compareMoney(value, zero) > 0);
  expect(text.includes('-')).toBe(compareMoney(value, zero) < 0);
  return { value, places };
};

/** Half of the last digit at most, and an even one of two that are equally near. */
const expectRounded = (shown: Money, exact: Money, places: number): void => {
  const unit = money(`1e-${places}`);
  const off = compareMoney(multiplyMoney(absoluteMoney(subtractMoney(shown, exact)), money('2')), unit);
  expect(off).toBeLessThanOrEqual(0);
  if (off === 0) expect(unitsOfMoney(shown, places) % 2n).toBe(0n);
};

const definition = await spendSummary();

const contextOf = (tag: LocaleTag, currency: string, given: Partial<Context>): Context => ({
  locale: localeOf(tag),
  currency,
  hasAmounts: true,
  zone,
  period: resolvePeriod('2026-10-21..2026-11-20', now, zone, tag),
  rangeOf: () => {
    throw new Error('no chart is built');
  },
  comparedLabel: '',
  averagedDays: 1,
  comparable: true,
  covers: () => 'complete',
  table: () => {
    throw new Error('no table is read');
  },
  sums: () => {
    throw new Error('no table is read');
  },
  waterfalls: new Map(),
  named: new Set(),
  colours: new Map(),
  ...given,
});

/** The cell of a column `difference_of` as a table of a report shows it. */
const differenceInTable = (
  { now, before }: { readonly now: Money; readonly before: Money },
  tag: LocaleTag,
  currency: string,
): string | undefined => {
  const table = queryTable('rows.sql', {
    columns: [
      { name: 'model', type: 'text' },
      { name: 'spend', type: 'decimal' },
      { name: 'spend_before', type: 'decimal' },
    ],
    rows: [['gpt-6', now, before]],
  });
  const shape = definition.sections.find((one) => one.kind === 'table');
  if (shape?.kind !== 'table') throw new Error('the report has no table');
  const column = {
    label: '',
    swatch: false,
    only_in_files: false,
    only_in_report: false,
    wide_only: false,
    optional: false,
  };
  const model = buildTable(
    { ...shape, columns: [{ ...column, difference_of: 'spend' }], total: false },
    contextOf(tag, currency, { table: () => table }),
    new Map(),
    1,
  );
  return model.rows[0]?.cells[0]?.text;
};

const partsOf = (amounts: readonly Money[]): readonly CausePart[] =>
  causeFactors.map((factor, at) => {
    const part = amounts[at] ?? zero;
    return {
      factor,
      amount: part,
      contributor: part === zero ? undefined : { model: 'gpt-6', key: 'ci', amount: part },
    };
  });

const waterfallOf = (amounts: readonly Money[]): Waterfall => {
  const change = sumMoney(amounts);
  const before = money('1000000000000');
  return { before, after: addMoney(before, change), change, parts: partsOf(amounts) };
};

/** The amounts of the section `changes`: those of the parts, and that of the change. */
const amountsInSection = (waterfall: Waterfall, tag: LocaleTag, currency: string): readonly string[] => {
  const section = buildChanges(
    { kind: 'changes', title: 'What changed', sql: 'changes.sql' },
    contextOf(tag, currency, { waterfalls: new Map([['changes.sql', waterfall]]) }),
  );
  return section?.kind === 'table' ? section.rows.map(({ cells }) => cells[3]?.text ?? '') : [];
};

const monthOf = interval(
  unixSeconds(Date.UTC(2026, 10, 1) / 1000),
  unixSeconds(Date.UTC(2026, 11, 1) / 1000),
);

/** The text of an alert on a budget whose threshold the spend has reached. */
const alertText = (
  { now: spend, before: limit }: { readonly now: Money; readonly before: Money },
  tag: LocaleTag,
  currency: string,
): string => {
  const level = { on: 'actual', label: '100%', amount: limit, state: 'exceeded' } as const;
  const assessment: Assessment = {
    budget: budgetOf({ amount: limit, currency, thresholds: [level], owner: [] }),
    period: monthOf,
    through: unixSeconds(Date.UTC(2026, 10, 20) / 1000),
    state: 'exceeded',
    spend,
    forecast: {
      amount: spend,
      low: spend,
      high: spend,
      range: 'paces',
      method: 'pace',
      paceFrom: unixSeconds(Date.UTC(2026, 10, 13) / 1000),
    },
    isTooEarly: false,
    levels: [level],
  };
  const record = {
    account: 'main',
    alert: 'all',
    level: levelName(level),
    period: '2026-11-01',
    state: 'firing',
    raisedAt: unixMillis(0),
  } as const;
  const [mail] = budgetAlert([record], assessment, undefined, {
    account: 'main',
    zone: 'UTC',
    locale: localeOf(tag),
    now: unixMillis(0),
    operators: ['ops@example.com'],
  });
  return (mail?.blocks[0]?.lines ?? []).map(([, text]) => text).join('\n');
};

/** What an alert says where spend and forecast are so much over the threshold and the budget. */
const overInAlert: Readonly<Record<LocaleTag, (over: string) => readonly [string, string]>> = {
  en: (over) => [`, ${over} over the threshold of 100%.`, `: ${over} over the budget.`],
  de: (over) => [` liegen ${over} über der Schwelle von `, `: ${over} über dem Budget.`],
  zh: (over) => [`，超出额为 ${over}。`, `，超出预算 ${over}。`],
};

test.each([
  ['en', ': exactly the budget.'],
  ['de', ': genau das Budget.'],
  ['zh', '，正好等于预算。'],
] as const)(
  'An alert in %s says that a forecast is the budget, and calls no zero over or under it',
  (tag, text) => {
    expect(alertText({ now: money('7'), before: money('7') }, tag, 'USD')).toContain(text);
  },
);

test.each([
  ['en', 'A difference may therefore deviate'],
  ['de', 'Eine Differenz kann daher geringfügig'],
  ['zh', '因此，差额可能与所示金额直接相减的结果略有出入。'],
] as const)(
  'The footer in %s says that a difference may differ from that of the amounts as shown',
  (tag, text) => {
    expect(localeOf(tag).messages.footer.rounding).toContain(text);
  },
);

describe('a shown difference', () => {
  test('is the exact difference, rounded by the rule of the footer, in every currency and language', () => {
    fc.assert(
      fc.property(pair, (one) => {
        const exact = subtractMoney(one.now, one.before);
        for (const { tag, currency } of forms) {
          const shown = differenceInTable(one, tag, currency) ?? '';
          const { value, places } = read(shown, tag);
          expect(places).toBe(placesOf(exact));
          expectRounded(value, exact, places);
          if (compareMoney(exact, zero) <= 0) continue;
          // An alert says the same amount, without its sign.
          const text = alertText(one, tag, currency);
          for (const over of overInAlert[tag](shown.replace('+', ''))) expect(text).toContain(over);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('the shown parts of a change', () => {
  const signed = fc
    .tuple(amount, fc.boolean())
    .map(([size, isLess]) => (isLess ? subtractMoney(zero, size) : size));
  const parts = fc.array(fc.oneof({ weight: 4, arbitrary: signed }, fc.constant(zero)), {
    minLength: 1,
    maxLength: causeFactors.length,
  });

  test('add up to the shown change, which is the exact one rounded, and none of them is zero', () => {
    fc.assert(
      fc.property(parts, (amounts) => {
        const waterfall = waterfallOf(amounts);
        for (const { tag, currency } of forms) {
          const shown = amountsInSection(waterfall, tag, currency).map((text) => read(text, tag));
          if (shown.length === 0) {
            expect(waterfall.change).toBe(zero);
            continue;
          }
          const change = shown.at(-1);
          const changed = shown.slice(0, -1);
          expect(change?.places).toBe(placesOf(waterfall.change));
          expectRounded(change?.value ?? zero, waterfall.change, change?.places ?? 0);
          expect(sumMoney(changed.map(({ value }) => value))).toBe(change?.value);
          for (const { value, places } of changed) {
            expect(value).not.toBe(zero);
            expect(places).toBe(change?.places);
          }
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('leave out what comes to zero, and are named by the headline with the amounts of the section', () => {
    const waterfall = waterfallOf(['0.041', '0.00856', '0.0000004', '-0.0000003'].map(money));
    expect(amountsInSection(waterfall, 'en', 'USD')).toEqual(['+$0.041', '+$0.009', '+$0.050']);
    expect(describeCause(waterfall, 'USD', localeOf('en'))?.text).toMatch(
      /^more calls, \$0\.041 .*\$0\.050 .*: gpt-6 on key ci, \+\$0\.041\.$/,
    );
  });
});
