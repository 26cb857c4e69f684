import type { LocalDate, LocaleTag, UnixSeconds } from '../core/index.ts';
import type { BudgetPeriodKind, CauseFactor, UnknownReason } from '../monitoring/index.ts';
import type { KeyTexts } from './key-texts.ts';
import type { MailTexts } from './mail-texts.ts';
import type { OutageTexts } from './outage-texts.ts';
import type { PlanTexts } from './plan-texts.ts';

/** Why a month cannot be closed. */
export type OpenReason = 'not-a-month' | 'not-over' | 'not-covered' | 'not-complete' | 'not-reconciled';

/** A power of ten and its suffix: `{ exponent: 6, mark: 'M' }`. */
export type Power = { readonly exponent: number; readonly mark: string };

/** The format of figures and dates in a language, and every text that a recipient reads. */
export type Locale = {
  readonly tag: LocaleTag;
  /** The value of the attribute `lang` in HTML. */
  readonly lang: string;
  readonly decimalMark: string;
  readonly groupMark: string;
  /** Combines the sign, symbol and digits of an amount; `digits` is grouped, unsigned, and may end in a power. */
  readonly amount: (currency: string, digits: string, negative: boolean) => string;
  /** `8.2%`; the digits are already grouped and signed. */
  readonly percent: (digits: string) => string;
  /** Powers that abbreviate large numbers, smallest first. */
  readonly powers: readonly Power[];
  /** `Nov 12` */
  readonly shortDay: (date: LocalDate) => string;
  /** `Thu, Nov 12, 2026` */
  readonly longDay: (date: LocalDate) => string;
  /** `Oct 21 – Nov 19, 2026`, both ends included. */
  readonly range: (first: LocalDate, last: LocalDate) => string;
  /** `Nov 20, 2026, 14:00 Europe/Berlin` */
  readonly moment: (moment: UnixSeconds, zone: string) => string;
  /** Joins items: `a, b`. */
  readonly list: (items: readonly string[]) => string;
  /** Joins sentences. */
  readonly sentences: (sentences: readonly string[]) => string;
  /** The heading of a section in plain text. */
  readonly heading: (title: string) => string;
  /** `Spend: $12.00` */
  readonly labelled: (label: string, value: string) => string;
  /** Texts in pictures, whose font has only Latin letters. */
  readonly chart: {
    readonly day: (date: LocalDate) => string;
    readonly powers: readonly Power[];
  };
  readonly mails: MailTexts;
  readonly outages: OutageTexts;
  readonly keys: KeyTexts;
  readonly plans: PlanTexts;
  /** The next step for the fault of a code; `given` is that of the fault, in English. */
  readonly advice: (code: string | undefined, given: string | undefined) => string | undefined;
  readonly messages: Messages;
};

/** What is wrong, and what to write instead; each one or more sentences. */
export type Advice = { readonly message: string; readonly advice: string };

