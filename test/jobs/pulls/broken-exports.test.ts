import { describe, expect, it } from 'vitest';
import { interval, startOfDay, unixSeconds, type ProgressStep } from '../../../src/core/index.ts';
import type { Fault } from '../../../src/sandbox/index.ts';
import { now } from '../../support/gateway-fixture.ts';
import { openJobFixture } from '../../support/job-fixture.ts';

const since = '2026-11-19';
const logs = '/api/log/self/stream-export';
const usage = '/api/data/self/pivot/stream-export';
const whole = interval(startOfDay(since, 'UTC'), unixSeconds(Math.floor(now / 1000) - 600));

const breaks: readonly (Fault & { kind: 'cut-off' })[] = [
  { kind: 'cut-off', rows: 0, end: 'destroyed', times: 3 },
  { kind: 'cut-off', rows: 9, end: 'destroyed', times: 1 },
  { kind: 'cut-off', rows: 9, end: 'clean', times: 1 },
];

describe.each(breaks)('an incomplete export (%j)', (broken) => {
  it.each([0, 1, 2])(
    'is requested again within the run of a log pull, after %d good answers',
    async (skip) => {
      await using fixture = await openJobFixture();
      const steps: ProgressStep[] = [];
      fixture.sandbox.faults.plant({ ...broken, path: logs, skip });
      const pulled = await fixture.run(
        'pull-logs',
        { since, window: '1d' },
        { progress: (step) => steps.push(step) },
      );
      expect(fixture.sandbox.faults.pending()).toEqual([]);
      expect(pulled.figures['rows']).toBe(fixture.sandbox.truth.sums(whole.start, whole.end).rows);
      // The first answer is a header alone: its break may come before the headers are read, and then the request itself is
      // repeated; where it shows as a missing line end, it is read twice anyway.
      if (skip > 0) expect(steps.map(({ step }) => step)).toContain('retrying the call log export');
    },
  );

  it.each([0, 1])(
    'is requested again within the run of a usage pull, after %d good answers',
    async (skip) => {
      await using fixture = await openJobFixture();
      const steps: ProgressStep[] = [];
      fixture.sandbox.faults.plant({ ...broken, path: usage, skip });
      const pulled = await fixture.run('pull-usage', { since }, { progress: (step) => steps.push(step) });
      expect(fixture.sandbox.faults.pending()).toEqual([]);
      expect(pulled.figures['rows']).toBeGreaterThan(0);
      expect(steps.map(({ step }) => step)).toContain('retrying the usage export');
    },
  );
});
