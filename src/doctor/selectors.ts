import type { Config, DeclaredSelector } from '../config/index.ts';
import { unmatchedAdvice, unmatchedSelectors, unmatchedText, type Unmatched } from '../monitoring/index.ts';
import type { KnownNames, Warehouse } from '../warehouse/index.ts';
import { passed } from './results.ts';
import type { DoctorCheck } from './doctor-view.ts';

/** The known names of each account. */
export type NamesByAccount = Readonly<Record<string, KnownNames>>;

/** Reads the names of each account, those of every stored call included. */
export const namesByAccount = async (
  accounts: readonly string[],
  { knownNames }: Pick<Warehouse, 'knownNames'>,
): Promise<NamesByAccount> =>
  Object.fromEntries(
    await Promise.all(accounts.map(async (name) => [name, await knownNames(name, 'calls')] as const)),
  );

/** The selectors of the configuration that match nothing; those of no account are compared with the names of all. */
export const unmatchedIn = (
  { selectors, settings }: Pick<Config, 'selectors' | 'settings'>,
  names: NamesByAccount,
): readonly Unmatched<DeclaredSelector>[] => {
  const all: KnownNames = {
    keys: Object.values(names).flatMap(({ keys }) => keys),
    models: Object.values(names).flatMap(({ models }) => models),
  };
  const rules = Object.entries(settings.tags).map(([pattern, tags]) => ({ pattern, tags }));
  return selectors.flatMap((selector) => {
    const known = selector.account === undefined ? all : names[selector.account];
    return known === undefined ? [] : unmatchedSelectors([selector], known, rules);
  });
};

/** Whether each selector of the configuration matches something, as checks. */
export const checkSelectors = (
  config: Pick<Config, 'selectors' | 'settings'>,
  names: NamesByAccount,
): readonly DoctorCheck[] => {
  if (config.selectors.length === 0) return [];
  const unmatched = unmatchedIn(config, names);
  if (unmatched.length === 0) return [passed('selectors', 'each matches a key or model that is known')];
  return unmatched.map((selector) => ({
    about: `selector ${selector.at}`,
    state: 'warning',
    message: unmatchedText(selector),
    advice: unmatchedAdvice(selector),
  }));
};
