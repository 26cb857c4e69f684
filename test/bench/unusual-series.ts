import { hourSeconds, unixSeconds } from '../../src/core/index.ts';
import type { HourlySpend, SpentHour } from '../../src/monitoring/index.ts';
import { createRandom } from '../fuzz/random.ts';

const hoursADay = 24;

/** A part of an account: a model or a service. */
export type HourlySeries = {
  readonly name: string;
  readonly hours: Map<number, SpentHour>;
  /** Usual calls of each hour. */
  readonly usual: ReadonlyMap<number, number>;
};

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Calls of an hour: Poisson, by a normal distribution where they are many. */
const callsOf = (random: () => number, mean: number): number => {
  if (mean > 60) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let [product, count] = [random(), 0];
  while (product > limit) {
    product *= random();
    count += 1;
  }
  return count;
};

/** What calls cost: lognormal each, by a normal distribution of the sum where they are many. */
const costOf = (random: () => number, calls: number, price: number, deviation: number): number => {
  const mean = Math.exp(deviation ** 2 / 2);
  if (calls > 200) {
    const spread = mean * Math.sqrt(Math.exp(deviation ** 2) - 1);
    return price * Math.max(0, calls * mean + Math.sqrt(calls) * spread * normal(random));
  }
  let cost = 0;
  for (let call = 0; call < calls; call += 1) cost += Math.exp(deviation * normal(random));
  return price * cost;
};

/** From this second on: a Monday. */
export const firstHour = Date.UTC(2026, 0, 5) / 1000;

/**
 * Services of an account by hour: usual calls by hour of the day and weekday, with growth, noise of the level of a day, calls by Poisson and
 * costs of calls by a lognormal distribution. Some run at night, some once a week, some seldom.
 */
export const hourlyAccount = (seed: number, weeks: number): readonly HourlySeries[] => {
  const { next: random } = createRandom(seed * 6151 + 3);
  const count = 6 + Math.floor(random() * 14);
  return Array.from({ length: count }, (_, at): HourlySeries => {
    const level = 3 * 10 ** (2.2 * random());
    const peak = Math.floor(random() * hoursADay);
    const weekend = 0.15 + 0.85 * random();
    const swing = 0.2 + 0.6 * random();
    const growth = 0.9 + 0.3 * random();
    const price = 0.002 * 10 ** (1.5 * random());
    const deviation = 0.3 + 0.5 * random();
    const kind = random();
    const hours = new Map<number, SpentHour>();
    const usual = new Map<number, number>();
    for (let day = 0; day < weeks * 7; day += 1) {
      const noise = Math.exp(0.1 * normal(random));
      for (let hour = 0; hour < hoursADay; hour += 1) {
        const shape = 1 + swing * Math.cos((2 * Math.PI * (hour - peak)) / hoursADay);
        const isRare = kind < 0.1 && !(day % 7 === 6 && hour === 2);
        const mean = isRare ? 0 : level * shape * (day % 7 >= 5 ? weekend : 1) * growth ** (day / 30);
        const start = firstHour + (day * hoursADay + hour) * hourSeconds;
        const calls = callsOf(random, mean * noise);
        usual.set(start, mean);
        if (calls > 0) hours.set(start, { calls, spend: costOf(random, calls, price, deviation) });
      }
    }
    return { name: `service-${at}`, hours, usual };
  });
};

/** The hours of several series together. */
export const together = (series: readonly { readonly hours: HourlySpend }[]): Map<number, SpentHour> => {
  const all = new Map<number, SpentHour>();
  for (const { hours } of series)
    for (const [at, { calls, spend }] of hours) {
      const known = all.get(at);
      all.set(at, { calls: calls + (known?.calls ?? 0), spend: spend + (known?.spend ?? 0) });
    }
  return all;
};

export const hourAt = (week: number, hour: number): ReturnType<typeof unixSeconds> =>
  unixSeconds(firstHour + (week * 7 * hoursADay + hour) * hourSeconds);
