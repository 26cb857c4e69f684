import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * Each process of tests stays on a core of its own. A SQL statement passes between its threads five times, which takes
 * twice the CPU across cores (0.98 ms against 0.56 ms). Without `taskset` (util-linux) the tests only run slower.
 */
const pinned = globalThis as { isOnOneCore?: boolean };
const cores = availableParallelism();
if (process.env['TOLLKEEPER_TESTS'] === 'in-process' && pinned.isOnOneCore !== true && cores > 1) {
  pinned.isOnOneCore = true;
  const core = (Number(process.env['VITEST_POOL_ID']) - 1) % cores;
  spawnSync('taskset', ['-acp', String(core), String(process.pid)]);
}
