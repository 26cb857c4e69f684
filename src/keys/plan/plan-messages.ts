import { countText } from '../../core/index.ts';
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** Formats milliseconds as `30 days` or `36 hours`, rounded down; in whole days from two days on. */
export const durationText = (millis: number): string => {
  const [noun, length] =
    millis >= 2 * units[0][1] || (millis > 0 && millis % units[0][1] === 0)
      ? units[0]
      : (units.slice(1).find(([, size]) => millis >= size) ?? units[3]);
  return countText(Math.floor(millis / length), noun);
};
