import { money, toSeconds, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import { type KeySurvey, type SurveyedKey, placeByName, templateOf } from '../../../src/keys/index.ts';

export const now = unixMillis(Date.parse('2026-11-21T08:00:00Z'));
export const hour = 3_600_000;
export const day = 24 * hour;

export const defaultNameTemplate = templateOf('{service}.g{generation}');

type Given = Partial<Omit<SurveyedKey, 'key'>> & {
  readonly id?: number;
  /** Days; null for a gateway that does not tell. */
  readonly age?: number | null;
  readonly key?: Partial<SurveyedKey['key']>;
};

let nextId = 1;

/** A key as a survey shows it, its place read off its name unless given. */
export const surveyed = (name: string, { age = 60, id, key = {}, ...more }: Given = {}): SurveyedKey => {
  nextId += 1;
  const seconds = toSeconds(now);
  return {
    key: {
      id: id ?? nextId,
      name,
      keyMask: 'sk-****',
      status: 1,
      remainQuota: money('5'),
      unlimitedQuota: false,
      expiredTime: 'never',
      group: '',
      createdTime: age === null ? undefined : unixSeconds(Math.floor(seconds - age * 86_400)),
      rest: {},
      ...key,
    },
    ...placeByName(defaultNameTemplate, name),
    known: false,
    ...more,
  };
};

export const surveyOf = (...keys: readonly SurveyedKey[]): KeySurvey => ({ at: now, keys });

export const daysAgo = (days: number) => unixMillis(now - days * day);
