import type { TagName } from '../../core/index.ts';
import { matches, rememberedByRules } from '../tokens/match-rule.ts';
import type { CubeFilter, CubeTeam } from './cube-request.ts';
import type { ServiceOf } from './services.ts';
import { tagsOf, type TagRule } from './tags.ts';

const fits = (names: readonly string[], patterns: readonly string[] | undefined): boolean =>
  patterns === undefined || patterns.some((pattern) => names.some((name) => matches(pattern, name)));

/**
 * The first team with a pattern that matches the key or its service. Each key has one cost owner, so that the sums of
 * teams and the rest add up.
 */
export const teamOf = rememberedByRules(
  (key, service, teams: readonly CubeTeam[]): string | null =>
    teams.find(({ keys }) => fits([key, service], keys))?.name ?? null,
);

/** What assigns keys to teams and tags. */
export type OwnerRules = {
  readonly teams: readonly CubeTeam[];
  readonly tags: readonly TagRule[];
  readonly serviceOf: ServiceOf;
};

export const isKeyLeft = (key: string, only: CubeFilter, { teams, tags, serviceOf }: OwnerRules): boolean => {
  const service = serviceOf(key);
  const wanted = Object.entries(only.tags ?? {});
  const { tagged } = only;
  const has = wanted.length === 0 && tagged === undefined ? undefined : tagsOf(key, service, tags);
  return (
    fits([key, service], only.keys) &&
    (only.teams === undefined || only.teams.includes(teamOf(key, service, teams))) &&
    (tagged === undefined || tagged.values.includes(has?.[tagged.tag] ?? null)) &&
    wanted.every(([name, patterns]) => {
      const value = has?.[name as TagName] ?? null;
      return patterns === undefined || (value !== null && fits([value], patterns));
    })
  );
};

export const isModelLeft = (model: string, only: CubeFilter): boolean => fits([model], only.models);

export const restrictsKeys = (only: CubeFilter | undefined): boolean =>
  only?.keys !== undefined ||
  only?.teams !== undefined ||
  only?.tagged !== undefined ||
  Object.values(only?.tags ?? {}).some((patterns) => patterns !== undefined);

export const restrictsModels = (only: CubeFilter | undefined): boolean => only?.models !== undefined;
