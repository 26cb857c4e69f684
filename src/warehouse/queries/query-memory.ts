import { fault, type Fault } from '../../core/index.ts';
import { readFileSync } from 'node:fs';

/** Bytes of memory that a process has in use; undefined where the system does not report it. */
export const residentBytes = (pid: number): number | undefined => {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
};

/** A process that runs queries. */
export type CountedProcess = {
  readonly pid: number;
  /** Bytes in use before its first query. */
  readonly baseline: number;
  /** Whether reports come first. */
  readonly yields: boolean;
  /** Ends the query that runs, or the idle process. */
  readonly end: (why: Fault) => void;
};

/** The memory of all processes that run queries. */
export type QueryMemory = {
  /** The process counts until it is disposed. */
  readonly add: (process: CountedProcess) => Disposable;
  /** While all together need more than the limit, ends the largest one that yields; one at a time. */
  readonly check: () => void;
};

/** `limit`: bytes above those that one process has in use before its first query. */
export const createQueryMemory = (limit: number, sizeOf = residentBytes): QueryMemory => {
  const processes = new Set<CountedProcess>();
  return {
    add: (process) => {
      processes.add(process);
      return { [Symbol.dispose]: () => void processes.delete(process) };
    },
    check: () => {
      // One alone has a limit of its own.
      if (processes.size < 2) return;
      const sizes = [...processes].map((process) => ({ process, size: sizeOf(process.pid) ?? 0 }));
      const all = sizes.reduce((sum, { size }) => sum + size, 0);
      const base = Math.max(...sizes.map(({ process }) => process.baseline));
      if (all - base <= limit) return;
      const [largest] = sizes
        .filter(({ process }) => process.yields)
        .toSorted((left, right) => right.size - left.size);
      if (largest === undefined) return;
      processes.delete(largest.process);
      largest.process.end(
        fault(
          'queries-busy',
          `the query was ended: the queries that run now need more than ${Math.round(limit / 2 ** 20)} MB of memory together, and those of reports come first`,
        ),
      );
    },
  };
};
