import type { CallLogRole, Interval, Money, TimeFormName, UnixSeconds } from '../../core/index.ts';
import type { BadRow } from '../quarantine/quarantined-row.ts';

/** A column of the file, in file order; one without a role is stored as text under its own name. */
export type LogColumn = { readonly name: string; readonly role?: CallLogRole };

/** From this wall-clock second on (local time read as UTC), local time is this far ahead of UTC. */
export type ZoneOffset = { readonly fromLocal: number; readonly seconds: number };

/** How `created_at` is written; naive times include the offsets of their zone, earliest first. */
export type TimeForm =
  | { readonly form: Exclude<TimeFormName, 'naive'> }
  | { readonly form: 'naive'; readonly offsets: readonly ZoneOffset[] };

export type AmountForm = 'currency' | 'units';

/** One window of the call log, spooled and counted. */
export type LogBatch = {
  readonly account: string;
  /** The rows it replaces. */
  readonly window: Interval<UnixSeconds>;
  /** The requested range, end included: a row far outside it means that its time was misread. */
  readonly asked: Interval<UnixSeconds>;
  /** A file in the spool folder with only rows: UTF-8, no header, rows end with LF, fields quoted by RFC 4180. */
  readonly file: string;
  readonly bytes: number;
  /** Rows in the file, counted independently of the reader. */
  readonly served: number;
  readonly columns: readonly LogColumn[];
  /** Kinds by the gateway's own labels; they take precedence over known labels. */
  readonly kinds?: Readonly<Record<string, string>> | undefined;
  readonly time: TimeForm;
  /** Whether a cell may have a leading `'` as a spreadsheet guard. */
  readonly guarded: boolean;
  /** Whether the file may contain U+001E or U+001F, which separate cells in the database; default: it may. */
  readonly hasSeparators?: boolean | undefined;
  /** Whether a quoted cell contains a line end: the file can't be read from the middle. */
  readonly quotedNewlines: boolean;
  readonly currency: string;
  /** The currency in the header; one other than the requested is accepted only for integer units. */
  readonly headerCurrency?: string | undefined;
  readonly amounts: {
    /** As configured; derived from the data when omitted. */
    readonly form?: AmountForm | undefined;
    readonly unitsPerCurrency: number;
    /**
     * `units_per_currency` is set: units are parts of the account's currency. Otherwise they are parts of a US dollar.
     */
    readonly unitsStated?: boolean | undefined;
    /** An amount was written with a decimal point. */
    readonly decimalsWritten: boolean;
  };
  /** The amount of the export's total line, and its number of decimals. */
  readonly total?: { readonly amount: Money; readonly decimals: number } | undefined;
  /** Rows of the file whose amounts were rounded to the decimals of the warehouse. */
  readonly rounded?: number | undefined;
  /** Rows of the export that are unreadable and therefore not in the file. */
  readonly quarantined?: readonly BadRow[];
  /** An export without rows removes those that are stored. */
  readonly acceptsEmpty?: boolean | undefined;
  /** Newer rows may still change: the covered range ends here at the latest, whatever the window contains. */
  readonly settled?: UnixSeconds;
  /** Allows the window to begin the covered range; a window that touches the range always extends it. */
  readonly opensRange: boolean;
};

/** Known kinds of rows, and whether there are rows of other kinds. */
export type SeenKinds = { readonly known: readonly string[]; readonly hasUnknown: boolean };

export type LandedWindow = {
  /** Rows in the window now. */
  readonly rows: number;
  /** Rows of the window that were there before. */
  readonly replaced: number;
  /** Sum of the amounts, in the form in which the account's amounts are stored. */
  readonly quota: Money;
  /** Sum before. */
  readonly replacedQuota: Money;
  /** Quarter hours landed before whose sums changed; omitted when there are none. */
  readonly restated?: number;
  /** Quarantined rows; omitted when there are none. */
  readonly quarantined?: number;
  /** Kinds of the rows in the window; omitted when no column contains kinds. */
  readonly kinds?: SeenKinds | undefined;
};
