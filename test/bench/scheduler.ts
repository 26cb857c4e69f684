import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog, systemClock } from '../../src/core/index.ts';
import { openWarehouse } from '../../src/warehouse/index.ts';
import { buildProgram, type BuiltProgram, type Running } from '../program/support/built-program.ts';
import { openBenchFixture, type BenchFixture } from './bench-fixture.ts';
import { distinctJobs, jobsDueAt, defaultJobs } from './job-files.ts';
import { memoryOf, processorTimeOf } from './process-figures.ts';
import type { BenchReport } from './report.ts';

/** Of the usual size, seconds: what the start left behind is cleaned up, and then the idle daemon is watched. */
const usualSettling = 60;
const usualIdling = 30;

const secondsSince = (start: number): number => (performance.now() - start) / 1000;

const stop = async (daemon: Running): Promise<void> => {
  daemon.kill('SIGTERM');
  const { code } = await daemon.ended;
  if (code !== 0 || daemon.stderr() !== '') throw new Error(`it ended with ${code}: ${daemon.stderr()}`);
};

type Started = { readonly daemon: Running; readonly ready: number };

const startTimed = async (fixture: BenchFixture): Promise<Started> => {
  const start = performance.now();
  const daemon = fixture.start();
  await daemon.line('"serving"');
  return { daemon, ready: secondsSince(start) };
};

/** Percent of one core that a process uses while nothing is asked of it. */
const shareOfCore = async (pid: number, seconds: number): Promise<number> => {
  const used = await processorTimeOf(pid);
  const start = performance.now();
  await sleep(seconds * 1000);
  return (100 * ((await processorTimeOf(pid)) - used)) / secondsSince(start);
};

type Figures = { readonly ready: number; readonly memory: number; readonly idle: number };

/** A daemon with many jobs of which none is due. */
const measureIdle = async (
  report: BenchReport,
  program: BuiltProgram,
  title: string,
  jobs: string,
  targets: { readonly ready: number; readonly memory: number },
  scale: number,
): Promise<Figures> => {
  const [settleTime, idleFor] = [Math.ceil(usualSettling * scale), Math.ceil(usualIdling * scale)];
  report.title(title);
  await using fixture = await openBenchFixture(program);
  await fixture.declare(jobs);
  const first = await startTimed(fixture);
  const whenReady = await memoryOf(first.daemon.pid);
  report.figure('ready, first start', first.ready, 's', targets.ready);
  const { pid } = first.daemon;
  report.figure('processor time until ready', await processorTimeOf(pid), 's');
  const settling = await shareOfCore(pid, settleTime);
  const later = await memoryOf(pid);
  const idle = await shareOfCore(pid, idleFor);
  if (first.daemon.stdout().some((line) => line.includes('run started'))) throw new Error('a job was due');
  await stop(first.daemon);
  const second = await startTimed(fixture);
  report.figure('ready, with its ledger', second.ready, 's', targets.ready);
  await stop(second.daemon);
  report.figure('memory when ready, resident', whenReady.now, 'MB', targets.memory);
  report.figure(`memory after ${settleTime} s, resident`, later.now, 'MB', targets.memory);
  report.figure('memory, the most there was', later.peak, 'MB', targets.memory);
  report.figure(`processor, the first ${settleTime} s`, settling, '% of a core');
  report.figure('processor when idle', idle, '% of a core', 1);
  return { ready: first.ready, memory: later.peak, idle };
};

/** Many jobs due in the same second. */
const measureBurst = async (report: BenchReport, program: BuiltProgram, count: number): Promise<void> => {
  report.title(`${count} jobs due in the same second`);
  await using fixture = await openBenchFixture(program);
  const slot = (Math.floor(Date.now() / 1000) + 10) * 1000;
  await fixture.declare(jobsDueAt(count, slot));
  const { daemon } = await startTimed(fixture);
  const started = await daemon.line('run started');
  while (daemon.stdout().filter((line) => line.includes('"run succeeded"')).length < count) await sleep(50);
  await stop(daemon);
  await using warehouse = await openWarehouse({
    path: join(fixture.path, 'data/tollkeeper.duckdb'),
    spoolDirectory: join(fixture.path, 'data/spool'),
    memoryLimit: '512MB',
    threads: 2,
    clock: systemClock,
    log: silentLog,
  });
  const runs = await warehouse.runs.list({ limit: count + 1 });
  if (runs.length !== count || runs.some((run) => run.slot !== slot || run.state !== 'ok'))
    throw new Error(`of ${count} jobs not every one ran for its slot`);
  const last = (moments: readonly number[]): number => (Math.max(...moments) - slot) / 1000;
  const { time } = JSON.parse(started) as { readonly time: string };
  report.figure('from the slot to the last claim', last(runs.map((run) => run.claimedAt)), 's', 2);
  report.figure('to the first run, all claims written', last([Date.parse(time)]), 's', 2);
  report.figure('to the last run begun, 64 at once', last(runs.map((run) => run.startedAt ?? Infinity)), 's');
  report.figure('to the last run ended', last(runs.map((run) => run.endedAt ?? Infinity)), 's');
};

/** A daemon's start, memory and idling with many jobs, and many jobs at once. */
export const benchScheduler = async (report: BenchReport, scale = 1): Promise<void> => {
  const [fewJobs, manyJobs, burst] = [2000 * scale, 10_000 * scale, 1000 * scale].map(Math.ceil) as [
    number,
    number,
    number,
  ];
  await using program = await buildProgram();
  const small = { ready: 3, memory: 300 };
  const large = { ready: 8, memory: 500 };
  const few = await measureIdle(
    report,
    program,
    `${fewJobs} jobs`,
    defaultJobs(fewJobs, Date.now()),
    small,
    scale,
  );
  const many = await measureIdle(
    report,
    program,
    `${manyJobs} jobs`,
    defaultJobs(manyJobs, Date.now()),
    large,
    scale,
  );
  await measureIdle(
    report,
    program,
    `${manyJobs} jobs, no two expressions alike`,
    distinctJobs(manyJobs, Date.now()),
    large,
    scale,
  );
  await measureBurst(report, program, burst);
  report.title(`${manyJobs} jobs against ${fewJobs}`);
  report.figure('ready', many.ready / few.ready, 'times');
  report.figure('memory', many.memory / few.memory, 'times');
};
