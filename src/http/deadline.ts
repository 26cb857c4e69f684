import { networkProblem } from './problem.ts';

export type Deadline = {
  readonly signal: AbortSignal;
  /** Lets go of the timer and of the caller's signal; to be called when the exchange is over. */
  readonly stop: () => void;
  /** The promise's outcome, or a rejection as soon as the exchange is over: undici itself waits for a connection first. */
  readonly orEnd: <T>(promise: Promise<T>, late: (value: T) => void) => Promise<T>;
  /** What ended the exchange, when it was the caller or the clock; otherwise the error given. */
  readonly reasonFor: (error: unknown) => unknown;
};

/** Joins the caller's signal with the total time, in milliseconds, of one exchange. */
export const startDeadline = (total: number, host: string, caller?: AbortSignal): Deadline => {
  const controller = new AbortController();
  const byCaller = (): void => controller.abort(caller?.reason);
  const timer = setTimeout(
    () =>
      controller.abort(
        networkProblem('timeout', `${host} did not finish its answer within ${total / 1000} s`),
      ),
    total,
  );
  // The socket keeps the process alive as long as there is something to wait for.
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
