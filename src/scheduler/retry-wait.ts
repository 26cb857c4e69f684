import type { Retries } from '../config/index.ts';

/** Milliseconds to wait after so many failed attempts of one run, including the last, without those that an order stopped. */
export const retryWait = (retries: Retries, attempts: number): number => {
  const steps = Math.max(attempts, 1);
  const factor = { constant: 1, linear: steps, exponential: 2 ** Math.min(steps - 1, 40) }[retries.backoff];
  return Math.min(retries.max, retries.initial * factor);
};
