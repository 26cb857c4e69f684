import type { Execution, Outcome } from '../../../src/scheduler/index.ts';
import type { SchedulerFixture } from './scheduler-fixture.ts';

export type HeldRun = {
  readonly execution: Execution;
  readonly end: (outcome?: Outcome) => void;
  readonly fail: (error: unknown) => void;
};

/** Runs that end when the test says so, or when they are stopped. */
export const blockedRuns = (fixture: SchedulerFixture): readonly HeldRun[] => {
  const blocked: HeldRun[] = [];
  fixture.play = (execution) =>
    new Promise((resolve, reject) => {
      execution.signal.addEventListener('abort', () => reject(execution.signal.reason as Error));
      blocked.push({
        execution,
        end: (outcome = { summary: 'done', figures: {} }) => resolve(outcome),
        fail: reject,
      });
    });
  return blocked;
};
