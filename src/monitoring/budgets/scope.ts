import {
  isSameName,
  matchesPattern,
  tagsOf,
  teamOf,
  type CubeTeam,
  type TagRule,
} from '../../warehouse/index.ts';
import type { BudgetScope } from './budget.ts';

/** What assigns keys to teams and tags. */
export type ScopeRules = {
  readonly teams: readonly CubeTeam[];
  readonly tags: readonly TagRule[];
};

export type NamedCalls = { readonly model: string; readonly key: string; readonly service: string };

/** Whether calls of this model and key belong to the scope. */
export const inScope = (
  scope: BudgetScope,
  { model, key, service }: NamedCalls,
  { teams, tags }: ScopeRules,
): boolean => {
  switch (scope.kind) {
    case 'account':
      return true;
    case 'team':
      return teamOf(key, service, teams) === scope.name;
    case 'service':
      return isSameName(service, scope.name);
    case 'keys':
      return [key, service].some((name) => matchesPattern(scope.name, name));
    case 'model':
      return matchesPattern(scope.name, model);
    case 'tag':
      return isSameName(tagsOf(key, service, tags)[scope.tag] ?? '', scope.name);
    default:
      return scope satisfies never;
  }
};
