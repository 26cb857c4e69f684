import { toMillis, type UnixMillis } from '../../core/index.ts';
import { creationTime } from './key-state.ts';
import type { SurveyedKey } from '../model/service-types.ts';

/** The keys that a job selects; all given conditions must hold. */
export type KeySelection = {
  /** A pattern for the key or service name, in which `*` matches any text. */
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  /** Milliseconds. */
  readonly olderThan?: number | undefined;
  readonly team?: string | undefined;
  readonly status?: readonly number[] | undefined;
};

/** The key patterns of a team; the first team with a match pays. */
export type TeamPatterns = { readonly name: string; readonly keys: readonly string[] };

export type SelectDeps = { readonly teams: readonly TeamPatterns[]; readonly now: UnixMillis };

/**
 * Whether a text matches a pattern in which `*` stands for any text, including none. Code point by code point, unlike names
 * in reports: no selector that rotates or deletes gains a key by normalization.
 */
export const fitsPattern = (pattern: string, text: string): boolean => {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
};

const namesOf = ({ key, service }: SurveyedKey): readonly string[] => [key.name, service];

export const teamOf = (surveyed: SurveyedKey, teams: readonly TeamPatterns[]): string | undefined =>
  teams.find(({ keys }) =>
    keys.some((pattern) => namesOf(surveyed).some((name) => fitsPattern(pattern, name))),
  )?.name;

/** An empty group is the default one (docs/gateway.md G8.1). */
const groupOf = (group: string | undefined): string =>
  group === undefined || group === '' ? 'default' : group;

/** Milliseconds since the creation of the key; undefined if the gateway does not state it. */
export const ageOf = ({ key }: SurveyedKey, now: UnixMillis): number | undefined => {
  const created = creationTime(key);
  return created === undefined ? undefined : Math.max(0, now - toMillis(created));
};

/** Whether a job selects the key. A key of unknown age never matches `olderThan`. */
export const isSelected = (
  surveyed: SurveyedKey,
  selection: KeySelection,
  { teams, now }: SelectDeps,
): boolean => {
  const { name, group, olderThan, team, status } = selection;
  const { key } = surveyed;
  if (name !== undefined && !namesOf(surveyed).some((own) => fitsPattern(name, own))) return false;
  if (group !== undefined && groupOf(key.group) !== groupOf(group)) return false;
  if (olderThan !== undefined && (ageOf(surveyed, now) ?? -1) < olderThan) return false;
  if (team !== undefined && teamOf(surveyed, teams) !== team) return false;
  return status === undefined || (key.status !== undefined && status.includes(key.status));
};
