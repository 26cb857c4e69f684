import type { Clock, Limit, Progress, ProgressStep } from '../core/index.ts';

/** Milliseconds between two lines of one step. */
const pause = 100;

export type Throttle = Disposable & {
  readonly progress: Progress;
  /** Sends pending lines before a later event; drops those for which there is no room. */
  readonly flush: () => void;
};

/**
 * Lets ten lines per second and step pass, and always the last one. `send` returns whether there was room; without room the
 * newest line of each step is kept.
 */
export const createThrottle = (clock: Clock, send: (step: ProgressStep) => boolean): Throttle => {
  /** Steps sent recently, with the newest pending line. */
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
