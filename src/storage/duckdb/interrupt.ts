import type { Connection } from './connection.ts';

/**
 * Milliseconds between interrupts. One that arrives while no statement runs is lost, so they repeat until the work
 * ends.
 */
const pause = 20;

/** Interrupts every statement on the connection after the signal is aborted, until it is disposed of. */
export const interruptOn = ({ native }: Connection, signal: AbortSignal): Disposable => {
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    native.interrupt();
    timer = setInterval(() => native.interrupt(), pause);
  };
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return {
    [Symbol.dispose]: () => {
      signal.removeEventListener('abort', begin);
      clearInterval(timer);
    },
  };
};
