/** The lines of alert emails. */
export type LineName =
  | 'what'
  | 'toDo'
  | 'reason'
  | 'account'
  | 'also'
  | 'cause'
  | 'outlook'
  | 'scope'
  | 'period'
  | 'through'
  | 'now'
  | 'known'
  | 'when'
  | 'left'
  | 'usedUp'
  | 'read'
  | 'slot'
  | 'nextSlot'
  | 'manualRun'
  | 'lastRun'
  | 'downSince'
  | 'fault'
  | 'found'
  | 'compared'
  | 'seen'
  | 'firstSeen'
  | 'lastUse'
  | 'service'
  | 'age'
  | 'planned'
  | 'skipped'
  | 'spend'
  | 'rows'
  | 'files';

/** What all alert emails share: the names of their lines, and the texts around their content. */
export type MailTexts = {
  readonly lines: Readonly<Record<LineName, string>>;
  /** Replaces an empty heading. */
  readonly unnamed: string;
  /** How many blocks a long mail omits. */
  readonly more: (count: number) => string;
  readonly statusPage: (url: string) => string;
  /** `setting` holds the recipients. */
  readonly recipients: (setting: string) => string;
  /** The link at which an alert is acknowledged or muted. */
  readonly action: string;
  readonly actionLimits: (days: number) => string;
  /** Introduces the link in plain text. */
  readonly actionIntro: (days: number) => string;
  /** Of mails with a closed month in FOCUS. */
  readonly exports: {
    readonly title: (account: string, month: string) => string;
    readonly rows: (rows: string, corrections: string) => string;
    /** The rows of corrections have a mark of the specification. */
    readonly corrections: string;
    /** The files are too large for a mail. */
    readonly elsewhere: (folder: string) => string;
  };
};

/** The named lines of a mail in their order, without those that have no text. */
export const linesOf = (
  texts: { readonly [Name in LineName]?: string | undefined },
  mails: MailTexts,
): readonly (readonly [string, string])[] =>
  Object.entries(texts).flatMap(([name, text]) =>
    text === undefined || text.trim() === '' ? [] : [[mails.lines[name as LineName], text] as const],
  );
