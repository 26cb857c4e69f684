import { readFileSync } from 'node:fs';
import { initSync, MSTL } from '@bsull/augurs/mstl';
import { mean, sum } from '../../src/core/index.ts';
import {
  accuracyOf,
  byLastWeek,
  byModel,
  byPace,
  intervalFactors,
  originDays,
  recordMonths,
  replay,
  spreadOf,
  type ForecastMethod,
  type PastForecast,
} from '../../src/monitoring/index.ts';
import { daysOfMonth, spendSeries } from './forecast-series.ts';
import type { BenchReport } from './report.ts';

/** The most that a forecast may be off on average, in percent, by the days of the month that are over. */
const goals: ReadonlyMap<number, number> = new Map([
  [5, 10],
  [10, 6],
]);

const seeds = 60;
/** Months before the first that is forecast. */
const before = 6;
const forecast = 12;

/** MSTL with AutoETS of augurs, over half a year. */
const byAugurs: ForecastMethod = (past, days) => {
  const recent = past.slice(-182);
  if (recent.length < 28) return undefined;
  const model = MSTL.ets([7]);
  model.fit(Float64Array.from(recent));
  return sum(model.predict(days).point);
};

/** Whether what came lies in the interval that the twelve months before give. */
const isCovered = (one: PastForecast, past: readonly PastForecast[]): boolean => {
  const spread = spreadOf(past);
  if (spread === undefined) throw new Error('six months make an interval');
  const { low, high } = intervalFactors(spread, one.left);
  return one.actual >= one.forecast * low && one.actual <= one.forecast * high;
};

/** Errors of forecasts of the end of a month, by method, and the coverage of the interval. */
export const benchForecast = (report: BenchReport, scale: number): void => {
  initSync({ module: readFileSync(new URL('mstl_bg.wasm', import.meta.resolve('@bsull/augurs/mstl'))) });
  const methods = { model: byModel, pace: byPace, 'last week': byLastWeek, augurs: byAugurs } as const;
  const count = Math.max(1, Math.round(seeds * scale));
  report.title(`Forecasts of the end of a month: ${count} series, ${forecast} months each`);
  const found = new Map<keyof typeof methods, PastForecast[]>();
  const covered: { readonly day: number; readonly isIn: boolean }[] = [];
  for (let seed = 1; seed <= count; seed += 1) {
    const series = spendSeries(seed, before + forecast);
    const months = Array.from({ length: before + forecast }, (_, at) => ({
      name: String(at),
      start: at * daysOfMonth,
      end: (at + 1) * daysOfMonth,
    }));
    for (const [name, method] of Object.entries(methods) as [keyof typeof methods, ForecastMethod][]) {
      const judged = replay(series, months.slice(before), method);
      found.set(name, [...(found.get(name) ?? []), ...judged]);
      if (name !== 'model') continue;
      const earlier = [...replay(series, months.slice(0, before), method), ...judged];
      for (const one of judged) {
        const at = Number(one.month);
        const past = earlier.filter(({ month }) => Number(month) < at && Number(month) >= at - recordMonths);
        covered.push({ day: one.day, isIn: isCovered(one, past) });
      }
    }
  }
  const errorAt = (name: keyof typeof methods, day: number): number =>
    100 * (accuracyOf((found.get(name) ?? []).filter((one) => one.day === day))?.mean ?? Number.NaN);
  for (const day of originDays) {
    const own = errorAt('model', day);
    report.figure(`error from day ${day}, on average`, own, '%', goals.get(day));
    for (const name of ['pace', 'last week', 'augurs'] as const) {
      const other = errorAt(name, day);
      report.figure(`  of ${name}`, other, '%');
      report.figure(
        '    the model, by it',
        own / other,
        'x',
        name !== 'augurs' && goals.has(day) ? 0.75 : undefined,
      );
    }
    const share = mean(covered.filter((one) => one.day === day).map(({ isIn }) => (isIn ? 100 : 0)));
    report.figure('  months within the interval of 80 %', share, '%');
  }
  const all = mean(covered.map(({ isIn }) => (isIn ? 100 : 0)));
  report.figure('months within the interval, all days', all, '%', 85);
  report.figure('  outside of it', 100 - all, '%', 25);
};
