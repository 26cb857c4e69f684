import type { Interval, Money, UnixSeconds } from '../../core/index.ts';
import type { BadRow } from '../quarantine/quarantined-row.ts';

/** Columns that count tokens. */
export const tokenRoles = [
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'audio_tokens',
  'audio_input_tokens',
  'audio_output_tokens',
  'image_tokens',
] as const;

/** The columns of a log export that have a place of their own in the warehouse. */
export const logRoles = ['created_at', 'model_name', 'token_name', 'kind', ...tokenRoles, 'quota'] as const;

export type LogRole = (typeof logRoles)[number];

/** A column of the file, in its order; one without a role is kept as text under its own name. */
export type LogColumn = { readonly name: string; readonly role?: LogRole };

/** From this wall-clock second on (the local time read as if it were UTC), local time is this far ahead of UTC. */
export type ZoneOffset = { readonly fromLocal: number; readonly seconds: number };

/** How `created_at` is written; naive times bring the offsets of their zone, the earliest first. */
export type TimeForm =
  | { readonly form: 'seconds' }
  | { readonly form: 'milliseconds' }
  | { readonly form: 'rfc3339' }
  | { readonly form: 'naive'; readonly offsets: readonly ZoneOffset[] };

export type AmountForm = 'currency' | 'units';

/** One window of the call log, spooled and counted. */
export type LogBatch = {
  readonly account: string;
  /** The rows it replaces. */
  readonly window: Interval<UnixSeconds>;
  /** What was asked for, its end included: a row far outside it means that its time was misread. */
  readonly asked: Interval<UnixSeconds>;
  /** A file in the spool folder that holds rows alone: UTF-8, no header, rows ended by LF, fields quoted after RFC 4180. */
  readonly file: string;
  readonly bytes: number;
  /** Rows in the file, counted apart from the reader. */
  readonly served: number;
  readonly columns: readonly LogColumn[];
  /** What rows are, by the gateway's words for their kinds; goes before the words that are known. */
  readonly kinds?: Readonly<Record<string, string>> | undefined;
  readonly time: TimeForm;
  /** Some cell may carry a leading `'` as guard against spreadsheets. */
  readonly guarded: boolean;
  /** Some quoted cell holds a line end: the file can't be read from the middle. */
  readonly quotedNewlines: boolean;
  readonly currency: string;
  /** The currency that the header names; another one than was asked for is believed of integer units alone. */
  readonly headerCurrency?: string | undefined;
  readonly amounts: {
    /** As configured; learned from the data when left out. */
    readonly form?: AmountForm | undefined;
    readonly unitsPerCurrency: number;
    /** `units_per_currency` is set: units are parts of the account's currency. Left out, they are parts of a US dollar. */
    readonly unitsStated?: boolean | undefined;
    /** An amount was written with a decimal point. */
    readonly decimalsWritten: boolean;
  };
  /** The amount of the export's own total line, and to how many places it was written. */
  readonly total?: { readonly amount: Money; readonly decimals: number } | undefined;
  /** Rows of the export that are not in the file, since they can't be read. */
  readonly quarantined?: readonly BadRow[];
  /** What is newer may still change: the covered span goes no further, whatever the window holds. */
  readonly settled?: UnixSeconds;
  /** Lets the window begin the covered span; a window that touches the span widens it in any case. */
  readonly opensRange: boolean;
};

/** Kinds of rows, and whether there are rows of others. */
export type SeenKinds = { readonly known: readonly string[]; readonly hasUnknown: boolean };

export type LandedWindow = {
  /** Rows in the window now. */
  readonly rows: number;
  /** Rows of the window that were there before. */
  readonly replaced: number;
  /** Sum of the amounts in the form that the account's amounts are stored in. */
  readonly quota: Money;
  /** Sum before. */
  readonly replacedQuota: Money;
  /** Quarter hours of what was landed before whose sums are others now; missing when there are none. */
  readonly restated?: number;
  /** Rows put aside; missing when there are none. */
  readonly quarantined?: number;
  /** Of the rows in the window; missing where no column names them. */
  readonly kinds?: SeenKinds | undefined;
};
