import type { Clock, Limit, Progress, ProgressStep } from '../core/index.ts';

/** Milliseconds between two lines of one step. */
const pause = 100;

export type Throttle = Disposable & {
  readonly progress: Progress;
  /** Sends what is held back, before something that comes after it; what finds no room is dropped. */
  readonly flush: () => void;
};

/**
 * Lets through ten lines a second of each step, the last one always. `send` says whether there was room; what finds no
 * room is held, one line a step, and gives way to a newer one.
 */
export const createThrottle = (clock: Clock, send: (step: ProgressStep) => boolean): Throttle => {
  /** Steps that have just been told of, with the newest line that is held back. */
  const entries = new Map<string, { pending?: ProgressStep | undefined; limit: Limit }>();

  const flush = (): void => {
    for (const entry of entries.values()) {
      if (entry.pending !== undefined) send(entry.pending);
      delete entry.pending;
    }
  };
  const rest = (name: string, pending?: ProgressStep): void => {
    const limit = clock.limit(pause);
    entries.set(name, { limit, pending });
    limit.signal.addEventListener('abort', () => {
      const waiting = entries.get(name)?.pending;
      if (waiting === undefined) entries.delete(name);
      else rest(name, send(waiting) ? undefined : waiting);
    });
  };
  return {
    progress: (step) => {
      const entry = entries.get(step.step);
      if (entry === undefined) {
        flush();
        rest(step.step, send(step) ? undefined : step);
      } else entry.pending = step;
    },
    flush,
    [Symbol.dispose]: () => {
      for (const { limit } of entries.values()) limit[Symbol.dispose]();
      entries.clear();
    },
  };
};
