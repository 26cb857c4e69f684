import { didYouMean, fault, type UnixMillis } from '../../../core/index.ts';
import { currentUnknown, currentUnknownAdvice, newestOf, type SurveyedKey } from '../../../keys/index.ts';

export type FoundKey = SurveyedKey & { readonly account: string };

const oneOf = (
  named: string,
  candidates: readonly FoundKey[],
  several: string,
  names: readonly string[] = [],
): FoundKey => {
  const [first, second] = candidates;
  if (first !== undefined && second === undefined) return first;
  if (first === undefined)
    throw fault('wrong-use', `no service, key or id matches ${named}`, {
      advice: didYouMean(named, names) ?? '`tollkeeper keys list` shows the existing keys',
    });
  const accounts = new Set(candidates.map(({ account }) => account));
  const shown = candidates.map(
    ({ account, key }) => `id:${key.id} (${key.name}${accounts.size === 1 ? '' : `, account ${account}`})`,
  );
  throw fault('wrong-use', `${named} ${several}: ${shown.join(', ')}`, {
    advice:
      accounts.size === 1
        ? 'use one of these ids'
        : 'use one of these ids, and select the account with --account',
  });
};

export const generationsOf = (named: string, keys: readonly FoundKey[]): readonly FoundKey[] =>
  keys.filter(({ service }) => service === named);

/**
 * Accepts `id:42`, an id, a service (its newest key, even if an older one has that name), or the name of a key.
 * @throws Fault `wrong-use` when several keys match, `key-current-unknown`
 */
export const findKey = (named: string, keys: readonly FoundKey[], now: UnixMillis): FoundKey => {
  const id = /^id:(\d{1,15})$/.exec(named)?.[1];
  if (id !== undefined)
    return oneOf(
      named,
      keys.filter(({ key }) => key.id === Number(id)),
      'is the id of several keys',
    );
  const line = generationsOf(named, keys);
  const accounts = [...new Set(line.map(({ account }) => account))];
  const newest = accounts.flatMap((name) =>
    newestOf(
      line.filter(({ account }) => account === name),
      now,
    ),
  );
  const undecided = newest.find(({ candidates }) => candidates !== undefined);
  if (undecided?.candidates !== undefined)
    throw fault('key-current-unknown', currentUnknown(named, undecided.candidates), {
      advice: currentUnknownAdvice,
    });
  const byName = line.length > 0 ? newest : keys.filter(({ key }) => key.name === named);
  const byId = keys.filter(({ key }) => String(key.id) === named);
  return oneOf(
    named,
    [...new Set([...byId, ...byName])],
    'matches several keys',
    keys.flatMap(({ service, key }) => [service, key.name]),
  );
};
