import { networkProblem } from './problem.ts';

export type Deadline = {
  readonly signal: AbortSignal;
  /** Releases the timer and the caller's signal; call it when the exchange is over. */
  readonly stop: () => void;
  /**
   * The promise's outcome, or a rejection as soon as the exchange is over: undici itself waits for a connection first.
   */
  readonly orEnd: <T>(promise: Promise<T>, late: (value: T) => void) => Promise<T>;
  /** What ended the exchange, if it was the caller or the timeout; otherwise the given error. */
  readonly reasonFor: (error: unknown) => unknown;
};

/** Combines the caller's signal with the total timeout, in milliseconds, of one exchange or of several. The error names `who` did not answer. */
export const startDeadline = (total: number, who: string, caller?: AbortSignal): Deadline => {
  const controller = new AbortController();
  const byCaller = (): void => controller.abort(caller?.reason);
  const timer = setTimeout(
    () =>
      controller.abort(
        networkProblem('timeout', `${who} did not finish its answer within ${total / 1000} s`),
      ),
    total,
  );
  // The socket keeps the process alive while an answer is pending.
  timer.unref();
  caller?.addEventListener('abort', byCaller, { once: true });
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', byCaller);
    },
    orEnd: (promise, late) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          reject(controller.signal.reason);
          promise.then(late, () => undefined);
        };
        controller.signal.addEventListener('abort', end, { once: true });
        promise.finally(() => controller.signal.removeEventListener('abort', end)).then(resolve, reject);
      }),
    reasonFor: (error) => (controller.signal.aborted ? controller.signal.reason : error),
  };
};
