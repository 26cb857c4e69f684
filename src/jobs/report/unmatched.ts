import { tagNames } from '../../core/index.ts';
import { unmatchedSelectors, type Selector, type Unmatched } from '../../monitoring/index.ts';
import type { KnownNames } from '../../warehouse/index.ts';
import type { CostOwners, Part } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';

/**
 * What selects the part of a report, one list for each condition that must hold: a part of which one list matches nothing
 * is empty.
 */
const selectorsOfPart = (
  { team, filters = {} }: Part,
  { teams }: Pick<CostOwners, 'teams'>,
): readonly (readonly Selector[])[] => {
  const select = (names: Selector['names'], patterns: readonly string[] | undefined): readonly Selector[] =>
    (patterns ?? []).map((pattern) => ({ names, pattern }));
  const ofTeam = teams.find(({ name }) => name === team)?.keys;
  return [
    select('key', ofTeam),
    select('key', filters.keys),
    select('model', filters.models),
    ...tagNames.map((tag) => select(tag, filters.tags?.[tag])),
  ].filter((list) => list.length > 0);
};

/**
 * The selectors of a part that match no name which is known, without those of a team that also has others; and the first
 * one for which the part is empty.
 */
export const unmatchedOf = async (
  part: Part,
  costOwners: CostOwners,
  { account, warehouse }: JobContext,
): Promise<{
  readonly unmatched: readonly Unmatched<Selector>[];
  readonly selectsNothing: Unmatched<Selector> | undefined;
}> => {
  const lists = selectorsOfPart(part, costOwners);
  const foundIn = (names: KnownNames) =>
    lists.map((list) => unmatchedSelectors(list, names, costOwners.tags ?? []));
  if (lists.length === 0) return { unmatched: [], selectsNothing: undefined };
  const summed = await warehouse.knownNames(account.name, 'summaries');
  // The names of calls that no report has read yet are looked up only where they matter.
  const isEnough =
    summed.keys.length > 0 &&
    summed.models.length > 0 &&
    foundIn(summed).every((unmatched) => unmatched.length === 0);
  const found = foundIn(isEnough ? summed : await warehouse.knownNames(account.name, 'calls'));
  const empty = found.filter((list, index) => list.length === lists[index]?.length);
  const isOfTeam = (index: number): boolean => index === 0 && typeof part.team === 'string';
  return {
    unmatched: found.flatMap((list, index) => (isOfTeam(index) && !empty.includes(list) ? [] : list)),
    selectsNothing: empty.flat()[0],
  };
};
