import {
  addMoney,
  compareMoney,
  money,
  multiplyMoney,
  subtractMoney,
  zero,
  type Money,
} from '../../core/index.ts';

/** What is known of what a limited key has left when it is read again after an update. */
export type RemainReading = {
  readonly before: Money;
  readonly after: Money;
  /** It was itself to be changed; otherwise it was to stay as it was read, less what is spent. */
  readonly wanted: boolean;
  /** It was written, and not left out in the trust that it keeps its value. */
  readonly sent: boolean;
  /** What a read shows of what was written, or of what was left alone. */
  readonly shown: Money;
  /** How far above that a read may lie, where the last decimal is rounded. */
  readonly slack: Money;
  /** Its quota was limited before the update too: what it had left meant something. */
  readonly wasLimited: boolean;
  /** Other fields were changed without being asked for. */
  readonly othersHarmed: boolean;
  /** Milliseconds between the two readings. */
  readonly millis: number;
};

/** `unwritten`: it is not, or not yet, as wanted, and nothing is lost by it. */
export type RemainVerdict = 'fits' | 'unwritten' | 'harmed';

/** An amount of the currency that calls can use up between two readings. */
const little = money('1');

/** Milliseconds in which calls do not use up all of what is more than a little. */
const short = 60_000;

/** A unit that is taken for another makes an amount this much less or more, at least (docs/gateway.md G8.10). */
const factor = money('100000');

const twice = money('2');

/** Down to nothing, or next to it, but not below as calls can bring it: a field that was lost, or taken in a finer unit. */
const collapsed = ({ shown, after, millis }: RemainReading): boolean =>
  millis < short &&
  compareMoney(shown, little) > 0 &&
  compareMoney(after, zero) >= 0 &&
  compareMoney(multiplyMoney(after, factor), shown) <= 0;

/** Up by what only a coarser unit makes of it; what was not lowered, or not yet, stands near where it stood. */
const grown = ({ before, shown, after }: RemainReading): boolean =>
  compareMoney(shown, zero) > 0 &&
  compareMoney(after, multiplyMoney(shown, factor)) >= 0 &&
  compareMoney(after, multiplyMoney(before, twice)) > 0;

const higher = (left: Money, right: Money): Money => (compareMoney(left, right) > 0 ? left : right);
const lower = (left: Money, right: Money): Money => (compareMoney(left, right) < 0 ? left : right);

/**
 * Whether what a key has left shows that a wanted amount was written, though calls and refunds may have moved it since. An
 * amount that was lowered was not where it is nearer to what there was before: taken for unwritten, it is lowered again. One
 * that was raised was where there is any more than before: calls may have spent the most of it, and it is not given twice.
 */
export const wasWritten = (before: Money, wanted: Money, after: Money): boolean => {
  const way = compareMoney(wanted, before);
  if (way === 0) return true;
  if (way > 0) return compareMoney(after, before) > 0;
  return compareMoney(multiplyMoney(after, twice), addMoney(before, wanted)) <= 0;
};

/**
 * Calls lower what a key has left, by any amount, and refunds raise it, by no more than was ever spent: only what neither
 * can do is harm. That is a rise by the factor of a unit, and the collapse of more than a little within a minute where it was
 * written, or where other fields were lost with it: that what is left out is kept says nothing of what was sent.
 */
export const judgeRemain = (reading: RemainReading): RemainVerdict => {
  const { before, after, wanted, sent, shown, slack, wasLimited, othersHarmed } = reading;
  if (wanted && compareMoney(after, before) === 0 && compareMoney(shown, before) !== 0) return 'unwritten';
  if (grown(reading) || (collapsed(reading) && (sent || othersHarmed))) return 'harmed';
  if (!wanted) return 'fits';
  // What an unlimited key had meant nothing, and what the last decimal makes more is no raise.
  const isRaised = wasLimited && compareMoney(subtractMoney(shown, slack), before) > 0;
  if (!isRaised && compareMoney(shown, before) > 0) return 'fits';
  return wasWritten(before, shown, after) ? 'fits' : 'unwritten';
};

/** What a key has more than calls alone can have left of it. */
export const refundOf = ({ before, after, wanted, shown, slack }: RemainReading): Money => {
  const most = addMoney(shown, slack);
  // What cannot be written exactly is written a little lower: as it was is no refund.
  const rise = subtractMoney(after, wanted ? most : higher(before, most));
  return higher(rise, zero);
};

/**
 * What the key is to have left when the values that an update has changed are put back: what it had, or what was wanted of it;
 * where it was not harmed itself, no more than it has now.
 */
export const remainToPutBack = (
  { before, after, wanted, shown }: Pick<RemainReading, 'before' | 'after' | 'wanted' | 'shown'>,
  harmed: boolean,
): Money => {
  const due = wanted ? shown : before;
  return harmed ? due : lower(due, after);
};
