import { dateAt, type LocalDate, type TimeSpan, type UnixSeconds } from '../../core/index.ts';
import { clockAt, partsOf } from '../dates.ts';

const weekdays = ['周日', '周一', '周二', '周三', '周四', '周五', '周六'];

export const shortDay = (date: LocalDate): string => {
  const { month, day } = partsOf(date);
  return `${month}月${day}日`;
};

export const longDay = (date: LocalDate): string => {
  const { weekday, year } = partsOf(date);
  return `${year}年${shortDay(date)} ${weekdays[weekday] ?? ''}`;
};

export const range = (first: LocalDate, last: LocalDate): string => {
  if (first === last) return longDay(first);
  const [from, to] = [partsOf(first), partsOf(last)];
  if (from.year !== to.year) return `${from.year}年${shortDay(first)} – ${to.year}年${shortDay(last)}`;
  if (from.month !== to.month) return `${from.year}年${shortDay(first)} – ${shortDay(last)}`;
  return `${from.year}年${shortDay(first)} – ${to.day}日`;
};

export const day = (date: LocalDate): string => `${partsOf(date).year}年${shortDay(date)}`;

/** `2026年11月20日 14:00 Europe/Berlin` */
export const moment = (at: UnixSeconds, zone: string): string =>
  `${day(dateAt(at, zone))} ${clockAt(at, zone)}`;

const units = { day: '天', hour: '小时', minute: '分钟', second: '秒' };

/** `30 天` */
export const span = ({ count, unit }: TimeSpan): string => `${count.toLocaleString('zh')} ${units[unit]}`;
