import type { Money, UnixMillis, UnixSeconds } from '../../core/index.ts';

/**
 * The account as its profile showed it (docs/gateway.md G4.1). It was so at some moment from `askedAt` to the
 * snapshot's `takenAt`. Amounts exactly as served: their currency and unit are open (G4.3).
 */
export type AccountReading = {
  readonly askedAt: UnixMillis;
  readonly username: string;
  readonly displayName: string | undefined;
  readonly balance: Money;
  readonly usedQuota: Money;
  readonly requestCount: number | undefined;
  readonly group: string | undefined;
  readonly level: number | undefined;
  /** JSON object of the fields that the contract does not name. */
  readonly rest: string;
};

/** What the statistics endpoint said of a range (docs/gateway.md G5.2); which of its ends belong to it is open (G5.6). */
export type StatisticsReading = {
  readonly start: UnixSeconds;
  readonly end: UnixSeconds;
  readonly quota: Money;
  readonly rpm: Money | undefined;
  readonly tpm: Money | undefined;
  readonly mpm: Money | undefined;
  /** JSON object of the fields that the contract does not name. */
  readonly rest: string;
};

/** A key as the list showed it (docs/gateway.md G8.1), never with its plaintext. */
export type KeyState = {
  readonly id: number;
  readonly name: string;
  readonly keyMask: string | undefined;
  /** As it is: what it means is not told. */
  readonly status: number | undefined;
  /** Means nothing when the quota is unlimited. */
  readonly remainQuota: Money;
  readonly unlimitedQuota: boolean;
  readonly expiredTime: UnixSeconds | 'never';
  readonly group: string | undefined;
  readonly createdTime: UnixSeconds | undefined;
  /** JSON object of the fields that the contract does not name. */
  readonly rest: string;
};

/** What was read of an account; a part that could not be read is left out, and then nothing is said of it. */
export type Snapshot = {
  readonly account: string;
  /** When the last of it was read. */
  readonly takenAt: UnixMillis;
  readonly profile?: AccountReading | undefined;
  readonly statistics?: readonly StatisticsReading[] | undefined;
  /** Every key there is: one that is not among them is gone. */
  readonly keys?: readonly KeyState[] | undefined;
};

export type KeyCounts = {
  readonly count: number;
  readonly new: number;
  readonly changed: number;
  readonly gone: number;
  /** No keys of the account were read before: all of them are seen for the first time, and none counts as new. */
  readonly first: boolean;
};

export type LandedSnapshot = {
  /** Where a snapshot of this very millisecond is there already, the next one that is free. */
  readonly takenAt: UnixMillis;
  readonly keys: KeyCounts | undefined;
};

export type AccountSnapshot = AccountReading & { readonly takenAt: UnixMillis };
export type StatisticsSnapshot = StatisticsReading & { readonly takenAt: UnixMillis };

export type Inventory = {
  /** The snapshot it is of. */
  readonly takenAt: UnixMillis;
  /** By id. Each has been so, without a change that a snapshot showed, since the snapshot of `since`. */
  readonly keys: readonly (KeyState & { readonly since: UnixMillis })[];
};

/** What a snapshot showed that the one before did not; a change that came and went between the two is not seen. */
export type KeyChange =
  | { readonly what: 'new' | 'gone'; readonly at: UnixMillis; readonly key: KeyState }
  | {
      readonly what: 'changed';
      readonly at: UnixMillis;
      readonly key: KeyState;
      readonly before: KeyState;
    };

/** Moments in milliseconds UTC; a range holds its `from`, not its `to`. */
export type SnapshotTable = {
  /**
   * Whole or not at all. A snapshot may be older than others that are there, as after a clock was set back.
   * @throws faults export-amount-inexact, gateway-answer-unreadable (an amount too large, a key twice), disk-full.
   */
  readonly land: (snapshot: Snapshot) => Promise<LandedSnapshot>;
  /** When the latest snapshot was taken, whatever of it could be read. */
  readonly watermark: (account: string) => Promise<UnixMillis | undefined>;
  readonly latestAccount: (account: string) => Promise<AccountSnapshot | undefined>;
  /** The profile last read at the moment or before. */
  readonly accountAt: (account: string, moment: UnixMillis) => Promise<AccountSnapshot | undefined>;
  /** The profiles read in the range, oldest first. */
  readonly accountBetween: (
    account: string,
    from: UnixMillis,
    to: UnixMillis,
  ) => Promise<readonly AccountSnapshot[]>;
  /** The statistics read in the range, oldest first. */
  readonly statisticsBetween: (
    account: string,
    from: UnixMillis,
    to: UnixMillis,
  ) => Promise<readonly StatisticsSnapshot[]>;
  /** The keys as last read at the moment or before; nothing where they were not read by then. */
  readonly inventoryAt: (account: string, moment: UnixMillis) => Promise<Inventory | undefined>;
  /** Keys that came, changed and went in the range, by time and id; those of the very first reading did not come then. */
  readonly changes: (account: string, from: UnixMillis, to: UnixMillis) => Promise<readonly KeyChange[]>;
};
