import { groupBy, roundedQuotient, type Money } from '../../core/index.ts';
import type { TokenClass } from '../../warehouse/index.ts';
import {
  cacheGroup,
  unitsOf,
  unitsToMoney,
  type CauseFactor,
  type CellEffects,
  type ChangedCell,
  type Priced,
  type Usage,
} from './cell-factors.ts';

/** The model and key, the model, or the key that a cause names: it moved the way that the cause says. */
export type Contributor = {
  /** Missing where the cause names a key alone. */
  readonly model?: string;
  /** Missing where the cause names a model alone. */
  readonly key?: string;
  /** What it contributes by its own figures; of calls, its own calls at its own earlier cost of a call. */
  readonly amount: Money;
  /**
   * `new` or `gone`: without calls in the earlier or the later period; of refunds, also without refunds in it. Of a shift,
   * else, whether its share of all calls is larger or smaller.
   */
  readonly state?: 'new' | 'gone' | 'larger-share' | 'smaller-share';
};

type PricedParts = { readonly old: Priced; readonly now: Priced };

/** All calls that are charged by the token, with their charge, and the number of days that they are averaged over. */
export type AllPriced = PricedParts & { readonly days: bigint };

/** One cell, or those of a model or of a key, and their parts that are charged by the token. */
type Candidate = Omit<Contributor, 'amount' | 'state'> &
  PricedParts & { readonly cells: readonly CellEffects[] };

/** Each cell alone, and the models and the keys of several cells. */
type Candidates = { readonly single: readonly Candidate[]; readonly groups: () => readonly Candidate[] };

/** The least part of a cause that is named: a quarter. */
const leastPart = 4n;

const total = <T>(list: readonly T[], of: (one: T) => bigint): bigint => {
  let sum = 0n;
  for (const one of list) sum += of(one);
  return sum;
};

export const sumPriced = (cells: readonly PricedParts[]): PricedParts => ({
  old: { calls: total(cells, ({ old }) => old.calls), charge: total(cells, ({ old }) => old.charge) },
  now: { calls: total(cells, ({ now }) => now.calls), charge: total(cells, ({ now }) => now.charge) },
});

/** Own calls at the own earlier cost of a call; all of it if it is new or gone. Over models and keys this adds up to volume and mix. */
const callsEffect = (old: Priced, now: Priced): bigint =>
  old.calls === 0n || now.calls === 0n
    ? now.charge - old.charge
    : roundedQuotient(old.charge * (now.calls - old.calls), old.calls);

/**
 * The calls beyond the earlier share, times the difference of the own cost of a call from the earlier average: over models and keys, this adds
 * up to mix. Positive in the direction of `sign`; 0 for what moved against it, which is never named.
 */
const mixEffect = (old: Priced, now: Priced, all: AllPriced, sign: bigint): bigint => {
  const { calls, charge } = old.calls === 0n ? now : old;
  if (calls === 0n || all.old.calls === 0n) return 0n;
  const beyond = now.calls * all.old.calls - old.calls * all.now.calls;
  const costlier = charge * all.old.calls - all.old.charge * calls;
  const over = beyond * costlier * sign;
  // Most cells of thousands moved the other way, and a division costs as much as all else.
  return over <= 0n ? 0n : roundedQuotient(over, all.old.calls * all.old.calls * calls);
};

const tokensOf = ({ tokens }: Usage, classes: readonly TokenClass[]): bigint =>
  total(classes, (name) => tokens[name] ?? 0n);

/** Whether the cell moved the way that the cause says, where the sign of its contribution alone does not tell. */
const hasMoved = ({ before, after }: ChangedCell, factor: CauseFactor, sign: bigint): boolean => {
  const [old, now] = [before, after].map(({ calls }) => BigInt(calls));
  if (old === undefined || now === undefined) return false;
  const isKept = old > 0n && now > 0n;
  if (factor === 'price' || factor === 'unstated-tokens') return isKept;
  if (factor === 'length') {
    const [few, many] = [before, after].map((usage) =>
      tokensOf(usage, Object.keys(usage.tokens) as TokenClass[]),
    );
    return isKept && ((many ?? 0n) * old - (few ?? 0n) * now) * sign > 0n;
  }
  if (factor === 'cache') {
    const cached: readonly TokenClass[] = ['input_cache_read_tokens'];
    const more =
      tokensOf(after, cached) * tokensOf(before, cacheGroup) -
      tokensOf(before, cached) * tokensOf(after, cacheGroup);
    return isKept && more * sign < 0n;
  }
  return true;
};

