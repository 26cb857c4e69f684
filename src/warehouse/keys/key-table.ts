import type { Interval, Money, UnixMillis, UnixSeconds } from '../../core/index.ts';

/** A step on a key, as the audit file has it. */
export type KeyJournalRow = {
  /** Counts on without a gap over all accounts. */
  readonly seq: number;
  readonly at: UnixMillis;
  readonly account: string;
  readonly service: string;
  readonly rotation: string;
  readonly what: string;
  /** Of this line of the audit file, and so of all before it. */
  readonly hash: string;
  /** JSON text, kept letter by letter. */
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
  /** Missing while it lives. */
  readonly retired?: UnixMillis | undefined;
};

/** Calls under a name, in the account's currency. */
export type NameUse = {
  /** Failed ones included; refunds are none. */
  readonly calls: number;
  readonly lastCall?: UnixSeconds | undefined;
  /** Consumption less refunds; missing while the form of the account's amounts is not proven. */
  readonly spend?: Money | undefined;
  /** The most used first. */
  readonly models: { readonly model: string; readonly calls: number }[];
};

/** Whether the call log is known to hold every call of a span. */
export type LogCompleteness =
  | { readonly complete: true }
  /** `through`: up to where it is complete from the span's start on, where it is at all. */
  | { readonly complete: false; readonly why: string; readonly through?: UnixSeconds | undefined };

export type KeyEventFilter = {
  readonly account?: string | undefined;
  readonly service?: string | undefined;
  readonly rotation?: string | undefined;
};

export type KeyTable = {
  /** When the first call under the name at the moment or since is stamped; rows of unknown kinds count as calls. */
  readonly firstCall: (account: string, name: string, since: UnixSeconds) => Promise<UnixSeconds | undefined>;
  /**
   * Whole or not at all; lineage rows replace those of the same key of the account.
   * @throws fault warehouse-failed when a seq is there already.
   */
  readonly append: (rows: readonly KeyJournalRow[], lineage: readonly LineageRow[]) => Promise<void>;
  /** The head of the chain. */
  readonly last: () => Promise<{ readonly seq: number; readonly hash: string } | undefined>;
  /** Oldest first. */
  readonly events: (filter?: KeyEventFilter) => Promise<readonly KeyJournalRow[]>;
  /** By service and generation. */
  readonly lineage: (account: string) => Promise<readonly LineageRow[]>;
  /** Calls under the name in the half-open span, archived ones included. @throws fault archive-damaged */
  readonly use: (account: string, name: string, range: Interval<UnixSeconds>) => Promise<NameUse>;
  /**
   * The same of each of the names, from one reading of the log: those without a row are there, too. `mostModels`: of each
   * name so many at most, all where it is left out. @throws fault archive-damaged
   */
  readonly uses: (
    account: string,
    names: readonly string[],
    range: Interval<UnixSeconds>,
    maxModels?: number,
  ) => Promise<ReadonlyMap<string, NameUse>>;
  /** @throws fault archive-damaged */
  readonly logComplete: (account: string, range: Interval<UnixSeconds>) => Promise<LogCompleteness>;
  /** Every id that an inventory showed under the name at the moment or since, the lowest first. */
  readonly idsNamed: (account: string, name: string, since: UnixMillis) => Promise<readonly number[]>;
  /** The same of each of the names. */
  readonly idsOf: (
    account: string,
    names: readonly string[],
    since: UnixMillis,
  ) => Promise<ReadonlyMap<string, readonly number[]>>;
  /** Every name that an inventory showed for the key at the moment or since, the first shown first. */
  readonly namesOf: (account: string, keyId: number, since: UnixMillis) => Promise<readonly string[]>;
};
