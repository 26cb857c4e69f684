import { createHash } from 'node:crypto';
import { z } from 'zod';
import { unixSeconds } from '../../core/index.ts';
import type { KeySurvey, SurveyedKey } from '../model/service-types.ts';
import { isExhausted } from './key-state.ts';

const seconds = z.int().transform((value) => unixSeconds(value));

/** The fields that a plan depends on. Omits the remaining quota, which changes with each call and is read again when the plan is applied. */
export const keyState = z.object({
  id: z.int(),
  name: z.string(),
  service: z.string(),
  generation: z.int(),
  known: z.boolean(),
  status: z.int().nullable(),
  group: z.string(),
  unlimited: z.boolean(),
  exhausted: z.boolean(),
  expires: z.union([z.literal('never'), seconds]),
  created: seconds.nullable(),
  rotation: z.string().nullable(),
});

export type KeyState = Readonly<z.output<typeof keyState>>;

export type PlanState = { readonly keys: readonly KeyState[]; readonly fingerprint: string };

export type Concerned = { readonly services: ReadonlySet<string>; readonly ids: ReadonlySet<number> };

const stateOf = ({ key, service, generation, known, rotation }: SurveyedKey): KeyState => ({
  id: key.id,
  name: key.name,
  service,
  generation,
  known,
  status: key.status ?? null,
  group: key.group ?? '',
  unlimited: key.unlimitedQuota,
  exhausted: isExhausted(key),
  expires: key.expiredTime,
  created: key.createdTime ?? null,
  rotation: rotation?.id ?? null,
});

export const fingerprintOf = (keys: readonly KeyState[]): string =>
  createHash('sha256').update(JSON.stringify(keys)).digest('hex');

/** The state of every key of the affected services, and of every other key that shares a name with an affected key. */
export const planState = (survey: KeySurvey, { services, ids }: Concerned): PlanState => {
  const names = new Set(survey.keys.filter(({ key }) => ids.has(key.id)).map(({ key }) => key.name));
  const keys = survey.keys
    .filter(({ key, service }) => services.has(service) || ids.has(key.id) || names.has(key.name))
    .map(stateOf)
    .sort((left, right) => left.id - right.id);
  return { keys, fingerprint: fingerprintOf(keys) };
};

const describeField: { readonly [Field in keyof KeyState]?: string } = {
  name: 'name',
  service: 'service',
  generation: 'generation',
  known: 'place in the lineage',
  status: 'status',
  group: 'group',
  unlimited: 'limit',
  exhausted: 'quota',
  expires: 'expiry',
  created: 'time of creation',
  rotation: 'rotation',
};

const changedFields = (then: KeyState, now: KeyState): readonly string[] =>
  Object.entries(describeField).flatMap(([field, message]) =>
    then[field as keyof KeyState] === now[field as keyof KeyState] ? [] : [message],
  );

/** What differs from the plan, one line each; empty if the plan is valid. */
export const changesSince = (
  { keys }: PlanState,
  concerned: Concerned,
  survey: KeySurvey,
): readonly string[] => {
  const before = new Map(keys.map((key) => [key.id, key]));
  const current = planState(survey, {
    services: concerned.services,
    ids: new Set([...concerned.ids, ...before.keys()]),
  });
  const now = new Map(current.keys.map((key) => [key.id, key]));
  return [
    ...keys.flatMap((then) => {
      const key = now.get(then.id);
      if (key === undefined) return [`${then.name} (id ${then.id}) no longer exists`];
      const fields = changedFields(then, key);
      return fields.length === 0 ? [] : [`${then.name} (id ${then.id}): changed ${fields.join(', ')}`];
    }),
    ...current.keys
      .filter(({ id }) => !before.has(id))
      .map((key) => `${key.name} (id ${key.id}) is new in service ${key.service}`),
  ];
};
