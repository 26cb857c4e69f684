import type { Schedule } from '../../../src/scheduler/slots.ts';

const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Shanghai', 'UTC'];

/** Schedules of which no two have the same expression. */
export const distinctSchedules = (count: number): readonly Schedule[] =>
  Array.from({ length: count }, (_, index) => {
    const [second, minute, hour] = [index % 60, Math.floor(index / 60) % 60, Math.floor(index / 3600)];
    return { expression: `${second} ${minute} ${hour},12 * * MON-FRI`, zone: zones[index % 4] ?? 'UTC' };
  });
