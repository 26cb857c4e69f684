import type { Interval, UnixSeconds } from '../core/index.ts';
import type { Bindings, RowSource, Sql } from './sql.ts';

/**
 * The tables of the rollup that have cells: the sums of local days by model, by key, and by both, those of whole local months by both,
 * and those of hours by each of these. Each by the table of its days or months; hours are of UTC days.
 */
export const cellsBySpan = {
  rollup_day: ['rollup_model', 'rollup_key', 'rollup_pair'],
  rollup_month: ['rollup_month_pair'],
  rollup_hours: ['rollup_hour', 'rollup_hour_model', 'rollup_hour_key'],
} as const;

/** The table of the days, or of the whole months, that have cells. */
export type RollupSpan = keyof typeof cellsBySpan;

export const cellTables = [
  ...cellsBySpan.rollup_day,
  ...cellsBySpan.rollup_month,
  ...cellsBySpan.rollup_hours,
] as const;

export type CellTable = (typeof cellTables)[number];

/** A relation for FROM, and what is bound for it. */
export type Relation = { readonly sql: string; readonly bindings: Bindings };

/** Seconds UTC, half-open. */
type Range = Interval<UnixSeconds>;

/**
 * Returns a relation with all calls of the range and the columns of `call_log`. It may contain other calls: filter it like
 * `call_log`. If `within` is given, calls outside these ranges may be missing; if `keys` is given, those of other key names. If
 * `columns` is given, other columns may be NULL.
 */
export type RowsIn = (
  range: Range,
  wanted?: {
    readonly within?: readonly Range[];
    readonly columns?: readonly string[] | undefined;
    readonly keys?: readonly string[] | undefined;
  },
) => Promise<Relation>;

/**
 * Sums over the calls of a range as a relation for FROM, with its bindings besides `$account`: `created_at` (the first
 * second of its day or month, or that of the call), `kind`, `row_count`, `first_at`, `last_at`, `quota`, `size`, and the named
 * dimensions and token columns. Name only what is needed: cells by model or by key are few, those by both are many. Days whose
 * rollup is valid are read from the rollup, all other times from the calls, so that an outdated rollup changes no sum.
 *
 * Without `cuts`, no row contains calls of more than one day. With `cuts`, a row may contain the calls of a whole month, but never
 * calls from both sides of a cut: a month that contains a cut is read by day, and a day that contains a cut is read from its calls.
 *
 * With `keys`, which needs `token_name`, sums of other key names may be missing.
 */
export type CellsIn = (
  range: Range,
  columns?: Iterable<string>,
  cuts?: readonly UnixSeconds[],
  keys?: readonly string[],
) => Promise<Relation>;

/** The calls of one account in one transaction, during which none of them moves. */
export type AccountRows = {
  /** Also has the tables of the account besides its calls. */
  readonly connection: RowSource;
  /** Runs portable SQL on the stored rows. In a change, it does not run on the calls that the change holds. */
  readonly stored: Sql;
  readonly rows: RowsIn;
  /** The number of published changes of the account; 0 if the database is not shared. */
  readonly version: () => Promise<number>;
  /**
   * A table with the cells of days, or months, of a zone; it may have others. With `columns`, the other ones may be NULL. With
   * `keys`, the cells of other key names may be missing; the table then needs `token_name`.
   */
  readonly cells: (
    table: CellTable,
    zone: string,
    days: readonly Range[],
    columns?: readonly string[],
    keys?: readonly string[],
  ) => Promise<string>;
  /** The rollup whose days are those of the zone. */
  readonly rollup: (zone: string) => CellsIn;
};

/** A change of the calls of one account, and of its tables. */
export type RowChange = AccountRows & {
  /**
   * Puts the calls of a range into the table `call_log`, where they can be changed. `served` is the number of rows that
   * replace them; 0 where they are changed, not replaced.
   */
  readonly hold: (range: Range, served: number) => Promise<void>;
};

/**
 * What a work reads: tables of its account, by name, besides the relations that `rows`, `cells` and `rollup` return. Where a work
 * runs on a copy of its tables, a statement that names another table fails.
 */
export type Reads<Table extends string> = { readonly account: string; readonly reads?: readonly Table[] };

/**
 * The tables that `work` reads and changes. It can also read the tables of `writes`. `call_log` and the tables of cells are too
 * large to copy: `call_log` contains only the calls that `work` holds, and a table of cells only those that it adds. If `work`
 * runs on a copy, a statement that changes a table of `reads` fails.
 */
export type Writes<Table extends string> = Reads<Table> & { readonly writes: readonly Table[] };

/** The store of the calls of all accounts. @throws fault archive-damaged if a required file is damaged */
export type RowStore<Table extends string> = {
  readonly read: <T>(
    touched: Reads<Table>,
    work: (rows: AccountRows) => Promise<T>,
    signal?: AbortSignal,
  ) => Promise<T>;
  /** Publishes all changes of `work` atomically when it ends. Discards them if it throws or `isKept` returns false. */
  readonly publish: <T>(
    touched: Writes<Table>,
    work: (change: RowChange) => Promise<T>,
    options?: { readonly signal?: AbortSignal | undefined; readonly isKept?: (result: T) => boolean },
  ) => Promise<T>;
};
