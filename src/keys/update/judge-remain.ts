import {
  addMoney,
  compareMoney,
  money,
  multiplyMoney,
  subtractMoney,
  zero,
  type Money,
} from '../../core/index.ts';

/** What is known about the remaining quota of a limited key when it is read after an update. */
export type RemainReading = {
  readonly before: Money;
  readonly after: Money;
  /** The update requested a change; otherwise the quota should stay as read, less the spend. */
  readonly wanted: boolean;
  /** The field was sent, not omitted in reliance on the gateway to keep it. */
  readonly sent: boolean;
  /** What a read shows of the written or unchanged value. */
  readonly shown: Money;
  /** How far above `shown` a read may lie if the last decimal is rounded. */
  readonly slack: Money;
  /** The quota was limited before the update too, so its old value has a meaning. */
  readonly wasLimited: boolean;
  readonly othersHarmed: boolean;
  /** Milliseconds between the two reads. */
  readonly millis: number;
};

/** `unwritten`: the change is not visible (yet), and nothing is lost. */
export type RemainVerdict = 'fits' | 'unwritten' | 'harmed';

/** An amount of the currency that calls can use up between two reads. */
const little = money('1');

/** Milliseconds in which calls cannot use up more than `little` completely. */
const short = 60_000;

/** The smallest factor by which a confused unit changes an amount (docs/gateway.md G8.10). */
const factor = money('100000');

const twice = money('2');

/** At or near zero, but not negative as calls could make it: the field was lost, or read in a finer unit. */
const collapsed = ({ shown, after, millis }: RemainReading): boolean =>
  millis < short &&
  compareMoney(shown, little) > 0 &&
  compareMoney(after, zero) >= 0 &&
  compareMoney(multiplyMoney(after, factor), shown) <= 0;

/** Raised by at least the factor of a coarser unit; the second condition excludes a reduction that is not visible yet. */
const grown = ({ before, shown, after }: RemainReading): boolean =>
  compareMoney(shown, zero) > 0 &&
  compareMoney(after, multiplyMoney(shown, factor)) >= 0 &&
  compareMoney(after, multiplyMoney(before, twice)) > 0;

const higher = (left: Money, right: Money): Money => (compareMoney(left, right) > 0 ? left : right);
const lower = (left: Money, right: Money): Money => (compareMoney(left, right) < 0 ? left : right);

/**
 * Whether the remaining quota shows that an amount was written, although calls and refunds may have changed it since. A reduction counts as unwritten
 * if the value is nearer to the old one; it is then made again. A raise counts as written if the value exceeds the old one at all: calls may have
 * spent most of it, and it must not be given twice.
 */
export const wasWritten = (before: Money, wanted: Money, after: Money): boolean => {
  const way = compareMoney(wanted, before);
  if (way === 0) return true;
  if (way > 0) return compareMoney(after, before) > 0;
  return compareMoney(multiplyMoney(after, twice), addMoney(before, wanted)) <= 0;
};

/**
 * Judges the remaining quota. Calls lower it by any amount, and refunds raise it by at most the earlier spend; only what neither can cause is harm: a
 * raise by the factor of a unit, or the collapse of more than `little` within a minute if the field was sent or other fields were lost too. That an
 * omitted field keeps its value proves nothing about a sent one.
 */
export const judgeRemain = (reading: RemainReading): RemainVerdict => {
  const { before, after, wanted, sent, shown, slack, wasLimited, othersHarmed } = reading;
  if (wanted && compareMoney(after, before) === 0 && compareMoney(shown, before) !== 0) return 'unwritten';
  if (grown(reading) || (collapsed(reading) && (sent || othersHarmed))) return 'harmed';
  if (!wanted) return 'fits';
  // The old value of an unlimited key has no meaning, and rounding of the last decimal is no raise.
  const isRaised = wasLimited && compareMoney(subtractMoney(shown, slack), before) > 0;
  if (!isRaised && compareMoney(shown, before) > 0) return 'fits';
  return wasWritten(before, shown, after) ? 'fits' : 'unwritten';
};

/** What a key has beyond the amount that calls alone could leave. */
export const refundOf = ({ before, after, wanted, shown, slack }: RemainReading): Money => {
  const most = addMoney(shown, slack);
  // An inexact amount is written rounded down, so an unchanged value is no refund.
  const rise = subtractMoney(after, wanted ? most : higher(before, most));
  return higher(rise, zero);
};

/**
 * The remaining quota to restore after an update did harm: the previous value, or the requested one; if the quota itself was not harmed, at most the
 * current value, so that spend is not given back.
 */
export const remainToPutBack = (
  { before, after, wanted, shown }: Pick<RemainReading, 'before' | 'after' | 'wanted' | 'shown'>,
  harmed: boolean,
): Money => {
  const due = wanted ? shown : before;
  return harmed ? due : lower(due, after);
};
