import fc from 'fast-check';
import { createMemoryLedger } from '../support/memory-ledger.ts';
import { describe, it, vi } from 'vitest';

import { openSchedulerFixture } from './support/scheduler-fixture.ts';
import { few, chaosFactor } from '../support/storm.ts';
import { plans } from './support/storm-plan.ts';
import { runChaos } from './support/storm.ts';

vi.setConfig({ testTimeout: 180_000 * chaosFactor });

describe('under any events of process, clock, configuration and disk', () => {
  it('each slot has its row, runs according to its policies and is never duplicated', async () => {
    await fc.assert(
      fc.asyncProperty(plans(12), async (plan) => {
        await runChaos(plan, createMemoryLedger());
      }),
      { numRuns: few(10, 20 * chaosFactor), endOnFailure: true },
    );
  });

  it('each slot behaves the same with the ledger in the warehouse', async () => {
    await fc.assert(
      fc.asyncProperty(plans(6), async (plan) => {
        await using fixture = await openSchedulerFixture();
        await runChaos(plan, fixture.ledger);
      }),
      { numRuns: few(1, 2 * chaosFactor), endOnFailure: true },
    );
  });
});
