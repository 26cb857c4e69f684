/** Items by what `nameOf` returns for them, in their order. As `Map.groupBy`, which Node 20 does not have. */
export const groupBy = <T, Name>(
  items: Iterable<T>,
  nameOf: (item: T) => Name,
): ReadonlyMap<Name, readonly [T, ...T[]]> => {
  const groups = new Map<Name, [T, ...T[]]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
};

/** Runs of items that go on, in their order: a new one begins where `goesOn` is false for the last item of the run and the next. */
export const runsOf = <T>(
  items: Iterable<T>,
  goesOn: (last: T, next: T, run: readonly T[]) => boolean,
): readonly (readonly [T, ...T[]])[] => {
  const runs: [T, ...T[]][] = [];
  for (const item of items) {
    const run = runs.at(-1);
    if (run !== undefined && goesOn(run.at(-1) ?? run[0], item, run)) run.push(item);
    else runs.push([item]);
  }
  return runs;
};
