import type { UnixMillis } from '../core/index.ts';
import type { ExpiryNotice, PlannedExpiry, RotationTerms, SkipReason } from '../keys/index.ts';

/** How many keys a plan would rotate, warn about, expire and delete, and how many need attention. */
export type PlanCounts = {
  readonly [Kind in 'rotate' | 'warn' | 'expire' | 'delete']?: number;
} & { readonly skipped: number };

/** What is planned for a key: a rotation, an end that a clock has made due, or nothing. */
export type PlanFacts =
  | {
      readonly kind: 'rotate';
      readonly service: string;
      readonly isSplit: boolean;
      readonly terms: Pick<RotationTerms, 'retire' | 'overlap'>;
    }
  | {
      readonly kind: 'end';
      readonly action: PlannedExpiry['action'];
      readonly clock: Extract<ExpiryNotice, { kind: 'ends' }>['clock'];
      /** Milliseconds. */
      readonly passed: number;
    }
  /** `message`: the reason as the plan states it, in English. */
  | {
      readonly kind: 'skip';
      readonly reason: SkipReason;
      readonly message: string;
      readonly at?: UnixMillis | undefined;
    };

type Blocked = { readonly title: string; readonly advice: string };

/** Reasons to skip a key that need no details. */
export const plainReasons: ReadonlySet<SkipReason> = new Set<SkipReason>([
  'age-unknown',
  'over-limit',
  'min-remaining',
  'disabled',
  'expired',
  'exhausted',
]);

/** The texts of mails about plans for keys. */
export type PlanTexts = {
  readonly title: (counts: PlanCounts) => string;
  readonly planned: (
    facts: Exclude<PlanFacts, { kind: 'skip' }>,
    at: (moment: UnixMillis) => string,
  ) => string;
  /** `at`: when the next maintenance window opens, or the last call of a key in use. */
  readonly skipped: (reason: SkipReason, message: string, at?: string) => string;
  readonly age: (millis: number) => string;
  readonly more: (keys: number) => string;
  /** Keys skipped for ordinary reasons. */
  readonly usual: (keys: number) => string;
  readonly closing: (job: string, account: string, at: string) => readonly string[];
  readonly recipients: (job: string) => string;
  /** What a person must decide before a key gets a successor. */
  readonly blocked: {
    readonly current: (service: string) => Blocked;
    readonly name: (name: string, word: string, job: string) => Blocked;
    readonly closing: string;
  };
};
