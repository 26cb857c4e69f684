import { didYouMean, fault, type Money } from '../core/index.ts';
import type { Budget } from '../monitoring/index.ts';
import { matchesPattern, type CubeRequest } from '../warehouse/index.ts';

/** Pays for keys whose names match one of the patterns, in which `*` stands for any text. */
export type Team = {
  readonly name: string;
  readonly keys: readonly string[];
  /** Empty: messages go to the operators. */
  readonly mail: readonly string[];
  /** In the currency of the account. */
  readonly budget?: Money | undefined;
};

/** Tags whose values have mail addresses. */
export type AddressedTag = 'owner' | 'cost_center';

export type CostOwners = {
  /** The first team that matches a key pays for it. */
  readonly teams: readonly Team[];
  /** Per calendar month. */
  readonly budget?: Money | undefined;
  readonly prices: NonNullable<CubeRequest['prices']>;
  readonly tags?: NonNullable<CubeRequest['tags']>;
  /** Mail addresses by the value of a tag. */
  readonly mailOf?: Readonly<Record<AddressedTag, Readonly<Record<string, readonly string[]>>>>;
  readonly operators: readonly string[];
  /** Includes the budgets in short form. */
  readonly budgets?: readonly Budget[];
};

/** The mail addresses of a value of a tag; empty without any. */
export const addressesOf = (
  { mailOf }: Pick<CostOwners, 'mailOf'>,
  tag: AddressedTag,
  value: string,
): readonly string[] => {
  const byValue = mailOf?.[tag] ?? {};
  return Object.hasOwn(byValue, value) ? (byValue[value] ?? []) : [];
};

export const noCostOwners: CostOwners = { teams: [], prices: [], operators: [] };

/** Patterns of names, in which `*` stands for any text. */
export type Filters = {
  readonly models?: readonly string[] | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly teams?: readonly string[] | undefined;
  /** Patterns of tag values. */
  readonly tags?: NonNullable<CubeRequest['only']>['tags'];
};

/** The scope of a report: the account, one team, keys without a team (null), or those with a tag; restricted by the filters. */
export type Part = {
  readonly team?: string | null | undefined;
  readonly filters?: Filters | undefined;
  /** Exact values of a tag; null stands for keys without it. */
  readonly tagged?: NonNullable<CubeRequest['only']>['tagged'];
};

/** Undefined means everything, including keys without a team. */
const teamsLeft = (
  { team: asked, filters }: Part,
  teams: readonly Team[],
): readonly (string | null)[] | undefined => {
  const team = asked?.normalize('NFC') ?? asked;
  const names = teams.map(({ name }) => name);
  if (team !== undefined && team !== null && !names.includes(team))
    throw fault('wrong-use', `team ${team} is not declared; declared teams: ${names.join(', ') || 'none'}`, {
      advice: didYouMean(team, names) ?? 'use a team that is declared under `teams` in tollkeeper.yaml',
    });
  const fitting =
    filters?.teams === undefined
      ? undefined
      : names.filter((name) => filters.teams?.some((pattern) => matchesPattern(pattern, name)));
  if (team === undefined) return fitting;
  return fitting === undefined || (team !== null && fitting.includes(team)) ? [team] : [];
};

/** Teams, budgets, prices and the scope, for the warehouse. @throws Fault */
export const depsFor = (
  { teams, budget, prices, tags = [] }: CostOwners,
  part: Part,
  currency: string,
): Pick<CubeRequest, 'teams' | 'tags' | 'budgets' | 'prices' | 'only'> => {
  const left = teamsLeft(part, teams);
  const { models, keys, tags: filtered } = part.filters ?? {};
  return {
    teams,
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
      tags: filtered,
      tagged: part.tagged,
    },
  };
};

export const isWhole = ({ team, filters = {}, tagged }: Part): boolean =>
  team === undefined &&
  tagged === undefined &&
  Object.values(filters).every((patterns) => patterns === undefined);
