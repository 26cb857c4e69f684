/** Work in cycles, one after the other, for any number of wake-ups. */
export type Cycles = {
  /** Requests a cycle that starts after this call; resolves when it has ended. Never rejects. */
  readonly wake: () => Promise<void>;
  /** Runs work between two cycles, when nothing else changes the state; a cycle follows. */
  readonly runExclusive: <T>(work: () => Promise<T>) => Promise<T>;
};

/** `onProblem` receives the error of each failed cycle. */
export const createCycles = (runOnce: () => Promise<void>, onProblem: (error: unknown) => void): Cycles => {
  const tasks: (() => Promise<void>)[] = [];
  let running: Promise<void> | undefined;
  let again = false;

  const cycles = async (): Promise<void> => {
    while (again) {
      again = false;
      for (const task of tasks.splice(0)) await task();
      try {
        await runOnce();
      } catch (error) {
        onProblem(error);
      }
    }
    // In the same turn as the last check of `again`: a wake-up in between would be lost.
    running = undefined;
  };
  const wake = (): Promise<void> => {
    again = true;
    // A turn later, so that `running` is set before the first cycle can end.
    running ??= Promise.resolve().then(cycles);
    return running;
  };
  return {
    wake,
    runExclusive: <T>(work: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        tasks.push(() => work().then(resolve, reject));
        void wake();
      }),
  };
};
