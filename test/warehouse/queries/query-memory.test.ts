import { describe, expect, it } from 'vitest';
import { createQueryMemory } from '../../../src/warehouse/queries/query-memory.ts';

const MB = 2 ** 20;

/** Processes with a baseline of 100 MB each, in which 100 MB are left above one of them. */
const fixture = () => {
  const sizes = new Map<number, number>();
  const ended: string[] = [];
  const memory = createQueryMemory(100 * MB, (pid) => sizes.get(pid));
  return {
    ended,
    memory,
    add: (pid: number, size: number, yields: boolean) => {
      sizes.set(pid, size * MB);
      return memory.add({
        pid,
        baseline: 100 * MB,
        yields,
        end: (why) => ended.push(`${pid}: ${why.code}: ${why.message}`),
      });
    },
  };
};

describe('the memory of the processes that run queries', () => {
  it('is left to each of them while all together need less than the limit', () => {
    const { add, memory, ended } = fixture();
    add(1, 100, false);
    add(2, 100, true);
    memory.check();
    expect(ended).toEqual([]);
  });

  it('is taken from the largest query that yields, one at a time', () => {
    const { add, memory, ended } = fixture();
    add(1, 180, false);
    add(2, 101, true);
    add(3, 102, true);
    memory.check();
    expect(ended).toEqual([expect.stringMatching(/^3: queries-busy: .*more than 100 MB of memory/)]);
    memory.check();
    expect(ended).toHaveLength(2);
    memory.check();
    expect(ended).toHaveLength(2);
  });

  it('of one process alone is limited by that process', () => {
    const { add, memory, ended } = fixture();
    add(1, 900, true);
    memory.check();
    expect(ended).toEqual([]);
  });

  it('no longer counts a process that has ended', () => {
    const { add, memory, ended } = fixture();
    add(1, 190, false);
    add(2, 150, true)[Symbol.dispose]();
    memory.check();
    expect(ended).toEqual([]);
  });
});
