import { formatMoment, type LocalDate, type UnixSeconds } from '../core/index.ts';

/** The parts of a date; `month` counts from 1, `weekday` from 0, Sunday. */
export type DateParts = {
  readonly year: string;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
};

export const partsOf = (date: LocalDate): DateParts => ({
  year: date.slice(0, 4),
  month: Number(date.slice(5, 7)),
  day: Number(date.slice(8, 10)),
  weekday: new Date(`${date}T00:00:00Z`).getUTCDay(),
});

/** `14:00 Europe/Berlin` */
export const clockAt = (moment: UnixSeconds, zone: string): string =>
  formatMoment(moment, zone).slice('YYYY-MM-DD '.length);
