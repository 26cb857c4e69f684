import type { Clock, OutputStream, Progress } from '../../core/index.ts';

/** Milliseconds between two lines where the output is no terminal. */
const quiet = 5000;

/**
 * What the runs of a backfill do, told with the slot they are of; off a terminal only the slot, now and then. The slot
 * comes as a step of its own, `slot of JOB` with how many are done.
 */
export const backfillProgress = (
  job: string,
  show: Progress,
  output: Pick<OutputStream, 'isTerminal'>,
  clock: Pick<Clock, 'now'>,
): Progress => {
  let place = '';
  let last: number | undefined;
  return (step) => {
    if (step.step !== `slot of ${job}`) {
      if (output.isTerminal) show({ ...step, step: place === '' ? step.step : `${place}: ${step.step}` });
      return;
    }
    place = `slot ${step.done ?? 0} of ${step.total ?? 0}`;
    if (!output.isTerminal && last !== undefined && clock.now() - last < quiet) return;
    last = clock.now();
    show({ step: place });
  };
};
