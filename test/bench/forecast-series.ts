import { createRandom } from '../fuzz/random.ts';

/** What series of spend by day are made of. */
export type SeriesShape = {
  /** Unusual days a month, by the level of a day; Poisson. */
  readonly incidents: number;
  /** Growth of the level a month, drawn for each series. */
  readonly growth: { readonly least: number; readonly most: number };
  /** Days a year with 0.4 of their spend. */
  readonly holidays: number;
  /** Deviation of the logarithm of a day. */
  readonly noise: number;
};

export const usualShape: SeriesShape = {
  incidents: 1,
  growth: { least: -0.1, most: 0.15 },
  holidays: 8,
  noise: 0.1,
};

export const daysOfMonth = 30;

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const poisson = (random: () => number, mean: number): number => {
  const drawn = random();
  let [count, share] = [0, Math.exp(-mean)];
  let sum = share;
  while (drawn > sum) {
    count += 1;
    share *= mean / count;
    sum += share;
  }
  return count;
};

/** Spend by day of months of 30 days, the first of which is a Monday: weekdays, growth, incidents of 0.5 to 3 days' spend, holidays, noise. */
export const spendSeries = (
  seed: number,
  months: number,
  { incidents, growth, holidays, noise }: SeriesShape = usualShape,
): readonly number[] => {
  const { next: random } = createRandom(seed * 7919 + 1);
  const weekend = 0.2 + 0.5 * random();
  const rate = growth.least + (growth.most - growth.least) * random();
  const spend: number[] = [];
  let level = 100;
  for (let month = 0; month < months; month += 1) {
    const excess = new Map<number, number>();
    for (let left = poisson(random, incidents); left > 0; left -= 1) {
      const day = Math.floor(random() * daysOfMonth);
      excess.set(day, (excess.get(day) ?? 0) + 0.5 + 2.5 * random());
    }
    for (let day = 0; day < daysOfMonth; day += 1) {
      level *= (1 + rate) ** (1 / daysOfMonth);
      const weekday = spend.length % 7 >= 5 ? weekend : 1;
      const holiday = random() < holidays / 365 ? 0.4 : 1;
      const usual = level * weekday * holiday * Math.exp(noise * normal(random));
      spend.push(usual + level * (excess.get(day) ?? 0));
    }
  }
  return spend;
};
