import type { Clock } from './clock.ts';
import { isFault } from './fault.ts';
import { firstSignal } from './first-signal.ts';

export type RetryPolicy = {
  /** Maximum number of attempts, the first included. */
  readonly attempts: number;
  /** Milliseconds: the upper bound of the first wait; it doubles with each attempt. */
  readonly initial: number;
  /** Milliseconds: the maximum of computed waits. */
  readonly max: number;
  /** Milliseconds: if the server requests a longer wait (`Retry-After`), the fault is thrown instead. */
  readonly longestRetryAfter: number;
};

export type RetryDeps = {
  readonly clock: Clock;
  /** 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((error: unknown, wait: number, attempt: number) => void) | undefined;
  /** The signal after which this failure is final: no attempt follows it, and a wait for one ends. */
  readonly finalAfter?: ((error: unknown) => AbortSignal | undefined) | undefined;
};

/** Full jitter (Brooker, "Exponential Backoff and Jitter"): anywhere between 0 and the doubled bound, in milliseconds. */
export const backoff = (policy: RetryPolicy, attempt: number, random: () => number): number =>
  Math.floor(random() * Math.min(policy.max, policy.initial * 2 ** (attempt - 1)));

/**
 * Milliseconds to wait after this failure; undefined when another attempt will not help. `Retry-After` is a lower
 * bound.
 */
export const waitAfter = (
  error: unknown,
  policy: RetryPolicy,
  attempt: number,
  random: () => number,
): number | undefined => {
  if (attempt >= policy.attempts || !isFault(error) || !error.retryHelps) return undefined;
  const own = backoff(policy, attempt, random);
  if (error.retryAfter === undefined) return own;
  return error.retryAfter > policy.longestRetryAfter ? undefined : error.retryAfter + own;
};

/** Runs an idempotent operation until it succeeds or another attempt will not help. */
export const withRetry = async <T>(
  operation: (attempt: number) => Promise<T>,
  policy: RetryPolicy,
  deps: RetryDeps,
): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    deps.signal?.throwIfAborted();
    try {
      return await operation(attempt);
    } catch (error) {
      const wait = waitAfter(error, policy, attempt, deps.random);
      const final = deps.finalAfter?.(error);
      if (wait === undefined || final?.aborted === true) throw error;
      deps.onRetry?.(error, wait, attempt);
      using ends = firstSignal([deps.signal, final]);
      await deps.clock.wait(wait, ends.signal).catch((reason: unknown) => {
        deps.signal?.throwIfAborted();
        throw final?.aborted === true ? error : reason;
      });
    }
  }
};
