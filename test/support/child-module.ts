import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { compiledModules } from './compiled-modules.ts';

const prelude = `
  const [out, path, spool, ...given] = process.argv.slice(1);
  const base = await import(out + '/core/index.js');
  const { openWarehouse } = await import(out + '/warehouse/index.js');
  const die = () => process.kill(process.pid, 'SIGKILL');
  const say = (line) => process.stdout.write(line + '\\n');
  const options = { path, memoryLimit: '256MB', threads: 2, spoolDirectory: spool, clock: base.systemClock, log: base.silentLog };`;

/** Starts a process that runs a module. The module can use `base`, `openWarehouse`, its `options`, `given`, `die` and `say`. */
const startChild = async (module: string, path: string, spool: string, given: readonly string[]) =>
  spawn(
    process.execPath,
    ['--input-type=module', '-e', prelude + module, await compiledModules(), path, spool, ...given],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );

/** Runs a module that kills itself, so that no handler and no clean-up runs. Returns the signal that ended it. */
export const runUntilKilled = async (
  module: string,
  path: string,
  spool: string,
  ...given: readonly string[]
): Promise<unknown> => {
  const child = await startChild(module, path, spool, given);
  child.stdout.resume();
  const [, signal] = (await once(child, 'exit')) as readonly unknown[];
  return signal;
};

/** Runs a module, kills it at the first line for which `isEnough` is true, and returns the number of lines. */
export const killAfter = async (
  isEnough: (line: string, count: number) => boolean,
  module: string,
  path: string,
  spool: string,
  ...given: readonly string[]
): Promise<number> => {
  const child = await startChild(module, path, spool, given);
  const exit = once(child, 'exit');
  let count = 0;
  for await (const line of createInterface(child.stdout)) {
    count += 1;
    if (isEnough(line, count)) child.kill('SIGKILL');
  }
  await exit;
  return count;
};
