import type { Fault, Money, UnixMillis, UnixSeconds } from '../../core/index.ts';
import type { HoldFacts, KeyUse, RetainFacts, RetainReason } from './event-fields.ts';

/** A notice to the owner of a key: it expires by itself, or a job ends it in stages (milliseconds from now). */
export type ExpiryNotice =
  | { readonly kind: 'expires'; readonly before: number; readonly at: UnixSeconds }
  | {
      readonly kind: 'ends';
      readonly job: string;
      readonly clock: 'age' | 'idle' | 'expired' | 'exhausted';
      readonly began?: UnixMillis | undefined;
      /** The clock may have begun earlier. */
      readonly isLonger: boolean;
      readonly expires?: number | undefined;
      readonly deletes?: number | undefined;
      readonly evenIfUsed: boolean;
    };

/** An old key, and what can be spent with it beside its successor. */
type Exposed = { readonly name: string; readonly remain: Money };

export type OldKeyState = {
  readonly state: 'none' | 'gone' | 'works' | 'disabled' | 'expired' | 'exhausted';
  readonly name: string;
};

/** What the gateway or a sink has and the journal does not know. */
export type UnknownThing =
  | { readonly kind: 'key'; readonly name: string; readonly keyId: number; readonly highest: number }
  | { readonly kind: 'sink'; readonly place: string; readonly sink: string; readonly fingerprint: string };

type Stuck = { readonly why: string; readonly since: UnixMillis };

/** When an old key ends: at a time, or after `quiet` milliseconds without a call, `from` a time on. */
export type OldKeyEnd =
  | { readonly kind: 'at'; readonly at: UnixSeconds }
  | { readonly kind: 'unused'; readonly quiet: number; readonly from: UnixMillis };

/** What a notification is about. */
export type KeyMatter =
  | {
      readonly event: 'exposure';
      readonly name: string;
      readonly quota: Money;
      readonly sum: Money;
      readonly olds: readonly Exposed[];
    }
  | { readonly event: 'quota-used-up'; readonly name: string; readonly old: string }
  | {
      readonly event: 'quota-not-adjusted';
      readonly name: string;
      readonly old: string;
      readonly why: string;
    }
  | { readonly event: 'taken-away'; readonly name: string }
  | {
      readonly event: 'still-there';
      readonly name: string;
      readonly keyId: number;
      readonly since: UnixMillis;
    }
  | { readonly event: 'orphan-deleted'; readonly name: string }
  | {
      readonly event: 'orphan-retained';
      readonly name: string;
      readonly keyId: number;
      readonly identified: boolean;
      readonly reason: RetainReason;
      readonly facts: RetainFacts;
    }
  /** `stated`: the differences as the journal has them, in English; `differences` is missing where only they are known. */
  | {
      readonly event: 'outdated';
      readonly differences: readonly UnknownThing[] | undefined;
      readonly stated: readonly string[];
    }
  | {
      readonly event: 'sink-dead';
      readonly place: string;
      readonly keyId: number;
      readonly name: string;
      readonly state: 'deleted' | 'expired' | 'disabled';
    }
  /** `tries`: the last of so many attempts failed; `old`: before the cutover. */
  | {
      readonly event: 'step-failed';
      readonly step: string;
      readonly why: string;
      readonly tries?: number | undefined;
      readonly old?: OldKeyState | undefined;
    }
  /** `why`: the last failure, as it was recorded. */
  | { readonly event: 'paused'; readonly why: string }
  | { readonly event: 'unconfirmed'; readonly name: string; readonly place: string }
  | { readonly event: 'too-many-keys'; readonly names: readonly string[] }
  | { readonly event: 'no-sink'; readonly job: string }
  /** `isTimed`: it ends regardless. */
  | {
      readonly event: 'held';
      readonly name: string;
      readonly why: HoldFacts;
      readonly escalated?: boolean;
      readonly isTimed?: boolean;
    }
  /** Its use beside its successor in an interval, seconds UTC; `hours`: starts of the hours with calls. */
  | {
      readonly event: 'old-key-used';
      readonly name: string;
      readonly successor: string;
      readonly from: UnixSeconds;
      readonly to: UnixSeconds;
      readonly hours: readonly UnixSeconds[];
      readonly ends: OldKeyEnd;
    }
  /** After use of which its owner was notified, no call in an interval of the complete log. */
  | {
      readonly event: 'old-key-unused';
      readonly name: string;
      readonly from: UnixSeconds;
      readonly to: UnixSeconds;
      readonly lastCall: UnixSeconds | undefined;
      readonly ends: OldKeyEnd;
    }
  /** `stage`: the notice as the journal has it, in English, by which it is sent once. */
  | {
      readonly event: 'ending';
      readonly name: string;
      readonly notice?: ExpiryNotice | undefined;
      readonly stage: string;
    }
  /** The rotations of an account, or all of them because of the journal. */
  | ({ readonly event: 'stuck' } & Stuck)
  | ({ readonly event: 'closed' } & Stuck)
  | ({ readonly event: 'stuck-over' } & Pick<Stuck, 'since'>)
  | ({ readonly event: 'closed-over' } & Pick<Stuck, 'since'>);

/** A notification to operators, or to the owner of a key, sent once per `key`. */
export type KeyAlert = {
  readonly kind:
    | 'failed'
    | 'waiting'
    | 'held'
    | 'escalated'
    | 'done'
    | 'exposure'
    | 'orphan'
    | 'warning'
    | 'used'
    | 'unused';
  readonly account: string;
  readonly service: string;
  /** The id of the rotation, or of what else it is about. Its mails form a thread. */
  readonly rotation: string;
  readonly about: KeyMatter;
  /** The fault that it is about, with its advice in English, which is shown before the advice for the kind. */
  readonly fault?: Pick<Fault, 'code' | 'advice'> | undefined;
  readonly use?: KeyUse | undefined;
  readonly key: string;
};
