import { describeChanges, fingerprintConfig } from '../../src/config/index.ts';
import { unixMillis } from '../../src/base/index.ts';
import { nextSlot, nextSlots, previousSlot, previousSlots, scheduleFault } from '../../src/schedule/slots.ts';
import { goodEnv, goodSettings, load, memoryFiles, reportFiles } from '../config/support/load.ts';
import type { BenchReport } from './report.ts';

/** Ten times the size takes ten times as long where work is linear, and a hundred times where it is quadratic. */
const few = 1000;
const many = 10_000;
const linear = 25;

const now = unixMillis(Date.parse('2026-11-21T08:00:00Z'));
const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Shanghai', 'UTC'];

const filesOf = (count: number, lineOf: (index: number) => string) => ({
  'config/tollkeeper.yaml': goodSettings,
  'config/jobs/many.yaml': `jobs:\n${Array.from({ length: count }, (_, index) => lineOf(index)).join('\n')}\n`,
});

/** Jobs of which each needs the one before it. */
const chained = (count: number) =>
  filesOf(count, (index) => {
    const need = index === 0 ? '' : `j${index - 1}`;
    return `  j${index}: { kind: pull-logs, schedule: "7 * * * *", since: 2025-01-01, needs: [${need}] }`;
  });

const faulty = (count: number) =>
  filesOf(count, (index) => `  j${index}: { kind: pull-logs, since: 2025-01-01, account: mian, timeot: 1h }`);

const planSchedules = (count: number): void => {
  for (let index = 0; index < count; index += 1) {
    const [second, minute, hour] = [index % 60, Math.floor(index / 60) % 60, Math.floor(index / 3600)];
    const expression = `${second} ${minute} ${hour},12 * * MON-FRI`;
    const schedule = { expression, zone: zones[index % 4] ?? 'UTC' };
    if (scheduleFault(schedule) !== undefined) throw new Error(`${expression} is refused`);
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
export const benchGrowth = async (report: BenchReport): Promise<void> => {
  report.title(`growth from ${few} to ${many}: 10 is linear, 100 quadratic`);
  const grow = async (name: string, work: (count: number) => unknown): Promise<void> => {
    // The first run of all compiles the code.
    await work(few / 10);
    const [small, large] = [await timed(() => work(few)), await timed(() => work(many))];
    report.row(name, `${small.toFixed(3)} s and ${large.toFixed(3)} s`);
    report.figure(`${name}, ratio`, large / small, '', linear);
  };
  await grow('jobs loaded', (count) => load(chained(count), goodEnv));
  await grow('jobs with two faults each', (count) => load(faulty(count), goodEnv));
  const loaded = new Map<number, Awaited<ReturnType<typeof load>>>();
  for (const count of [few / 10, few, many]) loaded.set(count, await load(chained(count), goodEnv));
  await grow('jobs compared after a change', async (count) => {
    const { config, read } = loaded.get(count) ?? {};
    if (config === undefined || read === undefined) throw new Error('the config is not valid');
    await fingerprintConfig(memoryFiles({ ...reportFiles, ...chained(count) }), read);
    describeChanges(config, config);
  });
  await grow('schedules checked and planned', planSchedules);
  await grow('slots of every second, both ways', walkSlots);
};
