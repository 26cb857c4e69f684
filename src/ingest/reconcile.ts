import {
  absoluteMoney,
  compareMoney,
  divideMoney,
  money,
  multiplyMoney,
  subtractMoney,
  zero,
} from '../base/index.ts';
import type { Money } from '../base/index.ts';

/** Log sums of an interval, in currency: net is consumption less refunds. */
export type LogSums = { readonly net: Money; readonly consumption: Money; readonly refunds: Money };

export type ReconcileVerdict =
  | 'equal'
  | 'equal-without-refunds'
  | 'rounding'
  | 'units'
  | 'currency'
  | 'unexplained';

export type Reconciliation = {
  readonly verdict: ReconcileVerdict;
  /** The gateway's figure less ours, in the gateway's unit, for the reading and the sum that are nearest. */
  readonly gap: Money;
  /** The gateway's figure that was compared. */
  readonly reading: Money;
  /** Ours, brought to its unit. */
  readonly ours: Money;
  /** The two agree, as far as the figures can tell. */
  readonly good: boolean;
  readonly text: string;
};

export type ReconcileHelp = {
  /** How many units 1 of the currency is; 500,000 when left out. */
  readonly unitsPerCurrency?: number;
  /** The same interval's log sums in the other currency, where they are known. */
  readonly otherCurrency?: LogSums & { readonly name: string };
};

type Match = Omit<Reconciliation, 'text' | 'good'>;

/** Figures in JSON come with a few decimals: ours, rounded to theirs or cut off there, is the same. */
const withinRounding = (reading: Money, ours: Money): boolean => {
  const places = Math.max(reading.split('.')[1]?.length ?? 0, 2);
  const left = subtractMoney(ours, reading);
  const rounded = compareMoney(absoluteMoney(left), money(`5e-${places + 1}`)) <= 0;
  const cutOff = compareMoney(left, zero) >= 0 && compareMoney(left, money(`1e-${places}`)) < 0;
  return rounded || cutOff;
};

const gapOf = (reading: Money, ours: Money): Money => subtractMoney(reading, ours);

const texts: Readonly<Record<ReconcileVerdict, (match: Match) => string>> = {
  equal: ({ reading }) => `The log adds up to the gateway’s own statistics: ${reading}.`,
  'equal-without-refunds': ({ reading }) =>
    `The log’s consumption is the gateway’s own statistics, ${reading}; refunds are not taken off there.`,
  rounding: ({ reading, gap }) =>
    `The log adds up to the gateway’s own statistics, ${reading}, within its rounding (${gap}).`,
  units: ({ reading, ours }) =>
    `The log adds up to the gateway’s own statistics, which count in integer units: ${reading} there, ${ours} here.`,
  currency: ({ reading, ours }) =>
    `The log adds up to the gateway’s own statistics, which are in another currency: ${reading} there, ${ours} in that currency.`,
  unexplained: ({ reading, ours, gap }) =>
    `The gateway’s own statistics say ${reading}, the log adds up to ${ours}: ${gap} is unexplained.`,
};

const told = (match: Match): Reconciliation => ({
  ...match,
  good: match.verdict !== 'unexplained',
  text: texts[match.verdict](match),
});

const match = (verdict: ReconcileVerdict, reading: Money, ours: Money): Match => ({
  verdict,
  gap: gapOf(reading, ours),
  reading,
  ours,
});

const sumsOf = ({ net, consumption, refunds }: LogSums) =>
  refunds === zero
    ? [{ verdict: 'equal' as const, ours: net }]
    : [
        { verdict: 'equal' as const, ours: net },
        { verdict: 'equal-without-refunds' as const, ours: consumption },
      ];

/** In whole units a gateway may round each call, and the sum is off by a little: as far as one in a million. */
const nearInUnits = (reading: Money, units: Money): boolean => {
  if (reading.includes('.') || reading === zero) return false;
  const gap = absoluteMoney(subtractMoney(reading, units));
  const share = divideMoney(gap, absoluteMoney(reading), 12);
  return share !== undefined && compareMoney(share, money('0.000001')) <= 0;
};

/**
 * Compares log sums with what the statistics endpoint says, over every reading of its range's ends: one that fits is
 * enough. Its currency and unit are not told (gateway-api.md, Call statistics), so they are learned here. Pure.
 */
export const reconcile = (
  logs: LogSums,
  readings: readonly Money[],
  help: ReconcileHelp = {},
): Reconciliation => {
  const pairs = readings.flatMap((reading) => sumsOf(logs).map((sum) => ({ reading, ...sum })));
  const exact = pairs.find(({ reading, ours }) => reading === ours);
  if (exact !== undefined) return told(match(exact.verdict, exact.reading, exact.ours));
  const rounded = pairs.find(({ reading, ours }) => withinRounding(reading, ours));
  if (rounded !== undefined) return told(match('rounding', rounded.reading, rounded.ours));

  const factor = money(String(help.unitsPerCurrency ?? 500_000));
  const units = pairs
    .map(({ reading, ours }) => ({ reading, ours: multiplyMoney(ours, factor) }))
    .find(({ reading, ours }) => nearInUnits(reading, ours));
  if (units !== undefined) return told(match('units', units.reading, units.ours));

  const other = help.otherCurrency;
  const converted = (other === undefined ? [] : sumsOf(other)).flatMap(({ ours }) =>
    readings
      .filter((reading) => reading === ours || withinRounding(reading, ours))
      .map((reading) => ({ reading, ours })),
  )[0];
  if (converted !== undefined) return told(match('currency', converted.reading, converted.ours));

  const nearest = pairs.toSorted((left, right) =>
    compareMoney(
      absoluteMoney(gapOf(left.reading, left.ours)),
      absoluteMoney(gapOf(right.reading, right.ours)),
    ),
  )[0];
  return told(match('unexplained', nearest?.reading ?? zero, nearest?.ours ?? logs.net));
};
