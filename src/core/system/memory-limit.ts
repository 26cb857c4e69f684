import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join, posix } from 'node:path';

/** The memory, in bytes, that the program may use at most, and what sets the limit. */
export type MemoryLimit = { readonly bytes: number; readonly of: 'container' | 'machine' };

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** The path and all folders above it. */
const upwards = (path: string): readonly string[] =>
  path === '/' ? [path] : [path, ...upwards(posix.dirname(path))];

/** Groups of the process in cgroup v2 (`0::/path`) and in v1 (`4:memory:/path`), and the groups around them. */
const groupsOf = (text: string): { readonly v1: readonly string[]; readonly v2: readonly string[] } => {
  const pathsOf = (line: RegExp): readonly string[] => {
    const [, path = '/'] = line.exec(text) ?? [];
    // Outside of its own namespace, a container sees `/../name`.
    return upwards(posix.resolve('/', path));
  };
  return { v1: pathsOf(/^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m), v2: pathsOf(/^0::(.*)$/m) };
};

/**
 * The limit of the container (cgroup v2 or v1: the lowest of the group's and of those around it) where it is below the
 * memory of the machine, which counts otherwise. `systemRoot` holds `proc` and `sys`.
 */
export const readMemoryLimit = async (systemRoot: string): Promise<MemoryLimit> => {
  const { v1, v2 } = groupsOf(await textOf(join(systemRoot, 'proc/self/cgroup')));
  const files = [
    ...['memory.max', 'memory.high'].flatMap((name) =>
      v2.map((group) => join(systemRoot, 'sys/fs/cgroup', group, name)),
    ),
    ...v1.map((group) => join(systemRoot, 'sys/fs/cgroup/memory', group, 'memory.limit_in_bytes')),
  ];
  const [, kilobytes] = /^MemTotal:\s+(\d+) kB$/m.exec(await textOf(join(systemRoot, 'proc/meminfo'))) ?? [];
  const machine = kilobytes === undefined ? totalmem() : Number(kilobytes) * 1024;
  // No limit is `max` in v2, and more than any machine has in v1.
  const limits = (await Promise.all(files.map(textOf)))
    .filter((text) => /^\d+\s*$/.test(text))
    .map(Number)
    .filter((bytes) => bytes < machine);
  return limits.length === 0
    ? { bytes: machine, of: 'machine' }
    : { bytes: Math.min(...limits), of: 'container' };
};
