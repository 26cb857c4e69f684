import {
  durationText,
  formatMoment,
  groupBy,
  toMillis,
  toSeconds,
  type UnixMillis,
} from '../../core/index.ts';
import type { KeySurvey, PlannedRotation, SurveyedKey } from '../model/service-types.ts';
import type { RotationTerms } from '../model/terms.ts';
import { currentUnknown, currentUnknownAdvice } from './current-candidates.ts';
import { skippedKey, oldestFirst, type SkippedKey } from './skipped-key.ts';
import { isKeyName, isServiceName, longestKeyName, printKeyName, templateOf } from './key-names.ts';
import { creationTime, deadBy, unreadableFields } from './key-state.ts';
import { withinLimits, type Limits } from './limits.ts';
import { ageOf, isSelected, type KeySelection, type TeamPatterns } from './select.ts';
import { isOpen, nextOpening, type MaintenanceWindow } from './windows.ts';

export type RotationPolicy = {
  readonly select: KeySelection;
  /** Milliseconds: the age at which a key is rotated. */
  readonly every: number;
  readonly terms: RotationTerms;
  readonly limits: Limits;
  /** Empty: rotations may start at any time. */
  readonly windows: readonly MaintenanceWindow[];
  /** IANA zone of the windows. */
  readonly zone: string;
};

export type RotationPlan = {
  readonly at: UnixMillis;
  /** Services that the job selects. */
  readonly selected: number;
  /** The oldest key first; age in milliseconds. */
  readonly rotations: readonly { readonly planned: PlannedRotation; readonly age: number }[];
  readonly skipped: readonly SkippedKey[];
};

type Due = { readonly surveyed: SurveyedKey; readonly age: number; readonly isSplit: boolean };
type Judged = { readonly due: Due } | { readonly skipped: SkippedKey };

const whyDead = {
  disabled: 'it is disabled and cannot be used',
  expired: 'it has expired and cannot be used',
  exhausted: 'its quota is used up; add quota first',
} as const;

export const plannedRotation = (
  { key, service, generation }: SurveyedKey,
  why: PlannedRotation['why'],
  terms: RotationTerms,
): PlannedRotation => {
  const created = creationTime(key);
  return {
    service,
    why,
    terms,
    old: {
      keyId: key.id,
      generation,
      name: key.name,
      remainQuota: key.remainQuota,
      unlimitedQuota: key.unlimitedQuota,
      ...(created === undefined ? {} : { born: toMillis(created) }),
    },
  };
};

/** Spare generations for failed attempts, each of which takes a number. */
const spareGenerations = 99;

export const serviceProblem = (service: string, template: string, generation = 0): string | undefined => {
  if (!isServiceName(service)) return `“${service}” cannot be used in paths and commands`;
  const longest = printKeyName(templateOf(template), { service, generation: generation + spareGenerations });
  return isKeyName(longest)
    ? undefined
    : `the key names of “${service}” would exceed ${longestKeyName} bytes`;
};

const bySurvey = new WeakMap<KeySurvey, ReadonlyMap<string, readonly SurveyedKey[]>>();

/** The keys of each service, the newest generation first; cached per survey, because it is needed for every key. */
const generationsByService = (survey: KeySurvey): ReadonlyMap<string, readonly SurveyedKey[]> => {
  const known = bySurvey.get(survey);
  if (known !== undefined) return known;
  const found = groupBy(
    survey.keys.toSorted((left, right) => right.generation - left.generation || left.key.id - right.key.id),
    ({ service }) => service,
  );
  bySurvey.set(survey, found);
  return found;
};

