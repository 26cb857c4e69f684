import { mean, median, sum } from '../../core/index.ts';

/** How a key was used, in doubles of the currency of the account. */
export type KeyUse = {
  /** Spend of each 24 hours before the last ones, since its first call in the kept hours; those without calls are 0. */
  readonly before: readonly number[];
  /** The last 24 hours, by model and by hour of the day (UTC, 0 to 23). */
  readonly byModel: ReadonlyMap<string, number>;
  readonly byHour: ReadonlyMap<number, number>;
  /** What it used before. */
  readonly models: ReadonlySet<string>;
  readonly hours: ReadonlySet<number>;
};

export type KeyBehaviour = {
  readonly spend: number;
  /** The median of 24 hours before. */
  readonly usual: number;
  /** Models that it never called before. */
  readonly newModels: readonly string[];
  /** Hours of the day (UTC) at which it never called before. */
  readonly newHours: readonly number[];
};

/** Windows of 24 hours that a key must have been known for. */
export const leastHistory = 14;

/** Times its median from which on the spend of a key is suspicious, and below which an alert about it ends. */
const times = { begins: 10, ends: 5 } as const;

/** Times its mean, below which spend is never suspicious. */
export const leastByMean = 2;

/** The share of the last 24 hours that the new models or hours must have: a key at a new minute past is none. */
const leastShare = 0.25;

/** The median of 24 hours before, where a spend is suspicious by it: ten times as much. `isOpen`: an alert about the key fires. Pure. */
export const usualIfSuspicious = (
  spend: number,
  before: readonly number[],
  floor: number,
  isOpen = false,
): number | undefined => {
  if (before.length < leastHistory) return undefined;
  const usual = median(before);
  // A key that costs as much every few weeks has a low median.
  const least = Math.max(
    floor,
    (isOpen ? times.ends : times.begins) * usual,
    isOpen ? 0 : leastByMean * mean(before),
  );
  return spend < least ? undefined : usual;
};

/**
 * Whether a key is used in a way that it never was: for ten times its median, and with models or at hours that are new to it. `isOpen`: an
 * alert about it fires, which ends only when its spend has fallen, since new models are known a day later. Pure.
 */
export const judgeKey = (
  { before, byModel, byHour, models, hours }: KeyUse,
  floor: number,
  isOpen = false,
): KeyBehaviour | undefined => {
  const spend = sum([...byModel.values()]);
  const usual = usualIfSuspicious(spend, before, floor, isOpen);
  if (usual === undefined) return undefined;
  const newOf = <Name>(parts: ReadonlyMap<Name, number>, known: ReadonlySet<Name>) => {
    const added = [...parts].filter(([name]) => !known.has(name));
    const cost = sum(added.map(([, one]) => one));
    return cost >= leastShare * spend && cost >= floor ? added.map(([name]) => name) : [];
  };
  const [newModels, newHours] = [newOf(byModel, models), newOf(byHour, hours)];
  return newModels.length + newHours.length === 0 && !isOpen
    ? undefined
    : { spend, usual, newModels, newHours: newHours.toSorted((one, other) => one - other) };
};
