/** Work that is done in passes, one after the other, however many wake-ups come. */
export type Cycles = {
  /** Asks for a pass that begins after this call; resolves when it is over. Never rejects. */
  readonly wake: () => Promise<void>;
  /** Does something between two passes, where nobody else changes the state; then there is a pass. */
  readonly between: <T>(work: () => Promise<T>) => Promise<T>;
};

/** `onTrouble` hears of each pass that fails, and of the first good one after it with nothing. */
export const createCycles = (runOnce: () => Promise<void>, onProblem: (error: unknown) => void): Cycles => {
  const tasks: (() => Promise<void>)[] = [];
  let passing: Promise<void> | undefined;
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
    // In the same turn as the last look at `again`: a wake-up in between would be lost.
    passing = undefined;
  };
  const wake = (): Promise<void> => {
    again = true;
    // A turn later, so that `passing` is set before the first pass can end.
    passing ??= Promise.resolve().then(cycles);
    return passing;
  };
  return {
    wake,
    between: <T>(work: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        tasks.push(() => work().then(resolve, reject));
        void wake();
      }),
  };
};