/** Every text of the engine; a language without one does not compile. */
export type Messages = {
  readonly total: string;
  /** Label of the headline, if the report has none. */
  readonly spend: string;
  readonly other: string;
  readonly otherRows: (count: number) => string;
  readonly noData: string;
  readonly noDataYet: string;
  /** Replaces a total while the form of amounts is unproven. */
  readonly amountsUnknown: string;
  readonly incomplete: string;
  readonly isNew: string;
  readonly unnamed: string;
  /** What no team pays for. */
  readonly unassigned: string;
  /** Units after a number. */
  readonly units: Readonly<Record<'day' | 'hour' | 'minute' | 'second', string>>;
  /** For a report on a part of the account: how the whole compares, without its amounts. */
  readonly wholeAccount: (good: boolean) => string;
  /** Follows the list of rows that deserve attention. */
  readonly moreLooks: (count: number) => string;
  readonly up: (percent: string) => string;
  readonly down: (percent: string) => string;
  readonly unchanged: string;
  readonly versus: (amount: string, period: string) => string;
  /** The data begins on a day after the start of the comparison period. */
  /** What a figure is compared with: the average of so many days, and the days left out as incomplete. */
  readonly averageOf: (days: number, period: string, left: string) => string;
  readonly notComparedBefore: (period: string, day: string) => string;
  readonly notCompared: Readonly<Record<'incomplete' | 'nothing-before', string>>;
  readonly cause: (cause: {
    readonly name: string;
    /** Whether the name is a plural, such as refunds. */
    readonly isMany: boolean;
    readonly rise: boolean;
    readonly most: boolean;
    readonly amount: string;
    readonly percent: string;
  }) => string;
  readonly budgets: {
    readonly budget: string;
    readonly spend: string;
    readonly used: string;
    readonly forecast: string;
    /** In place of a forecast while the log covers too few days. */
    readonly tooEarly: string;
    /** Above forecasts with their mean error: `$12,300.00 ± 3.1%`. */
    readonly forecastError: string;
    /** How far the latest forecasts were off that were made at the same point of a month. */
    readonly accuracy: (months: number, mean: string, most: string) => string;
    /** Why the spend or the forecast is unknown. */
    readonly unknown: Readonly<Record<UnknownReason['kind'], string>>;
    readonly spent: (spend: string, budget: string) => string;
    readonly periods: Readonly<Record<BudgetPeriodKind, string>>;
    /** A budget with its period. */
    readonly ofPeriod: (name: string, period: string) => string;
  };
  /** Causes of a change. */
  readonly changes: {
    readonly factors: Readonly<Record<CauseFactor, { readonly up: string; readonly down: string }>>;
    readonly cause: string;
    readonly contributors: string;
    readonly amount: string;
    /** The row that sums the causes. */
    readonly total: string;
    readonly nothing: string;
    /** A model and a key, or one of them alone; the key is empty for calls and refunds that have none. */
    readonly contributor: (
      model: string | undefined,
      key: string | undefined,
      state?: 'new' | 'gone' | 'larger-share' | 'smaller-share',
      amount?: string,
    ) => string;
    /** Introduces the sentence. */
    readonly main: (isAll: boolean, sentence: string) => string;
    /** The cause of a decrease that is the end of an unusual day; `sentence` is what `sentence` returns. */
    readonly spikeEnded: (who: string, day: string, sentence: string) => string;
    readonly sentence: (cause: {
      readonly cause: string;
      /** With its sign. */
      readonly amount: string;
      /** The cause as a part of a larger change; both amounts have no sign. */
      readonly partOf?: { readonly part: string; readonly change: string; readonly isRise: boolean };
      /** What other causes add in the other direction. */
      readonly offset?: string;
      /** Who contributes most, with their own amount. */
      readonly who?: string;
    }) => string;
  };
  readonly reconciled: string;
  readonly notReconciled: string;
  readonly spike: (day: string, amount: string, times: string) => string;
  readonly missingDays: (days: string, count: number) => string;
  readonly partialDay: (day: string, moment: string) => string;
  /** Amounts of a kind of row that is not known to be spend. */
  readonly uncounted: (kind: string, rows: string, amount: string) => string;
  /** For queries that make a figure wrong; `sql` is the name of a file. */
  readonly reportWarnings: {
    readonly limit: (table: string, sql: string) => Advice;
    readonly ratio: (table: string, column: string, sql: string) => Advice;
    readonly unknownPeriod: (period: string, sql: string) => Advice;
    readonly undeclaredPeriod: (period: string, sql: string) => Advice;
    readonly mixedPeriods: (sql: string) => Advice;
    readonly sumDiffers: (table: string, sum: string, label: string, headline: string, sql: string) => Advice;
    readonly noRows: (title: string, sql: string) => Advice;
  };
  readonly doubtfulAmounts: Readonly<Record<'form' | 'unit', (currency: string) => string>>;
  /** For a report that closes a month. */
  readonly seal: {
    readonly title: string;
    /** Paragraphs; the figures are in a file whose name ends in `-signed.json`. */
    readonly closed: (sha256: string) => readonly string[];
    readonly draft: (reasons: readonly string[]) => string;
    /** Follows the checksum where the job allows a month that is not reconciled; given the verdict as a sentence. */
    readonly allowed: (verdict: string) => string;
    /** In the subject. */
    readonly isDraft: string;
    readonly isClosed: string;
    readonly reasons: Readonly<Record<OpenReason, string>>;
  };
  /** Around a report in a mail. */
  readonly reportMail: {
    /** `names` are those of files too large to be attached, which are kept at `where`. */
    readonly filesElsewhere: (names: string, size: string, where: string) => string;
    /** Where the sections are that the mail omits: in an attachment without a place. */
    readonly whole: (place: string | undefined) => string;
    /** Which job sends the mail, and where a reader can stop it. */
    readonly sentBy: (job: string, setting: string) => string;
    readonly testMark: string;
    readonly sentByHand: string;
  };
  /** Of a report as PDF. */
  readonly pdf: {
    readonly page: (at: number, of: number) => string;
    /** Characters that no font has, as code points. */
    readonly missing: (points: string) => string;
  };
  readonly barIsDays: (days: number) => string;
  readonly nothingBooked: string;
  readonly shortened: string;
  readonly chartAlt: (chart: {
    readonly title: string;
    readonly period: string;
    readonly total: string;
    readonly highest: string;
    readonly lowest: string;
    readonly series: string;
    readonly missing: string;
  }) => string;
  readonly footer: {
    readonly watermark: (moment: string) => string;
    readonly noWatermark: string;
    readonly since: (moment: string) => string;
    readonly reconciliation: (text: string) => string;
    readonly noReconciliation: string;
    readonly exact: (label: string, exact: string, currency: string) => string;
    readonly units: (currency: string, zone: string, from: string, to: string) => string;
    readonly rounding: string;
    readonly run: (id: string) => string;
  };
};
