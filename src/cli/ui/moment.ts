import { formatMoment, toSeconds, unixMillis, type UnixMillis } from '../../core/index.ts';
import type { Screen } from './paint.ts';

/** Local time, to the minute. */
const wallClock = (moment: number, zone: string): string =>
  formatMoment(toSeconds(unixMillis(moment)), zone).slice(0, '2026-11-21 08:00'.length);

/** Minutes ahead of UTC. */
const offset = (moment: number, zone: string): number =>
  (Date.parse(`${wallClock(moment, zone).replace(' ', 'T')}Z`) - Math.floor(moment / 60_000) * 60_000) /
  60_000;

const offsetText = (minutes: number): string => {
  const two = (value: number): string => String(value).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
};

/** Milliseconds; no clock was ever set back further. */
const maxClockShift = 3 * 3_600_000;

/** Whether the local time occurs twice, as in the DST overlap. */
const isRepeated = (moment: number, zone: string): boolean => {
  const here = offset(moment, zone);
  const later = offset(moment + maxClockShift, zone);
  const earlier = offset(moment - maxClockShift, zone);
  return (
    (later < here && offset(moment + (here - later) * 60_000, zone) === later) ||
    (earlier > here && offset(moment - (earlier - here) * 60_000, zone) === earlier)
  );
};

const withOffset = (text: string, moment: number, zone: string): string =>
  isRepeated(moment, zone) ? `${text} ${offsetText(offset(moment, zone))}` : text;

/** `2026-11-21 08:00` in the time zone, with the offset during a DST overlap. */
export const localMoment = (moment: UnixMillis, zone: string): string =>
  withOffset(wallClock(moment, zone), moment, zone);

/** Includes seconds if the slot has any. */
export const localSlot = (slot: UnixMillis, zone: string): string => {
  const seconds = Math.floor(slot / 1000) % 60;
  const text = `${wallClock(slot, zone)}${seconds === 0 ? '' : `:${String(seconds).padStart(2, '0')}`}`;
  return withOffset(text, slot, zone);
};

/** Undefined unless all have the same. */
export const commonZone = (things: readonly { readonly zone: string }[]): string | undefined => {
  const zones = new Set(things.map(({ zone }) => zone));
  const [only] = zones;
  return zones.size === 1 ? only : undefined;
};

export const timesIn = (zone: string | undefined, { paint }: Pick<Screen, 'paint'>): readonly string[] => [
  paint('quiet', zone === undefined ? 'times in the time zone of each job' : `times in ${zone}`),
];
