import { noProgress } from '../base/index.ts';
import type { UnixMillis } from '../base/index.ts';
import { fieldsOf } from '../config/index.ts';
import type { Job } from '../config/index.ts';
import {
  isSelected,
  needsWords,
  obstacleOf,
  planExpiry,
  planNotices,
  planRotations,
  serviceTrouble,
} from '../keys/index.ts';
import type {
  CommandOrder,
  HeldKey,
  KeySurvey,
  PlannedExpiry,
  PlannedRotation,
  RotationTerms,
  SinkSpec,
  SurveyedKey,
} from '../keys/index.ts';
import { expireShape, expiryPolicy } from './expire-shape.ts';
import { gatherExpiry } from './gather-expiry.ts';
import type { GatherMeans } from './gather-expiry.ts';
import type { Team } from './payers.ts';
import { rotateShape, rotationPolicy, termsOf } from './rotate-shape.ts';
import type { RotateSettings } from './rotate-shape.ts';

const rotate = { kind: 'rotate-keys', shape: rotateShape };
const expire = { kind: 'expire-keys', shape: expireShape };

export const isKeyJob = ({ kind }: Job): boolean => kind === rotate.kind || kind === expire.kind;

/** What a rotate-keys job says of one key or service; nothing for jobs of other kinds. */
export type RotateJob = {
  readonly terms: RotationTerms;
  /** Milliseconds: the age at which a key is rotated. */
  readonly every: number;
  readonly sinks: readonly SinkSpec[];
  readonly then?: CommandOrder;
  readonly verify?: RotateSettings['verify'];
  readonly covers: (key: SurveyedKey, teams: readonly Team[], now: UnixMillis) => boolean;
  /** Why the key cannot be rotated, whatever its age. */
  readonly obstacle: (key: SurveyedKey, survey: KeySurvey) => HeldKey | undefined;
  /** Why a service of this name can have no keys. */
  readonly serviceTrouble: (service: string) => string | undefined;
};

export const rotateJob = (job: Job): RotateJob | undefined => {
  if (job.kind !== rotate.kind) return undefined;
  const settings = fieldsOf(rotate, job);
  const { deliver, then, verify, every } = settings;
  const policy = rotationPolicy({ name: job.name, zone: job.timezone }, settings);
  return {
    terms: termsOf(job.name, settings),
    every,
    sinks: deliver ?? [],
    ...(then === undefined ? {} : { then }),
    ...(verify === undefined ? {} : { verify }),
    covers: (key, teams, now) => isSelected(key, policy.select, { teams, now }),
    obstacle: (key, survey) => obstacleOf(key, survey, policy),
    serviceTrouble: (service) => serviceTrouble(service, policy.terms.template),
  };
};

/** What a job would do to keys now; the notes say of every other key that needs words why nothing is done with it. */
export type KeyJobPlan = {
  readonly rotations: readonly PlannedRotation[];
  readonly expiries: readonly PlannedExpiry[];
  readonly notes: readonly string[];
};

const notesOf = (held: readonly HeldKey[]): readonly string[] =>
  held.filter(needsWords).map(({ name, words }) => `${name}: ${words}`);

/** @throws RangeError for a job of another kind; fault archive-damaged */
export const planKeyJob = async (
  job: Job,
  survey: KeySurvey,
  means: Omit<GatherMeans, 'account' | 'progress'>,
): Promise<KeyJobPlan> => {
  if (job.kind === rotate.kind) {
    const policy = rotationPolicy({ name: job.name, zone: job.timezone }, fieldsOf(rotate, job));
    const { rotations, held } = planRotations(survey, policy, means.teams);
    return { rotations: rotations.map(({ planned }) => planned), expiries: [], notes: notesOf(held) };
  }
  const settings = fieldsOf(expire, job);
  const policy = expiryPolicy(settings);
  const evidence = await gatherExpiry(survey, policy, {
    ...means,
    account: job.account,
    progress: noProgress,
  });
  const { expiries, held } = planExpiry(survey, policy, evidence, means.teams);
  const notices = planNotices(survey, settings.notices, means.history);
  return {
    rotations: [],
    expiries: [...notices, ...expiries.map(({ planned }) => planned)],
    notes: notesOf(held),
  };
};
