import type { Clock, OutputStream, Progress } from '../../core/index.ts';

/** Milliseconds between two lines when the output is not a terminal. */
const quiet = 5000;

/**
 * Progress of each run with its slot; outside a terminal only the slot, at intervals. The slot is a step of its own,
 * `slot of JOB`, with the number of finished slots.
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
