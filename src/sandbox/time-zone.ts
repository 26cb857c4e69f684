const DAY = 86_400;
const HOUR = 3_600;

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();

/** Seconds ahead of UTC at `seconds` (Unix seconds). The zones of the sandbox change on the hour. */
export const offsetAt = (zone: string, seconds: number): number => {
  if (zone === 'UTC') return 0;
  const hour = Math.floor(seconds / HOUR);
  const known = offsets.get(`${zone} ${hour}`);
  if (known !== undefined) return known;
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  const text =
    format.formatToParts(hour * HOUR * 1000).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const match = /^GMT(?:(?<sign>[+-])(?<hours>\d\d):(?<minutes>\d\d))?$/u.exec(text);
  const { sign = '+', hours = '0', minutes = '0' } = match?.groups ?? {};
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * 60);
  offsets.set(`${zone} ${hour}`, offset);
  return offset;
};

/** Days since 1970-01-01 of the local date. */
export const localDay = (zone: string, seconds: number): number =>
  Math.floor((seconds + offsetAt(zone, seconds)) / DAY);

/** Unix seconds at which a local date begins. */
export const startOfLocalDay = (zone: string, day: number): number => {
  const guess = day * DAY - offsetAt(zone, day * DAY);
  return day * DAY - offsetAt(zone, guess);
};

const isoText = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** `2026-11-01` */
export const dateText = (day: number): string => isoText(day * DAY).slice(0, 10);

/** `2026-11-01 13:00:00`, without a time zone. */
export const naiveText = (zone: string, seconds: number): string =>
  isoText(seconds + offsetAt(zone, seconds))
    .slice(0, 19)
    .replace('T', ' ');

/** `2026-11-01T13:00:00+08:00`, or with Z in UTC. */
export const rfc3339Text = (zone: string, seconds: number): string => {
  const offset = offsetAt(zone, seconds);
  const local = isoText(seconds + offset).slice(0, 19);
  if (offset === 0) return `${local}Z`;
  const size = Math.abs(offset);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(size / HOUR)}:${two((size % HOUR) / 60)}`;
};
