import type { Interval, UnixSeconds } from '../core/index.ts';
import { directionOf, type Match } from './match-figures.ts';

/** How the log and another source compare; `currency` is another currency or integer units. */
export const verdicts = [
  'equal',
  'refunds',
  'rounding',
  'currency',
  'late data',
  'truncated',
  'unexplained',
] as const;

export type Verdict = (typeof verdicts)[number];

/** Verdicts that leave nothing open. */
export const isGood = (verdict: string): boolean =>
  ['equal', 'refunds', 'rounding', 'currency'].includes(verdict);

/** Verdicts that require investigation. */
export const isBad = (verdict: string): boolean => verdict === 'unexplained' || verdict === 'truncated';

/** The verdict of two figures that agree; undefined when they do not. */
export const agreement = ({ fit, figure, refunds }: Match): Verdict | undefined => {
  if (fit === undefined) return undefined;
  if (figure.kind !== 'own') return 'currency';
  if (refunds === 'not taken off') return 'refunds';
  return fit === 'rounding' ? 'rounding' : 'equal';
};

/** The result of a total, which agreed or not. */
export type Vote = {
  readonly range: Interval<UnixSeconds>;
  readonly verdict: Verdict;
  readonly match: Match;
  /** Whether the figure decreases when the log increases, as the balance does. */
  readonly isFalling?: boolean;
};

const isShort = ({ match, isFalling }: Vote): boolean =>
  match.fit === undefined && directionOf(match) * (isFalling === true ? -1 : 1) > 0;

const holds = (outer: Interval<UnixSeconds>, inner: Interval<UnixSeconds>): boolean =>
  outer.start <= inner.start && outer.end >= inner.end;

/**
 * The verdict of an unexplained gap: `truncated` if the log is short and no other source that covers the whole range
 * contradicts that, else `unexplained`. Pure.
 */
export const nameGap = (open: Vote, others: readonly Vote[]): 'truncated' | 'unexplained' => {
  if (!isShort(open)) return 'unexplained';
  const against = others.some(
    (other) =>
      other !== open && holds(other.range, open.range) && other.verdict !== 'late data' && !isShort(other),
  );
  return against ? 'unexplained' : 'truncated';
};
