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
