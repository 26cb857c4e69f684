import { compareMoney, money, multiplyMoney, subtractMoney, zero } from '../../base/index.ts';
import type { Money } from '../../base/index.ts';

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
  /** A throw-away key has shown that updates keep it. */
  readonly proven: boolean;
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

/** A unit that is taken for another makes this much less of an amount, at least (gateway-field-notes.md, Keys). */
const factor = money('100000');

/** Down to nothing, or next to it, but not below as calls can bring it: a field that was lost, or taken in a finer unit. */
const collapsed = ({ shown, after, millis }: RemainReading): boolean =>
  millis < short &&
  compareMoney(shown, little) > 0 &&
  compareMoney(after, zero) >= 0 &&
  compareMoney(multiplyMoney(after, factor), shown) <= 0;

const higher = (left: Money, right: Money): Money => (compareMoney(left, right) > 0 ? left : right);
const lower = (left: Money, right: Money): Money => (compareMoney(left, right) < 0 ? left : right);

/**
 * Calls only ever lower what a key has left, by any amount: a fall is spending, and only what spending cannot do is harm. The
 * one fall that is not taken for spending is the collapse of more than a little within a minute, where nothing proves that
 * updates keep the field, or where other fields were lost with it.
 */
export const judgeRemain = (reading: RemainReading): RemainVerdict => {
  const { before, after, wanted, sent, shown, slack, wasLimited, proven, othersHarmed } = reading;
  const most = sent ? subtractMoney(shown, subtractMoney(zero, slack)) : before;
  const isMore = compareMoney(after, most) > 0;
  const isLost = collapsed(reading) && (sent ? !proven || othersHarmed : othersHarmed);
  if (!wanted) {
    // What cannot be written exactly is written a little lower: as it was is no harm.
    if (isMore && compareMoney(after, higher(before, most)) > 0) return 'harmed';
    return isLost ? 'harmed' : 'fits';
  }
  if (compareMoney(after, before) === 0 && compareMoney(shown, before) !== 0) return 'unwritten';
  if (isLost) return 'harmed';
  if (isMore) return wasLimited && compareMoney(after, before) <= 0 ? 'unwritten' : 'harmed';
  // A key that was to have more left and has no more than before was not written.
  const wasRaised = wasLimited && compareMoney(subtractMoney(shown, slack), before) > 0;
  return wasRaised && compareMoney(after, before) <= 0 ? 'unwritten' : 'fits';
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
