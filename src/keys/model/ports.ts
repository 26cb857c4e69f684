import type { Interval, UnixMillis, UnixSeconds } from '../../core/index.ts';
import type { KeyUse } from './event-fields.ts';

export type LogCompleteness =
  | { readonly complete: true }
  /** `through`: the end of the complete part from the start of the interval, if there is one. */
  | { readonly complete: false; readonly why: string; readonly through?: UnixSeconds | undefined };

/** What the warehouse proves about the use of keys. Log rows carry the name of a key, not its id. */
export type KeyEvidence = {
  /** Calls under the name in the half-open interval, failed ones included. */
  readonly use: (account: string, name: string, range: Interval<UnixSeconds>) => Promise<KeyUse>;
  /** The stamp of the first call under the name at or after `since`. */
  readonly firstCall?: (
    account: string,
    name: string,
    since: UnixSeconds,
  ) => Promise<UnixSeconds | undefined>;
  /** The starts of the UTC hours with calls under any of the names, ascending. */
  readonly hoursUsed?: (
    account: string,
    names: readonly string[],
    range: Interval<UnixSeconds>,
  ) => Promise<readonly UnixSeconds[]>;
  readonly logComplete: (account: string, range: Interval<UnixSeconds>) => Promise<LogCompleteness>;
  /** Every id that an inventory showed under the name at or after `since`. */
  readonly idsNamed: (account: string, name: string, since: UnixMillis) => Promise<readonly number[]>;
  /** For each key, every name that an inventory showed at or after `since`: others can rename a key. */
  readonly namesOf: (
    account: string,
    keyIds: readonly number[],
    since: UnixMillis,
  ) => Promise<ReadonlyMap<number, readonly string[]>>;
};
