import { addMoney, type Interval, type UnixMillis, type UnixSeconds } from '../../core/index.ts';
import type { KeyUse } from '../model/event-fields.ts';
import type { GenerationKey } from '../model/rotation.ts';
import type { Cycle } from '../cycle/cycle.ts';

export type NamedUse = { readonly name: string; readonly use: KeyUse };

/** A name as the log shows it: some exports trim spaces that some lists keep. */
export const bareName = (name: string): string => name.replaceAll(/^\p{Zs}+|(?<!\p{Zs})\p{Zs}+$/gu, '');

export const isSameName = (one: string, other: string): boolean => bareName(one) === bareName(other);

/** Merges names that the log cannot distinguish; the first one stays. */
export const distinctNames = (names: readonly string[]): readonly string[] =>
  names.filter((name, place) => names.findIndex((one) => isSameName(one, name)) === place);

/** Every name that the key had since then, the name in the journal first: others can rename a key. */
export const namesBorne = async (
  { deps: { evidence, account }, keys }: Cycle,
  { keyId, name }: Pick<GenerationKey, 'keyId' | 'name'>,
  since: UnixMillis,
): Promise<readonly string[]> => {
  const listed = keys().get(keyId)?.name ?? name;
  const shown = (await evidence.namesOf(account, [keyId], since)).get(keyId) ?? [];
  return [...new Set([name, ...shown, listed])];
};

/** Calls under each name; names that the log cannot distinguish count once. */
export const usesOf = async (
  { deps: { evidence, account } }: Cycle,
  names: readonly string[],
  range: Interval<UnixSeconds>,
): Promise<readonly NamedUse[]> => {
  const uses: NamedUse[] = [];
  for (const name of distinctNames(names)) uses.push({ name, use: await evidence.use(account, name, range) });
  return uses;
};

const sumOfModels = (uses: readonly KeyUse[]): KeyUse['models'] => {
  const sums = new Map<string, number>();
  for (const { models } of uses)
    for (const { model, calls } of models) sums.set(model, (sums.get(model) ?? 0) + calls);
  return [...sums]
    .map(([model, calls]) => ({ model, calls }))
    .sort((left, right) => right.calls - left.calls);
};

export const sumOfUses = (named: readonly NamedUse[]): KeyUse => {
  const uses = named.map(({ use }) => use);
  const [first] = uses;
  if (first !== undefined && uses.length === 1) return first;
  const lastCall = uses.reduce<UnixSeconds | undefined>(
    (latest, use) =>
      use.lastCall !== undefined && (latest === undefined || use.lastCall > latest) ? use.lastCall : latest,
    undefined,
  );
  const spends = uses.flatMap(({ spend }) => (spend === undefined ? [] : [spend]));
  const [spend, ...others] = spends;
  return {
    calls: uses.reduce((sum, use) => sum + use.calls, 0),
    lastCall,
    ...(spend === undefined ? {} : { spend: others.reduce(addMoney, spend) }),
    models: sumOfModels(uses),
  };
};
