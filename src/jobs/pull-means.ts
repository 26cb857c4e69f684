import type { JobContext } from './job-kind.ts';

/** What a pull of either export needs beside its request and the way to fetch it. */
export const pullMeans = ({ warehouse, spoolDirectory, clock, log, progress, signal }: JobContext) => ({
  warehouse,
  spoolDirectory,
  clock,
  log,
  progress,
  signal,
});
