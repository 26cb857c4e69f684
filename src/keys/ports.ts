import type { Interval, UnixMillis, UnixSeconds } from '../core/index.ts';
import type { KeyUse } from './key-event.ts';

/** Whether the call log is known to hold every call of a time range. */
export type LogCompleteness =
  | { readonly complete: true }
  /** `through`: up to where it is complete from the time range's start on, where it is at all. */
  | { readonly complete: false; readonly why: string; readonly through?: UnixSeconds | undefined };

/** What the warehouse can prove of the use of keys. Log rows carry the name of a key, not its id. */
export type KeyEvidence = {
  /** Calls under the name in the half-open time range, failed ones included. */
  readonly use: (account: string, name: string, range: Interval<UnixSeconds>) => Promise<KeyUse>;
  /** When the first call under the name at the moment or since is stamped. */
  readonly firstCall?: (
    account: string,
    name: string,
    since: UnixSeconds,
  ) => Promise<UnixSeconds | undefined>;
  readonly logComplete: (account: string, range: Interval<UnixSeconds>) => Promise<LogCompleteness>;
  /** Every id that an inventory showed under the name at the moment or since. */
  readonly idsNamed: (account: string, name: string, since: UnixMillis) => Promise<readonly number[]>;
  /** For each key, every name that an inventory showed for it at or after the moment: others can rename it. */
  readonly namesOf: (
    account: string,
    keyIds: readonly number[],
    since: UnixMillis,
  ) => Promise<ReadonlyMap<number, readonly string[]>>;
};
