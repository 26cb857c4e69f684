import { fault } from '../base/index.ts';
import type { SurveyedKey } from '../keys/index.ts';

/** A key with the account it belongs to. */
export type FoundKey = SurveyedKey & { readonly account: string };

const oneOf = (named: string, candidates: readonly FoundKey[], several: string): FoundKey => {
  const [first, second] = candidates;
  if (first !== undefined && second === undefined) return first;
  if (first === undefined)
    throw fault('wrong-use', `no service, key or id is ${named}`, {
      advice: '`tollkeeper keys list` shows the keys that there are',
    });
  const accounts = new Set(candidates.map(({ account }) => account));
  const shown = candidates.map(
    ({ account, key }) => `id:${key.id} (${key.name}${accounts.size === 1 ? '' : `, account ${account}`})`,
  );
  throw fault('wrong-use', `${named} ${several}: ${shown.join(', ')}`, {
    advice:
      accounts.size === 1
        ? 'give one of these ids'
        : 'give one of these ids, and with --account the account that is meant',
  });
};

/** The newest of each service: what a service's name stands for. */
const newest = (keys: readonly FoundKey[]): readonly FoundKey[] => {
  const accounts = [...new Set(keys.map(({ account }) => account))];
  return accounts.flatMap((account) => {
    const line = keys.filter((key) => key.account === account);
    const last = Math.max(...line.map(({ generation }) => generation));
    return line.filter(({ generation }) => generation === last);
  });
};

/**
 * The key that a person names: `id:42`, an id, the name of a key, or a service, which stands for its newest key. What
 * fits several keys is refused. @throws Fault `wrong-use`
 */
export const findKey = (named: string, keys: readonly FoundKey[]): FoundKey => {
  const id = /^id:(\d{1,15})$/.exec(named)?.[1];
  if (id !== undefined)
    return oneOf(
      named,
      keys.filter(({ key }) => key.id === Number(id)),
      'is the id of several keys',
    );
  const direct = keys.filter(({ key }) => key.name === named || String(key.id) === named);
  const line = newest(keys.filter(({ service }) => service === named));
  return oneOf(named, [...new Set([...direct, ...line])], 'fits several keys');
};
