import { fault, type Money } from '../core/index.ts';
import type { Budget } from '../monitoring/index.ts';
import type { CubeRequest } from '../warehouse/index.ts';

/** Who pays for keys whose names match one of the patterns, in which `*` stands for anything. */
export type Team = {
  readonly name: string;
  readonly keys: readonly string[];
  /** Who in the team is told; the operators where nobody is. */
  readonly mail: readonly string[];
  /** In the currency of the account. */
  readonly budget?: Money | undefined;
};

/** What the config says of money for one account. */
export type CostOwners = {
  /** The first that matches a key pays for it. */
  readonly teams: readonly Team[];
  /** What the account may spend in a calendar month. */
  readonly budget?: Money | undefined;
  readonly prices: NonNullable<CubeRequest['prices']>;
  /** The tags of keys; none when omitted. */
  readonly tags?: NonNullable<CubeRequest['tags']>;
  readonly operators: readonly string[];
  /** All budgets of the account, those in short form included. */
  readonly budgets?: readonly Budget[];
};

export const noCostOwners: CostOwners = { teams: [], prices: [], operators: [] };

/** Patterns of names, in which `*` stands for anything. */
export type Filters = {
  readonly models?: readonly string[] | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly teams?: readonly string[] | undefined;
  /** Of the values of tags. */
  readonly tags?: NonNullable<CubeRequest['only']>['tags'];
};

/** What a report is about: all, one team, or what no team pays for (null); and of that what the filters leave. */
export type Part = { readonly team?: string | null | undefined; readonly filters?: Filters | undefined };

const matching = (names: readonly string[], patterns: readonly string[]): readonly string[] =>
  names.filter((name) =>
    patterns.some((pattern) =>
      new RegExp(
        `^${pattern
          .split('*')
          .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
          .join('.*')}$`,
        's',
      ).test(name),
    ),
  );

/** Which teams are left; nothing where all are, those included that no team pays for. */
const teamsLeft = (
  { team, filters }: Part,
  teams: readonly Team[],
): readonly (string | null)[] | undefined => {
  const names = teams.map(({ name }) => name);
  if (team !== undefined && team !== null && !names.includes(team))
    throw fault('wrong-use', `team ${team} is not declared; declared teams: ${names.join(', ') || 'none'}`, {
      advice: 'use a team that is declared under `teams` in tollkeeper.yaml',
    });
  const fitting = filters?.teams === undefined ? undefined : matching(names, filters.teams);
  if (team === undefined) return fitting;
  return fitting === undefined || (team !== null && fitting.includes(team)) ? [team] : [];
};

/** What the warehouse is told of teams, budgets and prices, and of the part of the account that is asked for. @throws Fault */
export const depsFor = (
  { teams, budget, prices, tags = [] }: CostOwners,
  part: Part,
  currency: string,
): Pick<CubeRequest, 'teams' | 'tags' | 'budgets' | 'prices' | 'only'> => {
  const left = teamsLeft(part, teams);
  const { models, keys, tags: tagged } = part.filters ?? {};
  return {
    teams: teams.map(({ name, keys: patterns }) => ({ name, keys: patterns })),
    tags,
    prices,
    budgets: [
      ...(budget === undefined ? [] : [{ month: budget, currency }]),
      ...teams.flatMap((team) =>
        team.budget === undefined ? [] : [{ team: team.name, month: team.budget, currency }],
      ),
    ],
    only: {
      teams: left,
      models,
      keys,
      tags: tagged,
    },
  };
};

export const isWhole = ({ team, filters = {} }: Part): boolean =>
  team === undefined && Object.values(filters).every((patterns) => patterns === undefined);
