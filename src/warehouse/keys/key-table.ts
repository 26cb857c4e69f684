import type { Interval, Money, UnixMillis, UnixSeconds } from '../../core/index.ts';

/** A step on a key, as in the audit log. */
export type KeyJournalRow = {
  /** Consecutive over all accounts. */
  readonly seq: number;
  readonly at: UnixMillis;
  readonly account: string;
  readonly service: string;
  readonly rotation: string;
  readonly what: string;
  /** The hash of this line of the audit log, which covers all lines before it. */
  readonly hash: string;
  /** JSON text, stored byte by byte. */
  readonly event: string;
};

/** A key of a service. */
export type LineageRow = {
  readonly account: string;
  readonly keyId: number;
  readonly service: string;
  readonly generation: number;
  readonly name: string;
  readonly born: UnixMillis;
  /** Omitted while the key is in use. */
  readonly retired?: UnixMillis | undefined;
};

/** Calls under a name, in the account's currency. */
export type NameUse = {
  /** Includes failed calls; excludes refunds. */
  readonly calls: number;
  readonly lastCall?: UnixSeconds | undefined;
  /** Consumption minus refunds; omitted while the form of the account's amounts is not proven. */
  readonly spend?: Money | undefined;
  /** Most used first. */
  readonly models: { readonly model: string; readonly calls: number }[];
};

/** Whether the call log is proven to contain every call of a range. */
export type LogCompleteness =
  | { readonly complete: true }
  /** `through`: the end of the complete part that begins at the start of the range; omitted when there is none. */
  | { readonly complete: false; readonly why: string; readonly through?: UnixSeconds | undefined };

export type KeyEventFilter = {
  readonly account?: string | undefined;
  readonly service?: string | undefined;
  readonly rotation?: string | undefined;
};

export type KeyTable = {
  /** The time of the first call under the name at or after the moment; rows of unknown kinds count as calls. */
  readonly firstCall: (account: string, name: string, since: UnixSeconds) => Promise<UnixSeconds | undefined>;
  /**
   * Stores all or nothing; lineage rows replace those of the same key of the account.
   * @throws fault warehouse-failed when a seq already exists.
   */
  readonly append: (rows: readonly KeyJournalRow[], lineage: readonly LineageRow[]) => Promise<void>;
  /** The head of the chain. */
  readonly last: () => Promise<{ readonly seq: number; readonly hash: string } | undefined>;
  /** Oldest first. */
  readonly events: (filter?: KeyEventFilter) => Promise<readonly KeyJournalRow[]>;
  /** By service and generation. */
  readonly lineage: (account: string) => Promise<readonly LineageRow[]>;
  /** Calls under the name in the half-open range, including archived ones. @throws fault archive-damaged */
  readonly use: (account: string, name: string, range: Interval<UnixSeconds>) => Promise<NameUse>;
  /**
   * The same for each name, from one scan of the log; names without rows are included. `maxModels`: maximum models per
   * name; all when omitted. @throws fault archive-damaged
   */
  readonly uses: (
    account: string,
    names: readonly string[],
    range: Interval<UnixSeconds>,
    maxModels?: number,
  ) => Promise<ReadonlyMap<string, NameUse>>;
  /** The starts of the UTC hours with calls under any of the names, ascending. @throws fault archive-damaged */
  readonly hoursUsed: (
    account: string,
    names: readonly string[],
    range: Interval<UnixSeconds>,
  ) => Promise<readonly UnixSeconds[]>;
  /** @throws fault archive-damaged */
  readonly logComplete: (account: string, range: Interval<UnixSeconds>) => Promise<LogCompleteness>;
  /** Every ID that an inventory showed under the name at or after the moment, lowest first. */
  readonly idsNamed: (account: string, name: string, since: UnixMillis) => Promise<readonly number[]>;
  /** The same of each of the names. */
  readonly idsOf: (
    account: string,
    names: readonly string[],
    since: UnixMillis,
  ) => Promise<ReadonlyMap<string, readonly number[]>>;
  /** For each key, every name that an inventory showed for it at or after the moment, in order of appearance. */
  readonly namesOf: (
    account: string,
    keyIds: readonly number[],
    since: UnixMillis,
  ) => Promise<ReadonlyMap<number, readonly string[]>>;
};
