/** A map for each account, empty at first. */
export const createAccountMaps = <Key, Value>(): ((account: string) => Map<Key, Value>) => {
  const maps = new Map<string, Map<Key, Value>>();
  return (account) => {
    const known = maps.get(account) ?? new Map<Key, Value>();
    maps.set(account, known);
    return known;
  };
};