const obstacleOf = (
  surveyed: SurveyedKey,
  survey: KeySurvey,
  policy: Pick<RotationPolicy, 'terms' | 'select'>,
): SkippedKey | undefined => {
  const { key, service, generation } = surveyed;
  const skip = (reason: SkippedKey['reason'], message: string): SkippedKey =>
    skippedKey(surveyed, survey.at, reason, message);
  const line = generationsByService(survey).get(service) ?? [];
  const turning = line.find(({ rotation }) => rotation !== undefined);
  if (turning?.rotation !== undefined)
    return skip('in-rotation', `a rotation of ${service} is open (${turning.rotation.stage})`);
  const dead = deadBy(key, survey.at, policy.select.status);
  // If the lineage contains a key of the service, keys that match only by name do not count.
  const ours = line.some(({ known, retired }) => known && retired !== true);
  const isOurs = (other: SurveyedKey): boolean => other.known || !ours;
  const alive = line.filter(
    (other) => other === surveyed || (other.retired !== true && deadBy(other.key, survey.at) === undefined),
  );
  if (surveyed.retained !== undefined && dead === undefined)
    return skip(
      'retained',
      `it was created by a rotation, never delivered, and is retained: ${surveyed.retained}; \`tollkeeper keys expire id:${key.id}\` ends it`,
    );
  if (surveyed.retired === true)
    return dead === undefined
      ? skip(
          'revived',
          `it was retired from ${service} and is still valid; adopt it with \`tollkeeper keys adopt\`, or delete it`,
        )
      : skip('retired', `it was retired from ${service}`);
  if (surveyed.candidates !== undefined && dead === undefined)
    return skip(
      'current-unknown',
      `${currentUnknown(service, surveyed.candidates)}; ${currentUnknownAdvice}`,
    );
  const newer = alive.filter((other) => other.generation > generation);
  // A key that not every sink ever held does not supersede another.
  const isWhole = (other: SurveyedKey): boolean => isOurs(other) && other.unfinished !== true;
  const newest = newer.find(isWhole) ?? (dead === undefined ? undefined : newer.find(isOurs));
  if (newest !== undefined)
    return skip('older-generation', `${newest.key.name} is a newer key of ${service}`);
  const isUnfinished = surveyed.unfinished === true;
  const whole = isUnfinished ? (alive.find(isWhole) ?? newer.find(isOurs)) : undefined;
  if (whole !== undefined)
    return skip(
      'unfinished',
      `it was never in every sink of ${service}, so they may hold different keys: ${whole.key.name} is rotated instead`,
    );
  if (dead !== undefined) return skip(dead, whyDead[dead]);
  const unreadable = unreadableFields(key);
  if (unreadable !== undefined) return skip('unreadable', `${unreadable}; correct it at the gateway`);
  const nameCollisions = survey.keys
    .filter((other) => other.key.name === key.name)
    .map((other) => other.key.id);
  if (nameCollisions.length > 1)
    return skip(
      'name-not-unique',
      `${nameCollisions.length} keys have this name (ids ${nameCollisions.join(', ')}), so the log cannot show which one is used; rename or delete the others`,
    );
  const stranger = isOurs(surveyed) ? newer.find((other) => !isOurs(other)) : surveyed;
  if (stranger !== undefined)
    return skip(
      'not-ours',
      `${stranger.key.name} belongs to ${service} only by its name; delete it, or adopt it with \`tollkeeper keys adopt\``,
    );
  const twin = alive.find(
    (other) => other.key.id !== key.id && other.generation === generation && isOurs(other),
  );
  if (twin !== undefined)
    return skip(
      'generation-not-unique',
      `${twin.key.name} is also generation ${generation} of ${service}; assign another generation to one of them with \`tollkeeper keys adopt\``,
    );
  const problem = serviceProblem(service, policy.terms.template, generation);
  return problem === undefined
    ? undefined
    : skip(
        isServiceName(service) ? 'name-too-long' : 'service-unusable',
        `${problem}; \`tollkeeper keys adopt --move\` moves the key to another service`,
      );
};

const judge = (surveyed: SurveyedKey, survey: KeySurvey, policy: RotationPolicy): Judged => {
  const obstacle = obstacleOf(surveyed, survey, policy);
  if (obstacle !== undefined) return { skipped: obstacle };
  const age = ageOf(surveyed, survey.at);
  const skip = (reason: SkippedKey['reason'], message: string): Judged => ({
    skipped: skippedKey(surveyed, survey.at, reason, message),
  });
  if (surveyed.split === true) return { due: { surveyed, age: age ?? 0, isSplit: true } };
  if (age === undefined)
    return skip('age-unknown', 'the gateway does not report its creation time; rotate it manually');
  if (age < policy.every)
    return skip('not-due', `too young: ${durationText(age)} old, rotated at ${durationText(policy.every)}`);
  return { due: { surveyed, age, isSplit: false } };
};

const describeClosed = (next: UnixMillis | undefined, zone: string): string =>
  `outside the maintenance windows${next === undefined ? '' : `; the next one opens ${formatMoment(toSeconds(next), zone)}`}`;

/**
 * The keys to rotate now, the oldest first, and for every other selected key why it is skipped. Only the newest working key of a service can be
 * rotated, and a name alone never identifies a key. A service whose sinks may hold different keys comes first, regardless of age.
 */
export const planRotations = (
  survey: KeySurvey,
  policy: RotationPolicy,
  teams: readonly TeamPatterns[],
): RotationPlan => {
  const now = survey.at;
  // Inconsistent sinks must be fixed at any age.
  const { olderThan: _olderThan, ...ofAnyAge } = policy.select;
  const selected = oldestFirst(
    survey.keys.filter((surveyed) =>
      isSelected(surveyed, surveyed.split === true ? ofAnyAge : policy.select, { teams, now }),
    ),
  );
  const judged = selected.map((surveyed) => judge(surveyed, survey, policy));
  const skipped = judged.flatMap((one) => ('skipped' in one ? [one.skipped] : []));
  const due = judged
    .flatMap((one) => ('due' in one ? [one.due] : []))
    .sort((left, right) => Number(right.isSplit) - Number(left.isSplit));
  const services = new Set(selected.map(({ service }) => service)).size;
  if (due.length > 0 && !isOpen(policy.windows, now, policy.zone)) {
    const next = nextOpening(policy.windows, now, policy.zone);
    const message = describeClosed(next, policy.zone);
    return {
      at: now,
      selected: services,
      rotations: [],
      skipped: [
        ...skipped,
        ...due.map(({ surveyed }) => skippedKey(surveyed, now, 'outside-window', message, next)),
      ],
    };
  }
  const untouched = judged.filter((one) => 'due' in one || one.skipped.reason === 'not-due').length;
  const limited = withinLimits(due, policy.limits, {
    selected: services,
    remaining: untouched,
    reduces: () => true,
  });
  return {
    at: now,
    selected: services,
    rotations: limited.taken.map(({ surveyed, age, isSplit }) => ({
      planned: plannedRotation(surveyed, isSplit ? 'split' : 'age', policy.terms),
      age,
    })),
    skipped: [
      ...skipped,
      ...limited.skipped.map(({ item, reason, message }) => skippedKey(item.surveyed, now, reason, message)),
    ],
  };
};
