import type { LocaleTag, Money, UnixSeconds } from '../../core/index.ts';
import type { Format } from '../definition/section-shapes.ts';
import type { ReportData } from '../attachments/data.ts';
import type { Advice, OpenReason } from '../../messages/index.ts';

/** A value as shown, with the exact decimal of a figure. */
export type Shown = { readonly exact: Money | null; readonly text: string };

export type Tone = 'good' | 'bad' | 'neutral';

/** A change against the comparison period; `text` has a sign, `ratio` is exact to 12 places. */
export type Change = {
  readonly direction: 'up' | 'down' | 'same' | 'new' | 'unknown';
  readonly ratio: Money | null;
  readonly text: string;
  readonly tone: Tone;
};

export type HeadlineModel = {
  readonly label: string;
  readonly format: Format;
  readonly value: Shown;
  readonly change: Change;
  /** The period compared with, or why there is no comparison. */
  readonly compared: string;
  readonly cause: string | undefined;
};

export type FigureModel = {
  /** The same in every language. */
  readonly name: string;
  readonly label: string;
  readonly format: Format;
  readonly value: Shown;
  readonly change: Change | undefined;
  /** Follows the change, or replaces it. */
  readonly note?: { readonly text: string; readonly tone: Tone } | undefined;
  /** The value is the least that it can be. */
  readonly isLowerBound?: true;
};

export type ColumnModel = {
  readonly label: string;
  /** `trend`: a line of blocks. */
  readonly role: 'name' | 'figure' | 'share' | 'change' | 'bar' | 'trend';
  readonly align: 'left' | 'right';
  /** Contains only text of the report, no external names. */
  readonly isFixed?: true;
  /** Each bar lies on a track, as long as the longest bar. */
  readonly hasTrack?: true;
  /** Phones hide it. */
  readonly isWideOnly?: true;
};

export type CellModel = {
  readonly exact: Money | null;
  readonly text: string;
  readonly change?: Change;
  /** 0 to 1, only for the length of a bar. */
  readonly length?: number;
  /** Where a floating bar begins, 0 to 1. */
  readonly from?: number;
  /** The colour of a bar, if it has a meaning. */
  readonly tone?: 'good' | 'bad';
};

export type RowModel = {
  readonly role: 'row' | 'other' | 'total';
  readonly state: DataState;
  readonly colour: string | undefined;
  readonly cells: readonly CellModel[];
};

/** How far the data covers a day or a period. */
export type DataState = 'complete' | 'partial' | 'missing';

export type BarModel = {
  readonly label: string;
  /** The label in the picture, if the picture's font lacks letters of the label. */
  readonly mark?: string;
  readonly state: DataState;
  readonly total: Money;
  readonly parts: readonly { readonly colour: string; readonly value: Money }[];
  /** A range beside the lines. */
  readonly range?: { readonly colour: string; readonly low: Money; readonly high: Money };
  /** Marks the value of one of the lines. */
  readonly dot?: { readonly of: string; readonly colour: string };
};

export type FiguresModel = {
  readonly kind: 'figures';
  readonly title: string | undefined;
  readonly figures: readonly FigureModel[];
};
export type TableModel = {
  readonly kind: 'table';
  readonly title: string;
  readonly columns: readonly ColumnModel[];
  readonly rows: readonly RowModel[];
};
export type ChartModel = {
  readonly kind: 'chart';
  /** Stacked bars, with one part for a single series, or one line per series. */
  readonly chart: 'bars' | 'line';
  /** Sums so far: a series without a value on a day has ended there, and does not fall to zero. */
  readonly isCumulative?: true;
  readonly format: Format;
  /** Whether all bars or some have a label. */
  readonly labels: 'all' | 'some';
  readonly title: string;
  /** The series and their colours, largest first. */
  readonly legend: readonly { readonly name: string; readonly colour: string }[];
  readonly note: string | undefined;
  readonly bars: readonly BarModel[];
  readonly annotation: { readonly bar: number; readonly text: string } | undefined;
  readonly alt: string;
};
export type TextModel = {
  readonly kind: 'text';
  readonly title: string | undefined;
  readonly paragraphs: readonly string[];
};
export type NotesModel = {
  readonly kind: 'notes';
  readonly title: string | undefined;
  readonly notes: readonly { readonly tone: 'warning' | 'look'; readonly text: string }[];
};
export type SectionModel = FiguresModel | TableModel | ChartModel | TextModel | NotesModel;

/**
 * For a report that closes a month. `document` is a file with every figure, `sha256` is the hash of its bytes in
 * hexadecimal.
 */
export type Checksum =
  | {
      readonly state: 'closed';
      readonly document: string;
      readonly sha256: string;
      /** The verdict of the comparison, where the job allows what is not reconciled. */
      readonly allowed?: string;
    }
  | { readonly state: 'draft'; readonly reasons: readonly OpenReason[] };

/** The part of a report that HTML, text and pictures show. */
export type ShownReport = {
  readonly locale: LocaleTag;
  readonly currency: string;
  readonly title: string;
  readonly account: string;
  readonly period: string;
  readonly subject: string;
  readonly preheader: string;
  readonly headline: HeadlineModel;
  readonly sections: readonly SectionModel[];
  readonly footer: readonly string[];
};

/** A report with all its figures, exact and as shown, and all rows of its tables, with original names. */
export type ReportModel = ShownReport & {
  /** The end of the period. */
  readonly end: UnixSeconds;
  /** What a mail shows of it; the report itself where it has no sections beyond. */
  readonly mail: ShownReport;
  readonly data: ReportData;
  readonly seal?: Checksum | undefined;
  /** What makes figures wrong or misleading, and what to write instead; the notes contain it too. */
  readonly warnings: readonly Advice[];
};
