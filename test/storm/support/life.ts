import type { Running } from '../../program/support/built-program.ts';

/** One process of the daemon, from its first breath on; moments in milliseconds UTC. */
export type Life = {
  readonly process: Running;
  readonly spawnedAt: number;
  servedAt?: number;
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

export const bear = (process: Running): Life => ({ process, spawnedAt: Date.now() });

export const untilServing = async (life: Life): Promise<number> => {
  await life.process.line('"serving"');
  life.servedAt = Date.now();
  return life.servedAt;
};

/** Ends a process and gives its exit code. */
export const end = async (life: Life, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
  life.process.kill(signal);
  if (signal === 'SIGKILL') life.diedAt = Date.now();
  const { code } = await life.process.ended;
  life.diedAt ??= Date.now();
  return code;
};

/** What it logged in whole lines: the last one may be cut off by a kill. */
export const linesOf = ({ process }: Life): readonly LogLine[] =>
  process.stdout().map((line) => JSON.parse(line) as LogLine);