/** Factors that say something of each call or token: models or keys are named for them only if none of their cells contradicts. */
const isOfEach = (factor: CauseFactor): boolean =>
  ['length', 'cache', 'price', 'unstated-tokens'].includes(factor);

/** What the candidate contributes in the direction of the part, at least 0. */
const contributionOf = (
  { cells, old, now }: Candidate,
  factor: CauseFactor,
  sign: bigint,
  all: AllPriced,
): bigint => {
  if (factor === 'mix') return mixEffect(old, now, all, sign);
  if (factor === 'volume') return (now.calls - old.calls) * sign > 0n ? callsEffect(old, now) * sign : 0n;
  let sum = 0n;
  for (const { cell, units } of cells) {
    const own = units[factor];
    if (own === 0n) continue;
    if (isOfEach(factor) && (own * sign <= 0n || !hasMoved(cell, factor, sign))) return 0n;
    sum += own;
  }
  return sum * sign * all.days;
};

/** A refund without calls is of an earlier period's calls: it is no sign that the key is new or gone. */
const isAbsent = ({ calls, refunds }: Usage, factor: CauseFactor): boolean =>
  calls === 0 && (factor !== 'refunds' || refunds === '0');

const stateOf = (
  candidate: Candidate,
  factor: CauseFactor,
  all: AllPriced,
): Contributor['state'] | undefined => {
  const { cells, old, now } = candidate;
  if (cells.every(({ cell }) => isAbsent(cell.before, factor))) return 'new';
  if (cells.every(({ cell }) => isAbsent(cell.after, factor))) return 'gone';
  if (factor !== 'mix') return undefined;
  return now.calls * all.old.calls > old.calls * all.now.calls ? 'larger-share' : 'smaller-share';
};

/** Models, or keys, of more than one cell. */
const groupsBy = (cells: readonly CellEffects[], name: 'model' | 'key'): readonly Candidate[] =>
  [...groupBy(cells, ({ cell }) => cell[name])].flatMap(([value, members]) =>
    members.length < 2 ? [] : [{ [name]: value, cells: members, ...sumPriced(members) }],
  );

/** The candidates for every factor: models and keys are grouped once, and only if no cell alone can be named. */
export const candidatesOf = (cells: readonly CellEffects[]): Candidates => {
  let groups: readonly Candidate[] | undefined;
  return {
    single: cells.map((one) => ({
      model: one.cell.model,
      key: one.cell.key,
      cells: [one],
      old: one.old,
      now: one.now,
    })),
    groups: () => (groups ??= [...groupsBy(cells, 'model'), ...groupsBy(cells, 'key')]),
  };
};

/** The same among equals, in whichever order they are. */
const nameOf = ({ model = '', key = '' }: Candidate): string => `${model}\n${key}`;

/**
 * Who a cause names: the model and key that contribute most to it, if they moved that way themselves and account for at least a
 * quarter of it; else the model or the key alone that does; undefined if none does. Pure.
 */
export const nameContributor = (
  { single, groups }: Candidates,
  factor: CauseFactor,
  amount: Money,
  all: AllPriced,
): Contributor | undefined => {
  const units = unitsOf(amount);
  const sign = units > 0n ? 1n : -1n;
  const least = units * sign;
  /** Whether the cell alone can be named: the others, of thousands, need no closer look. */
  const mayCount = ({ cells: [one] }: Candidate): boolean =>
    factor === 'volume' ||
    factor === 'mix' ||
    (one !== undefined && one.units[factor] * leastPart * sign >= least);
  const largest = (candidates: readonly Candidate[]): Contributor | undefined => {
    let best: { readonly candidate: Candidate; readonly size: bigint } | undefined;
    for (const candidate of candidates) {
      const size = contributionOf(candidate, factor, sign, all);
      if (size * leastPart < units * sign * all.days || size <= 0n) continue;
      if (best !== undefined && size < best.size) continue;
      if (best !== undefined && size === best.size && nameOf(candidate) > nameOf(best.candidate)) continue;
      best = { candidate, size };
    }
    if (best === undefined) return undefined;
    const { cells: _, old: __, now: ___, ...named } = best.candidate;
    const own = unitsToMoney(roundedQuotient(best.size * sign, all.days));
    if (own === '0') return undefined;
    const state = stateOf(best.candidate, factor, all);
    return { ...named, amount: own, ...(state === undefined ? {} : { state }) };
  };
  return largest(single.filter(mayCount)) ?? largest(groups());
};
