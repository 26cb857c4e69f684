import { readFile } from 'node:fs/promises';

export type MemoryFigures = { readonly peak: number; readonly now: number };

const ticksPerSecond = 100;

/** Memory of a process in MB (10^6 bytes), the largest so far and now. Linux alone tells. */
export const memoryOf = async (pid: number): Promise<MemoryFigures> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6;
  return { peak: megabytes('VmHWM'), now: megabytes('VmRSS') };
};

/** Seconds of processor time that a process has used, of its own and in the system. */
export const processorTimeOf = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
};
