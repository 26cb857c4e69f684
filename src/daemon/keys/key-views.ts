import type { UnixMillis, UnixSeconds } from '../../core/index.ts';
import type { OpenRotationView } from '../../web/index.ts';

/** A key as the gateway lists it, with its place in the line of its service and what the call log knows of its use. */
export type KeyView = {
  readonly account: string;
  readonly keyId: number;
  readonly name: string;
  readonly service: string;
  readonly generation: number;
  /** In the lineage under this id; otherwise service and generation are read off its name. */
  readonly known: boolean;
  /** Why it is kept, though a rotation made it and delivered it nowhere. */
  readonly retained?: string | undefined;
  readonly group?: string | undefined;
  readonly status?: number | undefined;
  readonly created?: UnixSeconds | undefined;
  readonly expires: UnixSeconds | 'never' | 'unknown';
  /** Means nothing when the quota is unlimited. */
  readonly remainQuota: string;
  readonly unlimitedQuota: boolean;
  /** Fields whose values are out of range, with those values. */
  readonly unreadable?: Readonly<Record<string, string>> | undefined;
  readonly team?: string | undefined;
  /** The job that rotates it, and the age in milliseconds at which it does. */
  readonly job?: string | undefined;
  readonly every?: number;
  readonly rotation?: RotationState | undefined;
  /** Ids of other keys of that name: calls carry the name alone, so that their use can't be told apart. */
  readonly sameName: readonly number[];
  /** Of the time range of the list; missing where the call log holds nothing of it. */
  readonly use?:
    | {
        readonly calls: number;
        readonly lastCall?: UnixSeconds | undefined;
        readonly spend?: string | undefined;
      }
    | undefined;
};

export type RotationState = OpenRotationView & {
  readonly id: string;
  /** What went wrong just now. */
  readonly fault?: { readonly code: string; readonly message: string; readonly advice: string } | undefined;
};

export type KeyListView = {
  readonly at: UnixMillis;
  readonly zone: string;
  readonly accounts: readonly {
    readonly account: string;
    readonly currency: string;
    /** From where on use is told. */
    readonly since: UnixSeconds;
    /** Up to where the call log is known to hold every call since then; missing where it is not. */
    readonly through?: UnixSeconds | undefined;
  }[];
  readonly keys: readonly KeyView[];
  /** Rotations that are not over, those without a key on the list included. */
  readonly rotations: readonly RotationState[];
};

/** One thing that a plan does to a key. */
export type PlannedChange = {
  readonly what: 'rotate' | 'create' | 'warn' | 'expire' | 'delete';
  readonly service: string;
  readonly keyId?: number | undefined;
  readonly name?: string | undefined;
  readonly message: string;
};

export type KeyPlanView = {
  readonly at: UnixMillis;
  readonly account: string;
  readonly job: string;
  readonly kind: string;
  readonly zone: string;
  readonly changes: readonly PlannedChange[];
  /** What is left out or put off, and why. */
  readonly notes: readonly string[];
  /** Every key that the job is about and leaves as it is; missing of a plan that was read from a file. */
  readonly skipped?:
    | readonly {
        readonly keyId: number;
        readonly name: string;
        readonly reason: string;
        readonly message: string;
      }[]
    | undefined;
  /** The plan as a file; what it is made from is in it. */
  readonly file: string;
};

/** All that changed since a plan was made; empty while it may be applied. */
export type PlanCheck = { readonly plan: KeyPlanView; readonly stale: readonly string[] };

/** What a request has come to, as far as it could be brought now. */
export type KeyOutcome = {
  readonly rotations: readonly RotationState[];
  readonly changes: readonly {
    readonly account: string;
    readonly keyId: number;
    readonly name: string;
    readonly done: boolean;
    readonly message: string;
  }[];
  /** What was left as it is, and why. */
  readonly notes: readonly string[];
  /** What changed since the plan was made: nothing was done. */
  readonly stale?: readonly string[];
  /** Of times in text. */
  readonly zone?: string | undefined;
  /** No step failed, and nothing is paused. */
  readonly good: boolean;
};

/** A step that was taken on a key. */
export type KeyStep = {
  readonly at: UnixMillis;
  readonly account: string;
  readonly who: string;
  readonly service: string;
  readonly rotation: string;
  readonly what: string;
  readonly message: string;
  readonly tone: 'good' | 'bad' | 'plain';
  /** All that was written down of it. */
  readonly event: Readonly<Record<string, unknown>>;
};
export type KeyHistory = { readonly zone: string; readonly steps: readonly KeyStep[] };

/** Services whose journal differs from the gateway or the sinks; empty where none does. */
export type ReconciledKeys = readonly {
  readonly account: string;
  readonly service: string;
  readonly differences: readonly string[];
  /** What the journal takes over, or would. */
  readonly changes: readonly string[];
  readonly applied: boolean;
  /** Sinks that hold a key which no longer works. */
  readonly faults: readonly string[];
}[];
