import { interval, unixSeconds, type Interval, type UnixSeconds } from '../units.ts';

/** A calendar month of UTC. */
export type Month = { readonly name: string; readonly range: Interval<UnixSeconds> };

const secondsOf = (year: number, month: number): UnixSeconds => unixSeconds(Date.UTC(year, month) / 1000);

/** The UTC month that contains the moment; its name is `2025-01`. */
export const monthAt = (moment: UnixSeconds): Month => {
  const date = new Date(moment * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    name: `${String(year).padStart(4, '0')}-${String(month + 1).padStart(2, '0')}`,
    range: interval(secondsOf(year, month), secondsOf(year, month + 1)),
  };
};
