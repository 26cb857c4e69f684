/** Weights by hour (UTC) and weekday, and growth over the years. Means are 1. */

export const DAY = 86_400;
export const HOUR = 3_600;

const hours = [
  0.25, 0.2, 0.18, 0.18, 0.22, 0.35, 0.6, 1.0, 1.5, 1.8, 1.85, 1.7, 1.5, 1.7, 1.85, 1.75, 1.5, 1.25, 1.05,
  0.95, 0.85, 0.7, 0.5, 0.35,
] as const;

/** From Sunday on. */
const weekdays = [0.5, 1.2, 1.28, 1.25, 1.18, 1.05, 0.54] as const;

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const hoursMean = mean(hours);
const weekdaysMean = mean(weekdays);

/** Days since 1970-01-01 of the middle of the growth. */
const middle = Date.UTC(2026, 3, 15) / 1000 / DAY;

/** Growth depends on the calendar and not on the caller's clock, so that a day always has the same rows. */
const growth = (day: number): number => 1 + 0.4 * Math.tanh((day - middle) / 240);

/** Expected calls in one hour of a day (days since 1970-01-01). */
export const expectedCalls = (callsPerDay: number, day: number, hour: number): number => {
  const weekday = (day + 4) % 7;
  const byWeek = (weekdays[weekday] ?? 1) / weekdaysMean;
  return ((callsPerDay * growth(day) * byWeek) / 24) * ((hours[hour] ?? 1) / hoursMean);
};
