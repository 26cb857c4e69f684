import { formatMoment, toSeconds, unixMillis, type UnixMillis } from '../../core/index.ts';
import type { Screen } from './paint.ts';

/** What clocks of the zone show, to the minute. */
const wallClock = (moment: number, zone: string): string =>
  formatMoment(toSeconds(unixMillis(moment)), zone).slice(0, '2026-11-21 08:00'.length);

/** Minutes that clocks of the zone are ahead of UTC. */
const offset = (moment: number, zone: string): number =>
  (Date.parse(`${wallClock(moment, zone).replace(' ', 'T')}Z`) - Math.floor(moment / 60_000) * 60_000) /
  60_000;

const offsetText = (minutes: number): string => {
  const two = (value: number): string => String(value).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
};

/** No clock was ever set back by more. */
const maxClockShift = 3 * 3_600_000;

/** Whether clocks of the zone show the same time once more, an hour or so before or after. */
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

/** `2026-11-21 08:00` on the clocks of the zone, with the offset where clocks are set back and show it twice. */
export const localMoment = (moment: UnixMillis, zone: string): string =>
  withOffset(wallClock(moment, zone), moment, zone);

/** The same of a slot, with seconds where it has some. */
export const localSlot = (slot: UnixMillis, zone: string): string => {
  const seconds = Math.floor(slot / 1000) % 60;
  const text = `${wallClock(slot, zone)}${seconds === 0 ? '' : `:${String(seconds).padStart(2, '0')}`}`;
  return withOffset(text, slot, zone);
};

/** The zone that all of them share. */
export const commonZone = (things: readonly { readonly zone: string }[]): string | undefined => {
  const zones = new Set(things.map(({ zone }) => zone));
  const [only] = zones;
  return zones.size === 1 ? only : undefined;
};

/** Above a table: the zone of its times. */
export const timesIn = (zone: string | undefined, { paint }: Pick<Screen, 'paint'>): readonly string[] => [
  paint('quiet', zone === undefined ? 'times in the time zone of each job' : `times in ${zone}`),
];

/** `2026-11-21 07:00 UTC` and `2026-11-21T07:00:00Z`. */
const utcMoments = /\b(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d(?::\d\d)?) UTC|T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)Z)\b/g;

/** A sentence that was written down with its times in UTC, with them on the clocks of the zone; commands in backticks stay. */
export const inZone = (text: string, zone: string): string =>
  zone === 'UTC'
    ? text
    : text
        .split(/(`[^`]*`)/)
        .map((part) =>
          part.startsWith('`')
            ? part
            : part.replaceAll(utcMoments, (whole: string, date: string, spaced?: string, joined?: string) => {
                const moment = Date.parse(`${date}T${spaced ?? joined ?? ''}Z`);
                return Number.isNaN(moment) ? whole : `${localSlot(unixMillis(moment), zone)} ${zone}`;
              }),
        )
        .join('');
