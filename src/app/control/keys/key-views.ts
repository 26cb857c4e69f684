import type { UnixMillis, UnixSeconds } from '../../../core/index.ts';
import type { RotationView } from '../../../keys/index.ts';

/** A key as the gateway lists it, with its generation and what the call log knows of its use. */
export type KeyView = {
  readonly account: string;
  readonly keyId: number;
  readonly name: string;
  readonly service: string;
  readonly generation: number;
  /** The lineage has this id; otherwise service and generation are parsed from the name. */
  readonly known: boolean;
  /** Why the key is kept, although its rotation delivered it to no sink. */
  readonly retained?: string | undefined;
  readonly group?: string | undefined;
  readonly status?: number | undefined;
  readonly created?: UnixSeconds | undefined;
  readonly expires: UnixSeconds | 'never' | 'unknown';
  /** Meaningless when the quota is unlimited. */
  readonly remainQuota: string;
  readonly unlimitedQuota: boolean;
  /** Out-of-range values by field. */
  readonly unreadable?: Readonly<Record<string, string>> | undefined;
  readonly team?: string | undefined;
  /** The job that rotates it, and the age in milliseconds at which it does. */
  readonly job?: string | undefined;
  readonly every?: number;
  readonly rotation?: RotationView | undefined;
  /** Ids of other keys of the same name: calls carry only the name, so their use cannot be distinguished. */
  readonly sameName: readonly number[];
  /** Use within the time range of the list; missing without rows in the call log. */
  readonly use?:
    | {
        readonly calls: number;
        readonly lastCall?: UnixSeconds | undefined;
        readonly spend?: string | undefined;
      }
    | undefined;
};

export type KeyListView = {
  readonly at: UnixMillis;
  readonly zone: string;
  readonly accounts: readonly {
    readonly account: string;
    readonly currency: string;
    /** Start of the time range of use, in seconds UTC. */
    readonly since: UnixSeconds;
    /** Time up to which the call log is complete since then; missing when it is incomplete. */
    readonly through?: UnixSeconds | undefined;
  }[];
  readonly keys: readonly KeyView[];
  /** Open rotations, including those without a key in the list. */
  readonly rotations: readonly RotationView[];
};

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
  readonly notes: readonly string[];
  /** Keys that the job covers and leaves unchanged; missing for a plan read from a file. */
  readonly skipped?:
    | readonly {
        readonly keyId: number;
        readonly name: string;
        readonly reason: string;
        readonly message: string;
      }[]
    | undefined;
  /** The plan file with all its inputs. */
  readonly file: string;
};

/** Changes since the plan was made; an empty `stale` allows applying it. */
export type PlanCheck = { readonly plan: KeyPlanView; readonly stale: readonly string[] };

export type KeyStep = {
  readonly at: UnixMillis;
  readonly account: string;
  readonly who: string;
  readonly service: string;
  readonly rotation: string;
  readonly what: string;
  readonly message: string;
  readonly tone: 'good' | 'bad' | 'plain';
  readonly event: Readonly<Record<string, unknown>>;
};
export type KeyHistory = { readonly zone: string; readonly steps: readonly KeyStep[] };

export type ReconciledKeys = readonly {
  readonly account: string;
  readonly service: string;
  readonly differences: readonly string[];
  readonly changes: readonly string[];
  readonly applied: boolean;
  readonly faults: readonly string[];
}[];
