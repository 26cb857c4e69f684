import { matches } from '../tokens/match-rule.ts';
import type { CubeFilter, CubeTeam } from './cube-request.ts';

/** The first team with a pattern that matches the key: each key is paid for once, so that teams and the rest add up. */
export const teamOf = (key: string, teams: readonly CubeTeam[]): string | null =>
  teams.find(({ keys }) => keys.some((pattern) => matches(pattern, key)))?.name ?? null;

const fits = (name: string, patterns: readonly string[] | undefined): boolean =>
  patterns === undefined || patterns.some((pattern) => matches(pattern, name));

export const isKeyLeft = (key: string, only: CubeFilter, teams: readonly CubeTeam[]): boolean =>
  fits(key, only.keys) && (only.teams === undefined || only.teams.includes(teamOf(key, teams)));

export const isModelLeft = (model: string, only: CubeFilter): boolean => fits(model, only.models);

export const restrictsKeys = (only: CubeFilter | undefined): boolean =>
  only?.keys !== undefined || only?.teams !== undefined;

export const restrictsModels = (only: CubeFilter | undefined): boolean => only?.models !== undefined;
