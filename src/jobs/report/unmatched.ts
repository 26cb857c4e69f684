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

type UnmatchedOfPart = {
  /** Without those of a team that also has others which match. */
  readonly unmatched: readonly Unmatched<Selector>[];
  /** The first selector for which the part is empty. */
  readonly selectsNothing: Unmatched<Selector> | undefined;
};

/** Finds the selectors of parts that match no known name. The names are read once for all parts of a report. */
export const findUnmatched = (
  costOwners: CostOwners,
  { account, warehouse }: JobContext,
): ((part: Part) => Promise<UnmatchedOfPart>) => {
  const read = (from: 'summaries' | 'calls') => warehouse.knownNames(account.name, from);
  let summaries: Promise<KnownNames> | undefined;
  let calls: Promise<KnownNames> | undefined;
  return async (part) => {
    // Filters of a part by tags name what others may pay for.
    const lists = part.tagged === undefined ? selectorsOfPart(part, costOwners) : [];
    if (lists.length === 0) return { unmatched: [], selectsNothing: undefined };
    const foundIn = (names: KnownNames) =>
      lists.map((list) => unmatchedSelectors(list, names, costOwners.tags ?? []));
    const summed = await (summaries ??= read('summaries'));
    // The names of calls that no report has read yet are looked up only where they matter.
    const isEnough =
      summed.keys.length > 0 &&
      summed.models.length > 0 &&
      foundIn(summed).every((unmatched) => unmatched.length === 0);
    const found = foundIn(isEnough ? summed : await (calls ??= read('calls')));
    const empty = found.filter((list, index) => list.length === lists[index]?.length);
    const isOfTeam = (index: number): boolean => index === 0 && typeof part.team === 'string';
    return {
      unmatched: found.flatMap((list, index) => (isOfTeam(index) && !empty.includes(list) ? [] : list)),
      selectsNothing: empty.flat()[0],
    };
  };
};
