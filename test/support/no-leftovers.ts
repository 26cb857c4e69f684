import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives the run a temporary folder of its own; after all tests nothing that one of them made may be left in it. */
export const setup = async (): Promise<() => Promise<void>> => {
  const own = await mkdtemp(join(tmpdir(), 'tollkeeper-tests-'));
  process.env['TMPDIR'] = own;
  return async () => {
    const left = (await readdir(own)).filter((name) => name.startsWith('tollkeeper-'));
    await rm(own, { recursive: true, force: true });
    if (left.length === 0) return;
    // An error in a teardown is printed and, by itself, does not fail the run.
    process.exitCode = 1;
    throw new Error(`tests left files behind: ${left.join(', ')}`);
  };
};
