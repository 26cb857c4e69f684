import type { UnixMillis } from '../../core/index.ts';
import type {
  SkippedKey,
  KeySurvey,
  PlannedExpiry,
  PlannedRotation,
  RotationTerms,
  SurveyedKey,
} from '../../keys/index.ts';

export type KeyJob = {
  readonly name: string;
  readonly kind: string;
  readonly account: string;
  readonly zone: string;
};

export type JobKeyPlan = {
  readonly rotations: readonly PlannedRotation[];
  readonly expiries: readonly PlannedExpiry[];
  readonly notes: readonly string[];
};

export type FreshKeyPlan = JobKeyPlan & {
  readonly skipped: readonly Pick<SkippedKey, 'keyId' | 'name' | 'reason' | 'message'>[];
};

export type Cover = { readonly job: string; readonly every: number };

export type KeyPlanner = {
  readonly jobs: () => readonly KeyJob[];
  readonly plan: (job: KeyJob, survey: KeySurvey, signal: AbortSignal) => Promise<FreshKeyPlan>;
  /** The first rotate-keys job of the account that covers the key. */
  readonly coverOf: (account: string, key: SurveyedKey, now: UnixMillis) => Cover | undefined;
  /** @throws Fault `wrong-use` when the job rotates no keys */
  readonly termsOf: (job: string) => RotationTerms;
  /** Why the job cannot rotate the key, as a sentence. */
  readonly obstacleOf: (
    job: string,
    key: SurveyedKey,
    survey: KeySurvey,
  ) => { readonly reason: string; readonly message: string } | undefined;
  /** Why the job cannot create a first key for the service, as a sentence. */
  readonly nameProblem: (job: string, service: string) => string | undefined;
  /** The first rotate-keys job of the account that covers the key and delivers its successors. */
  readonly delivers: (account: string, key: SurveyedKey, now: UnixMillis) => string | undefined;
  /** Name of the first key of a service, and the job's selection as a sentence, when the job does not select that key. */
  readonly leavesOut: (
    job: string,
    first: { readonly service: string; readonly group: string; readonly at: UnixMillis },
  ) => { readonly name: string; readonly selection: string } | undefined;
  /** The covered service whose key would be overwritten if the job's sinks also got the key of this, uncovered, service. */
  readonly overwrites: (job: string, service: string, survey: KeySurvey) => string | undefined;
};
