import { matches } from '../tokens/match-rule.ts';
import type { CubeFilter, CubeTeam } from './cube-request.ts';
import type { ServiceOf } from './services.ts';

const fits = (names: readonly string[], patterns: readonly string[] | undefined): boolean =>
  patterns === undefined || patterns.some((pattern) => names.some((name) => matches(pattern, name)));

/**
 * The first team with a pattern that matches the key or its service. Each key has one cost owner, so that the sums of
 * teams and the rest add up.
 */
export const teamOf = (key: string, service: string, teams: readonly CubeTeam[]): string | null =>
  teams.find(({ keys }) => fits([key, service], keys))?.name ?? null;

export const isKeyLeft = (
  key: string,
  only: CubeFilter,
  teams: readonly CubeTeam[],
  serviceOf: ServiceOf,
): boolean => {
  const service = serviceOf(key);
  return (
    fits([key, service], only.keys) &&
    (only.teams === undefined || only.teams.includes(teamOf(key, service, teams)))
  );
};

export const isModelLeft = (model: string, only: CubeFilter): boolean => fits([model], only.models);

export const restrictsKeys = (only: CubeFilter | undefined): boolean =>
  only?.keys !== undefined || only?.teams !== undefined;

export const restrictsModels = (only: CubeFilter | undefined): boolean => only?.models !== undefined;
