import { minuteMillis, hourMillis } from '../../core/index.ts';
const second = 1000;

const parts = (large: number, largeName: string, small: number, smallName: string): string =>
  small === 0 ? `${large} ${largeName}` : `${large} ${largeName} ${small} ${smallName}`;

/** Milliseconds as text, two units at most: `340 ms`, `1.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export const describeDuration = (millis: number): string => {
  // A clock that was set back gives a negative duration.
  const range = Math.max(0, Math.round(millis));
  if (range < second) return `${range} ms`;
  const tenths = Math.round(range / 100);
  if (tenths < 100) return `${tenths / 10} s`;
  const seconds = Math.round(range / second);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return parts(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(range / minuteMillis);
  if (minutes < 24 * 60) return parts(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(range / hourMillis);
  return parts(Math.floor(hours / 24), 'd', hours % 24, 'h');
};

/** `in 3 h 20 min`, `in 4 s`; `now` for a time that has come. */
export const describeUntil = (moment: number, now: number): string =>
  moment <= now ? 'now' : `in ${describeDuration(Math.ceil((moment - now) / second) * second)}`;
