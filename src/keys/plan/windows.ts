import { minuteMillis, unixMillis, type UnixMillis } from '../../core/index.ts';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

/**
 * A time of day at which rotations may start, by the local clock of a zone: on a day of 23 or 25 hours it may be shorter or longer. A window that
 * ends at or before its start continues on the next day; `days` are those on which it starts.
 */
export type MaintenanceWindow = {
  /** Every day if omitted. */
  readonly days?: readonly Weekday[] | undefined;
  /** `02:00`; `to` is exclusive and may be `24:00`. */
  readonly from: string;
  readonly to: string;
};

const quarter = 15 * minuteMillis;
const minutesOfDay = 1440;
const fortnight = 14 * minutesOfDay * minuteMillis;

/** Minutes since midnight of `02:30`; undefined for an invalid time of day. */
export const minutesOf = (text: string): number | undefined => {
  const [, hours, minutes] = /^(\d{2}):([0-5]\d)$/.exec(text) ?? [];
  const total = Number(hours) * 60 + Number(minutes);
  return total <= minutesOfDay ? total : undefined;
};

type WallClock = { readonly day: number; readonly minutes: number };

/** The local time of the zone; `day` is an index of `weekdays`. */
const wallClockOf = (zone: string): ((moment: UnixMillis) => WallClock) => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (moment) => {
    const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]));
    const name = String(parts['weekday']).toLowerCase();
    return {
      day: weekdays.findIndex((day) => day === name),
      minutes: Number(parts['hour']) * 60 + Number(parts['minute']),
    };
  };
};

const isWithin = ({ days, from, to }: MaintenanceWindow, { day, minutes }: WallClock): boolean => {
  const [start = 0, end = minutesOfDay] = [minutesOf(from), minutesOf(to)];
  const isOn = (index: number): boolean => {
    const name = weekdays[index];
    return days === undefined || (name !== undefined && days.includes(name));
  };
  if (start < end) return isOn(day) && minutes >= start && minutes < end;
  return (isOn(day) && minutes >= start) || (isOn((day + 6) % 7) && minutes < end);
};

/** Whether rotations may start now; always, if no window is declared. */
export const isOpen = (windows: readonly MaintenanceWindow[], moment: UnixMillis, zone: string): boolean => {
  if (windows.length === 0) return true;
  const now = wallClockOf(zone)(moment);
  return windows.some((window) => isWithin(window, now));
};

/** The first minute at or after the moment in which rotations may start, within the next fortnight. */
export const nextOpening = (
  windows: readonly MaintenanceWindow[],
  moment: UnixMillis,
  zone: string,
): UnixMillis | undefined => {
  if (isOpen(windows, moment, zone)) return moment;
  const wallClock = wallClockOf(zone);
  const isOpenAt = (shown: WallClock): boolean => windows.some((window) => isWithin(window, shown));
  const first = Math.floor(moment / quarter) * quarter;
  for (let start = first; start < first + fortnight; start += quarter) {
    // Zones change their offset only at full quarter hours, so the local clock is continuous within one.
    const { day, minutes } = wallClock(unixMillis(start));
    for (let at = start; at < start + quarter; at += minuteMillis) {
      const shown = minutes + (at - start) / minuteMillis;
      const isNext = shown >= minutesOfDay;
      const clock = { day: isNext ? (day + 1) % 7 : day, minutes: isNext ? shown - minutesOfDay : shown };
      if (at > moment && isOpenAt(clock)) return unixMillis(at);
    }
  }
  return undefined;
};
