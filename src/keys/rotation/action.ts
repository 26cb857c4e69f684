import type { UnixMillis } from '../../core/index.ts';
import type { Attempt, OldKey } from '../rotation.ts';

/** A place that the key is to be in, as the YAML has it now. */
export type WantedPlace = { readonly place: string; readonly confirmedByPerson: boolean };

/** What is known beside the steps so far. */
export type View = {
  readonly now: UnixMillis;
  /** The same by the gateway's clock, which ends keys; missing where it is not known. */
  readonly gatewayNow?: UnixMillis;
  /** When the keys were last listed. */
  readonly listedAt: UnixMillis;
  readonly isListed: (keyId: number) => boolean;
  /** Whether the key is disabled, expired or used up. */
  readonly isDead: (keyId: number) => boolean;
  /** The name that the key is listed under. */
  readonly nameOf: (keyId: number) => string | undefined;
  /** A listed key of no line that has the name of the attempt. */
  readonly orphanOf: (attempt: Attempt) => number | undefined;
  /** Whether the plaintext of this attempt is still in memory. */
  readonly holds: (attempt: Attempt) => boolean;
  /** Nothing where the job, or its sinks, are no longer declared. */
  readonly places: readonly WantedPlace[] | undefined;
  readonly reloads: boolean;
  /** Places that may hold an old key and that no sink of the configuration reads. */
  readonly undeclaredPlaces: readonly string[];
  /** Whether the sinks were read in this cycle for this key, which ends without evidence. */
  readonly isOverlapChecked: (keyId: number) => boolean;
  /** Milliseconds that a request whose answer was lost may still be on its way. */
  readonly settle: number;
  /** What was tried in this cycle and can only be seen to in a later one: keys whose deletion no list has shown yet, or that stay. */
  readonly resting: (keyId: number) => string | undefined;
  /** Another service whose new key could be left over, were we to die now: there is to be one such key at most. */
  readonly unsettledElsewhere: () => string | undefined;
  /** Failed steps are waited with unless somebody requested this try. */
  readonly requested: boolean;
};

/** What operators are notified of while a rotation rests: from `since` on, and again each week, since no failed step does it. */
export type Pending = {
  readonly title: string;
  /** Part of the notification key: open rotations have it in the outbox, so that its text never changes. */
  readonly key: string;
  readonly since: UnixMillis;
  readonly atOnce: boolean;
  /** Where the message of the action also says what to do, for which the notification has a line of its own. */
  readonly message?: string;
};

/** The next step of a rotation, or why there is none now. */
export type Action =
  /** `pending`: what operators have to hear, or nobody would, since no step failed; `blocked`: until another rotation has come further. */
  | { readonly step: 'rest'; readonly message: string; readonly pending?: Pending; readonly blocked?: true }
  | { readonly step: 'note-lost'; readonly attempt: Attempt }
  | { readonly step: 'look' }
  | { readonly step: 'clear'; readonly attempt: Attempt; readonly keyId: number }
  /** A list does not show it, though it was made: whether it was taken away. */
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
  /** Places that the journal names and no sink reads may hold it. */
  | { readonly step: 'hold'; readonly old: OldKey; readonly places: readonly string[] }
  | { readonly step: 'end-hold'; readonly old: OldKey }
  /** Whether a sink holds the old key again, once a cycle. */
  | { readonly step: 'check-overlap'; readonly attempt: Attempt; readonly old: OldKey }
  | { readonly step: 'judge'; readonly old: OldKey }
  | { readonly step: 'note-gone'; readonly old: OldKey }
  | { readonly step: 'retire'; readonly old: OldKey }
  | { readonly step: 'settle-quota'; readonly attempt: Attempt; readonly old: OldKey }
  | { readonly step: 'delete'; readonly old: OldKey }
  | { readonly step: 'expire'; readonly old: OldKey }
  | { readonly step: 'finish' };
