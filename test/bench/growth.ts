import { describeChanges, fingerprintConfig } from '../../src/config/index.ts';
import { unixMillis } from '../../src/core/index.ts';
import {
  nextSlot,
  nextSlots,
  previousSlot,
  previousSlots,
  scheduleFault,
} from '../../src/scheduler/slots.ts';
import { goodEnv, load, memoryFiles, reportFiles } from '../config/support/load.ts';
import { chainedJobs, faultyJobs } from '../config/support/many-jobs.ts';
import { distinctSchedules } from '../scheduler/support/distinct-schedules.ts';
import type { BenchReport } from './report.ts';

/** Ten times the size takes ten times as long where work is linear, and a hundred times where it is quadratic. */
const usualSize = 1000;
const linear = 25;

const now = unixMillis(Date.parse('2026-11-21T08:00:00Z'));

const planSchedules = (count: number): void => {
  for (const schedule of distinctSchedules(count)) {
    if (scheduleFault(schedule) !== undefined) throw new Error(`${schedule.expression} is refused`);
    previousSlot(schedule, nextSlot(schedule, now) ?? now);
  }
};

const walkSlots = (count: number): void => {
  const schedule = { expression: '* * * * * *', zone: 'Europe/Berlin' };
  previousSlots(schedule, now, count);
  nextSlots(schedule, unixMillis(now - count * 1000), count);
};

/** Seconds. */
const timed = async (work: () => unknown): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};

/** How the time of work grows from a thousand to ten thousand jobs, schedules or slots. */
export const benchGrowth = async (report: BenchReport, scale = 1): Promise<void> => {
  const few = Math.ceil(usualSize * scale);
  const many = 10 * few;
  report.title(`growth from ${few} to ${many}: 10 is linear, 100 quadratic`);
  const grow = async (name: string, work: (count: number) => unknown): Promise<void> => {
    // The first run of all compiles the code.
    await work(few / 10);
    const [small, large] = [await timed(() => work(few)), await timed(() => work(many))];
    report.row(name, `${small.toFixed(3)} s and ${large.toFixed(3)} s`);
    report.figure(`${name}, ratio`, large / small, '', linear);
  };
  await grow('jobs loaded', (count) => load(chainedJobs(count), goodEnv));
  await grow('jobs with two faults each', (count) => load(faultyJobs(count), goodEnv));
  const loaded = new Map<number, Awaited<ReturnType<typeof load>>>();
  for (const count of [few / 10, few, many]) loaded.set(count, await load(chainedJobs(count), goodEnv));
  await grow('jobs compared after a change', async (count) => {
    const { config, read } = loaded.get(count) ?? {};
    if (config === undefined || read === undefined) throw new Error('the config is not valid');
    await fingerprintConfig(memoryFiles({ ...reportFiles, ...chainedJobs(count) }), read);
    describeChanges(config, config);
  });
  await grow('schedules checked and planned', planSchedules);
  await grow('slots of every second, both ways', walkSlots);
};
