import {
  fromWallClock,
  isDate,
  startOfDay,
  toMillis,
  unixMillis,
  type UnixMillis,
} from '../../core/index.ts';
import { momentOf } from '../format/dst-overlaps.ts';

/**
 * A bucket's time as usage exports write it: Unix seconds to nanoseconds, RFC 3339, or a date, week or wall-clock time of the
 * zone. Undefined when it is no time.
 */
export const usageTime = (cell: string, zone: string): UnixMillis | undefined => {
  const text = cell.trim().replace(/^'/, '');
  if (/^\d{12,14}$/.test(text)) return unixMillis(Number(text));
  if (/^\d{9,11}$/.test(text)) return unixMillis(Number(text) * 1000);
  // Microseconds or nanoseconds, by the digits of the years from 2001 on.
  if (/^\d{16}(\d{3})?$/.test(text)) return unixMillis(Number(text.slice(0, 13)));
  const dashed = text.replaceAll('/', '-');
  if (/^\d{4}-\d\d-\d\d$/.test(dashed))
    return isDate(dashed) ? toMillis(startOfDay(dashed, zone)) : undefined;
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$/.test(dashed)) {
    const zoned = dashed.replace(/([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
    const moment = Date.parse(zoned.replace(' ', 'T'));
    return Number.isNaN(moment) ? undefined : unixMillis(moment);
  }
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(dashed)) return momentOf(dashed, zone);
  if (!/^\d{4}-W\d\d$/.test(dashed)) return undefined;
  const monday = fromWallClock(dashed, zone);
  return monday === undefined ? undefined : toMillis(monday);
};
