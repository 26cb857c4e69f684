import type { UnixMillis } from '../../core/index.ts';
import type {
  SkippedKey,
  KeySurvey,
  PlannedExpiry,
  PlannedRotation,
  RotationTerms,
  SurveyedKey,
} from '../../keys/index.ts';

/** A job that rotates or ends keys. */
export type KeyJob = {
  readonly name: string;
  readonly kind: string;
  readonly account: string;
  readonly zone: string;
};

/** What a job would do now. */
export type JobKeyPlan = {
  readonly rotations: readonly PlannedRotation[];
  readonly expiries: readonly PlannedExpiry[];
  /** What is left out or put off, and why. */
  readonly notes: readonly string[];
};

/** A plan made just now, with each key that the job is about and leaves as it is. */
export type FreshKeyPlan = JobKeyPlan & {
  readonly skipped: readonly Pick<SkippedKey, 'keyId' | 'name' | 'reason' | 'message'>[];
};

/** What a rotate-keys job says of a key that its selection covers. */
export type Cover = { readonly job: string; readonly every: number };

/** What the jobs of the config say of keys. */
export type KeyPlanner = {
  readonly jobs: () => readonly KeyJob[];
  readonly plan: (job: KeyJob, survey: KeySurvey, signal: AbortSignal) => Promise<FreshKeyPlan>;
  /** The first rotate-keys job of the account that covers the key. */
  readonly coverOf: (account: string, key: SurveyedKey, now: UnixMillis) => Cover | undefined;
  /** @throws Fault `wrong-use` where the job rotates no keys */
  readonly termsOf: (job: string) => RotationTerms;
  /** What keeps the job from rotating the key, as a sentence. */
  readonly obstacleOf: (
    job: string,
    key: SurveyedKey,
    survey: KeySurvey,
  ) => { readonly reason: string; readonly message: string } | undefined;
  /** What keeps the job from making a first key for the service, as a sentence. */
  readonly nameProblem: (job: string, service: string) => string | undefined;
  /** The first rotate-keys job of the account that covers the key and delivers what it makes. */
  readonly delivers: (account: string, key: SurveyedKey, now: UnixMillis) => string | undefined;
  /** What a service's first key would be called, and what the job selects, as a sentence, where it does not select that one. */
  readonly leavesOut: (
    job: string,
    first: { readonly service: string; readonly group: string; readonly at: UnixMillis },
  ) => { readonly name: string; readonly selection: string } | undefined;
  /** The service that the job covers, and whose key would be overwritten if the job's sinks got one of this service, which it does not cover. */
  readonly overwrites: (job: string, service: string, survey: KeySurvey) => string | undefined;
};
