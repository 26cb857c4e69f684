/** Runs at most so many pieces of work at once; the rest wait in order of arrival. */
export type Gate = (<T>(work: () => Promise<T>) => Promise<T>) & {
  /** The same for the enclosing block: `using _place = await gate.enter()`. */
  readonly enter: () => Promise<Disposable>;
};

export const createGate = (limit: number): Gate => {
  const waiting: (() => void)[] = [];
  let free = limit;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const enter = async (): Promise<Disposable> => {
    if (free > 0) free -= 1;
    else
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    return { [Symbol.dispose]: leave };
  };
  const within = async <T>(work: () => Promise<T>): Promise<T> => {
    using _place = await enter();
    return await work();
  };
  return Object.assign(within, { enter });
};

export type NamedGates = (<T>(name: string, work: () => Promise<T>) => Promise<T>) & {
  readonly enter: (name: string) => Promise<Disposable>;
};

/** One gate per name: work under the same name is serialized. */
export const createNamedGates = (): NamedGates => {
  const gates = new Map<string, Gate>();
  const gateOf = (name: string): Gate => {
    const gate = gates.get(name) ?? createGate(1);
    gates.set(name, gate);
    return gate;
  };
  return Object.assign(<T>(name: string, work: () => Promise<T>) => gateOf(name)(work), {
    enter: (name: string) => gateOf(name).enter(),
  });
};

/** The results of works that run beside each other. Waits for all even if one fails, so that none continues after the run that began them. */
export const together = async <const Works extends readonly unknown[]>(
  works: Works,
): Promise<{ -readonly [Place in keyof Works]: Awaited<Works[Place]> }> => {
  await Promise.allSettled(works);
  return Promise.all(works);
};
