import type { Retries } from '../config/index.ts';
import { createHash } from 'node:crypto';

/** Milliseconds to wait after so many failed attempts of one run, including the last, without those that an order stopped. */
export const retryWait = (retries: Retries, attempts: number): number => {
  const steps = Math.max(attempts, 1);
  const factor = { constant: 1, linear: steps, exponential: 2 ** Math.min(steps - 1, 40) }[retries.backoff];
  return Math.min(retries.max, retries.initial * factor);
};

/**
 * Milliseconds from 0 up to `most`, always the same for a name: jobs of one slot are spread, and none shifts from day
 * to day.
 */
export const randomizedDelay = (name: string, most: number): number => {
  const hash = createHash('sha256').update(name).digest();
  return Math.floor((hash.readUIntBE(0, 6) / 2 ** 48) * most);
};
