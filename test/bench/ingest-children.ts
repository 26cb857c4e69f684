import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Measured, Task } from './ingest-process.ts';
import { processorTimeOf } from './process-figures.ts';

const program = fileURLToPath(new URL('ingest-process.js', import.meta.url));

/** Carries one task out in a process of its own. */
export const inOwnProcess = async (task: Task): Promise<Measured> => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(task)]);
  return JSON.parse(stdout) as Measured;
};

export type ServerProcess = AsyncDisposable & {
  readonly port: number;
  /** Seconds of processor time so far. */
  readonly cpu: () => Promise<number>;
};

export const startServer = async (file: string): Promise<ServerProcess> => {
  const child = spawn(process.execPath, [program, JSON.stringify({ kind: 'serve', file })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { rows: port } = JSON.parse(line.toString()) as Measured;
  return {
    port,
    cpu: () => processorTimeOf(child.pid ?? 0),
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
};
