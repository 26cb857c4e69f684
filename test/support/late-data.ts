import { unixMillis, type LateData } from '../../src/core/index.ts';

/** That a pull reaches the moment, or has no data yet, and the run needs data through November 22. */
export const lateData = (reaches?: string): LateData => ({
  needs: [
    {
      job: 'pull-logs',
      reaches: reaches === undefined ? undefined : unixMillis(Date.parse(reaches)),
      isSuspended: false,
    },
  ],
  through: unixMillis(Date.parse('2026-11-22T00:00:00Z')),
  zone: 'UTC',
});
