import { readFile } from 'node:fs/promises';
import type { Running } from '../../program/support/built-program.ts';

/** One process of the daemon; moments in milliseconds UTC. */
export type Run = {
  readonly process: Running;
  readonly spawnedAt: number;
  servedAt?: number;
  /** When it was sent the signal that ended it. */
  stoppedAt?: number;
  diedAt?: number;
};

export type LogLine = {
  readonly message: string;
  readonly time: string;
  readonly job?: string;
  readonly slot?: string;
  readonly attempt?: number;
  readonly level: string;
  readonly error?: string;
};

export const startRun = (process: Running): Run => ({ process, spawnedAt: Date.now() });

/** How long something took, in milliseconds: by the clock, and less the time that the process stood in line for a processor. */
export type Took = { readonly clock: number; readonly own: number };

/** Milliseconds that the main thread of a process was ready to run and had no processor; 0 where the system does not tell. */
export const stoodInLine = async ({ process }: Run): Promise<number> => {
  const text = await readFile(`/proc/${process.pid}/schedstat`, 'utf8').catch(() => '');
  return Number(text.split(' ')[1] ?? 0) / 1e6;
};

/** From a moment in its life on until it serves. */
export const untilServing = async (life: Run, since: number, inLine = 0): Promise<Took> => {
  await life.process.line('"serving"');
  life.servedAt = Date.now();
  const clock = life.servedAt - since;
  return { clock, own: clock - ((await stoodInLine(life)) - inLine) };
};

/** Ends a process and gives its exit code. */
export const end = async (life: Run, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
  life.process.kill(signal);
  life.stoppedAt = Date.now();
  if (signal === 'SIGKILL') life.diedAt = life.stoppedAt;
  const { code } = await life.process.ended;
  life.diedAt ??= Date.now();
  return code;
};

/** What it logged in whole lines: the last one may be cut off by a kill. */
export const linesOf = ({ process }: Run): readonly LogLine[] =>
  process.stdout().map((line) => JSON.parse(line) as LogLine);
