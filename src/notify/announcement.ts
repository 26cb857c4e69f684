/** The exact decimal, if known, and the displayed text. */
export type AnnouncedFigure = { readonly exact: string | null; readonly text: string };

/** A change against the comparison period; `ratio` is an exact decimal, 0.12 for 12 % more. */
export type AnnouncedChange = {
  readonly direction: 'up' | 'down' | 'same' | 'new' | 'unknown';
  readonly ratio: string | null;
  readonly text: string;
};

export type AnnouncedSection =
  | {
      readonly kind: 'figures';
      readonly title?: string | undefined;
      readonly figures: readonly {
        readonly label: string;
        readonly value: AnnouncedFigure;
        readonly change?: AnnouncedChange;
        readonly note?: string | undefined;
      }[];
    }
  | {
      readonly kind: 'table';
      readonly title: string;
      readonly columns: readonly string[];
      readonly rows: readonly {
        /** `other` and `total` close a table: with them its figures add up. */
        readonly role: 'row' | 'other' | 'total';
        readonly cells: readonly AnnouncedFigure[];
      }[];
    }
  | { readonly kind: 'text'; readonly title?: string | undefined; readonly paragraphs: readonly string[] }
  | {
      readonly kind: 'notes';
      readonly title?: string | undefined;
      readonly notes: readonly { readonly tone: 'warning' | 'look'; readonly text: string }[];
    };

/** The content of a webhook message: a report, or a notice to operators. Names in it may contain any text. */
export type Announcement = {
  readonly kind: 'report' | 'notice';
  readonly title: string;
  /** One line, like the subject of a mail. */
  readonly subject: string;
  readonly account?: string | undefined;
  readonly period?: string | undefined;
  readonly currency?: string;
  readonly total?: (AnnouncedFigure & { readonly label: string }) | undefined;
  readonly change?: AnnouncedChange & { readonly compared: string };
  readonly cause?: string | undefined;
  readonly verdict?: { readonly verdict: string; readonly good: boolean; readonly text: string };
  readonly sections: readonly AnnouncedSection[];
  /** Notes such as how far the data reaches. */
  readonly footer: readonly string[];
  readonly runId?: string;
};
