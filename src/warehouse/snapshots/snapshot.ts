import type { Money, UnixMillis, UnixSeconds } from '../../core/index.ts';

/**
 * The account as its profile showed it (docs/gateway.md G4.1), at some moment from `askedAt` to the snapshot's
 * `takenAt`. Amounts exactly as served: their currency and unit are open (G4.3).
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

/**
 * The answer of the statistics endpoint for a range (docs/gateway.md G5.2); whether its ends are included is open
 * (G5.6).
 */
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
  /** As served: the contract does not define its meaning. */
  readonly status: number | undefined;
  /** Without meaning when the quota is unlimited. */
  readonly remainQuota: Money;
  readonly unlimitedQuota: boolean;
  readonly expiredTime: UnixSeconds | 'never';
  readonly group: string | undefined;
  readonly createdTime: UnixSeconds | undefined;
  /** JSON object of the fields that the contract does not name. */
  readonly rest: string;
};

/** What was read of an account; an unreadable part is omitted and stays unknown. */
export type Snapshot = {
  readonly account: string;
  /** When its last part was read. */
  readonly takenAt: UnixMillis;
  readonly profile?: AccountReading | undefined;
  readonly statistics?: readonly StatisticsReading[] | undefined;
  /** All existing keys: one that is missing was deleted. */
  readonly keys?: readonly KeyState[] | undefined;
};

export type KeyCounts = {
  readonly count: number;
  readonly new: number;
  readonly changed: number;
  readonly gone: number;
  /** Whether no keys of the account were read before: then all are seen for the first time, and none counts as new. */
  readonly first: boolean;
};

export type LandedSnapshot = {
  /** The next free millisecond, if a snapshot of the same one already exists. */
  readonly takenAt: UnixMillis;
  readonly keys: KeyCounts | undefined;
};

export type AccountSnapshot = AccountReading & { readonly takenAt: UnixMillis };
export type StatisticsSnapshot = StatisticsReading & { readonly takenAt: UnixMillis };

/** How the remaining quota of a key changed, in the unit of the gateway. */
export type QuotaOfKey = {
  readonly id: number;
  readonly name: string;
  /** Oldest first. */
  readonly readings: readonly { readonly at: UnixMillis; readonly left: Money }[];
};

export type Inventory = {
  /** The time of its snapshot. */
  readonly takenAt: UnixMillis;
  /** By ID. Each is unchanged, as far as snapshots show, since the snapshot of `since`. */
  readonly keys: readonly (KeyState & { readonly since: UnixMillis })[];
};

/** A difference between a snapshot and the one before; a change that was reverted between the two is not seen. */
export type KeyChange =
  | { readonly what: 'new' | 'gone'; readonly at: UnixMillis; readonly key: KeyState }
  | {
      readonly what: 'changed';
      readonly at: UnixMillis;
      readonly key: KeyState;
      readonly before: KeyState;
    };

/** Moments in milliseconds UTC; a range includes `from` and excludes `to`. */
export type SnapshotTable = {
  /**
   * Stores all or nothing. A snapshot may be older than existing ones, for example after a clock was set back.
   * @throws faults export-amount-inexact, gateway-answer-unreadable (an amount too large, a key twice), disk-full.
   */
  readonly land: (snapshot: Snapshot) => Promise<LandedSnapshot>;
  /** When the latest snapshot was taken, whichever of its parts were readable. */
  readonly watermark: (account: string) => Promise<UnixMillis | undefined>;
  readonly latestAccount: (account: string) => Promise<AccountSnapshot | undefined>;
  /** The latest profile at or before the moment. */
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
  /** The keys as last read at or before the moment; undefined when they were not read by then. */
  readonly inventoryAt: (account: string, moment: UnixMillis) => Promise<Inventory | undefined>;
  /** The remaining quotas of limited keys in the range, by key and time; each reading is the first that shows its value, or the newest. */
  readonly quotaReadings: (
    account: string,
    from: UnixMillis,
    to: UnixMillis,
  ) => Promise<readonly QuotaOfKey[]>;
  /**
   * Keys created, changed and deleted in the range, by time and ID; those of the very first reading do not count as
   * created.
   */
  readonly changes: (account: string, from: UnixMillis, to: UnixMillis) => Promise<readonly KeyChange[]>;
};
