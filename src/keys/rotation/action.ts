import type { UnixMillis } from '../../core/index.ts';
import type { Attempt, OldKey } from '../model/rotation.ts';

export type WantedPlace = { readonly place: string; readonly confirmedByPerson: boolean };

export type View = {
  readonly now: UnixMillis;
  /** IANA time zone of times in messages. */
  readonly zone: string;
  /** The gateway's clock, which ends keys; undefined while it is unknown. */
  readonly gatewayNow?: UnixMillis;
  readonly listedAt: UnixMillis;
  readonly isListed: (keyId: number) => boolean;
  readonly isDead: (keyId: number) => boolean;
  readonly nameOf: (keyId: number) => string | undefined;
  /** A listed key with the name of the attempt that belongs to no lineage. */
  readonly orphanOf: (attempt: Attempt) => number | undefined;
  readonly holds: (attempt: Attempt) => boolean;
  /** Undefined when the job or its sinks are no longer declared. */
  readonly places: readonly WantedPlace[] | undefined;
  readonly reloads: boolean;
  /** Places that may hold an old key and that no declared sink reads. */
  readonly undeclaredPlaces: readonly string[];
  readonly isOverlapChecked: (keyId: number) => boolean;
  /** Milliseconds for which a request without an answer may still reach the gateway. */
  readonly settle: number;
  /** Keys that only a later cycle can handle, with the reason: no list shows their deletion yet, or they stay. */
  readonly resting: (keyId: number) => string | undefined;
  /** Another service with an undelivered key that a crash would orphan; an account has at most one such key. */
  readonly unsettledElsewhere: () => string | undefined;
  /** A request by a person skips the pause after a failed step. */
  readonly requested: boolean;
};

/** A notification for operators while a rotation rests: sent from `since` on and repeated each week, because no failed step reports it. */
export type Pending = {
  readonly title: string;
  /** Part of the notification key. The outbox stores the key for open rotations, so this text must never change. */
  readonly key: string;
  readonly since: UnixMillis;
  readonly atOnce: boolean;
  /** Replaces the message of the action where that includes advice, which the notification shows separately. */
  readonly message?: string;
};

export type Action =
  /** `pending`: what operators must learn, because no failed step reports it; `blocked`: waits for another rotation. */
  | { readonly step: 'rest'; readonly message: string; readonly pending?: Pending; readonly blocked?: true }
  | { readonly step: 'note-lost'; readonly attempt: Attempt }
  | { readonly step: 'look' }
  | { readonly step: 'clear'; readonly attempt: Attempt; readonly keyId: number }
  /** The key was created but a list does not show it: checks whether it was deleted externally. */
  | { readonly step: 'seek'; readonly attempt: Attempt }
  | { readonly step: 'create' }
  | { readonly step: 'verify'; readonly attempt: Attempt }
  | { readonly step: 'deliver'; readonly attempt: Attempt; readonly place: string }
  | { readonly step: 'read-back'; readonly attempt: Attempt }
  | { readonly step: 'prove'; readonly attempt: Attempt }
  | { readonly step: 'cut-over'; readonly attempt: Attempt }
  | { readonly step: 'reload'; readonly attempt: Attempt }
  | { readonly step: 'share-quota'; readonly attempt: Attempt; readonly old: OldKey }
  | { readonly step: 'set-expiry'; readonly old: OldKey; readonly at: UnixMillis }
  | { readonly step: 'hold'; readonly old: OldKey; readonly places: readonly string[] }
  | { readonly step: 'end-hold'; readonly old: OldKey }
  /** Checks once per cycle whether a sink holds the old key again. */
  | { readonly step: 'check-overlap'; readonly attempt: Attempt; readonly old: OldKey }
  | { readonly step: 'judge'; readonly old: OldKey }
  | { readonly step: 'note-gone'; readonly old: OldKey }
  | { readonly step: 'retire'; readonly old: OldKey }
  | { readonly step: 'settle-quota'; readonly attempt: Attempt; readonly old: OldKey }
  | { readonly step: 'delete'; readonly old: OldKey }
  | { readonly step: 'expire'; readonly old: OldKey }
  | { readonly step: 'finish' };
