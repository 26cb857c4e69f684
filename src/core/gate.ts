/** Lets at most so many pieces of work in at once; the rest wait in the order they came. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export const createGate = (places: number): Gate => {
  const waiting: (() => void)[] = [];
  let free = places;
  const enter = async (): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
};

export type NamedGates = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** One gate for each name: work under the same name runs one after the other. */
export const createNamedGates = (): NamedGates => {
  const gates = new Map<string, Gate>();
  return async (name, work) => {
    const gate = gates.get(name) ?? createGate(1);
    gates.set(name, gate);
    return gate(work);
  };
};
