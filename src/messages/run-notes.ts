import { toSeconds, type Interval, type LateData, type UnixSeconds } from '../core/index.ts';
import type { Selector, Unmatched } from '../monitoring/index.ts';
import type { Locale } from './locale.ts';
import type { Comparison, ComparisonSource } from '../warehouse/index.ts';

/** How the call log and another source compare. */
export type ComparisonVerdict =
  | 'equal'
  | 'refunds'
  | 'rounding'
  | 'currency'
  | 'late data'
  | 'truncated'
  | 'unexplained';

/** A comparison with formatted figures. */
type ShownComparison = {
  readonly theirs: string;
  readonly reading: string;
  readonly ours: string;
  /** Empty while it is unknown whether the source deducts refunds, and so how large the gap is. */
  readonly gap: string;
  readonly unit: string;
};

/** The texts of a run about its data in a report; a language without one does not compile. */
export type RunMessages = {
  /** A job that a run needs, and how far its data reaches. */
  readonly needed: (job: string, reaches: string | undefined, isSuspended: boolean) => string;
  /** Why data is late, up to when it is needed, and the watermark of the call log. */
  readonly late: (needed: readonly string[], through: string, watermark: string | undefined) => string;
  /** Unreadable rows of the call log. */
  readonly unread: (rows: number) => string;
  /** Calls after the watermark that the figures contain. */
  readonly afterWatermark: (calls: number) => string;
  /** Rows that count as calls but may be of other kinds. */
  readonly unclear: (rows: number) => string;
  /** A selector that matches nothing, as a clause without a full stop. */
  readonly unmatched: (names: Selector['names'], pattern: string) => string;
  /** The clause as a sentence, with the known names that are similar. */
  readonly unmatchedNote: (clause: string, similar: readonly string[]) => string;
  readonly notCompared: (reason: string) => string;
  /** The compared part is shorter than the period. */
  readonly part: (from: string, to: string) => string;
  readonly sources: Readonly<Record<ComparisonSource, string>>;
  readonly ofEntry: (source: string, entry: string) => string;
  /** The sentence after that of the verdict when the gap is unknown. */
  readonly unknownGap: string;
  readonly verdicts: Readonly<Record<ComparisonVerdict, (comparison: ShownComparison) => string>>;
};

const isVerdict = (verdict: string, messages: RunMessages): verdict is ComparisonVerdict =>
  Object.hasOwn(messages.verdicts, verdict);

/** A comparison in one sentence; its own sentence if the verdict is unknown here. */
const comparedText = (
  comparison: Comparison,
  messages: RunMessages,
  join: (sentences: readonly string[]) => string,
): string => {
  const { source, entry, verdict, theirs: reading, ours, gap, unit, text } = comparison;
  if (!isVerdict(verdict, messages)) return text;
  const name = messages.sources[source];
  const theirs = entry === undefined ? name : messages.ofEntry(name, entry);
  const shown = { theirs, reading, ours, gap: gap === 'unknown' ? '' : gap.replace(/^-/, ''), unit };
  return join([messages.verdicts[verdict](shown), ...(gap === 'unknown' ? [messages.unknownGap] : [])]);
};

/** The facts of a run as text in a language. */
export type RunNotes = {
  readonly late: (late: LateData, watermark: UnixSeconds | undefined) => string;
  readonly unread: (rows: number) => string;
  readonly afterWatermark: (calls: number) => string;
  readonly unclear: (rows: number) => string;
  /** A selector that matches nothing: as a clause for a subject, and as a sentence with similar names. */
  readonly unmatched: (selector: Selector) => string;
  readonly unmatchedNote: (selector: Unmatched<Selector>) => string;
  readonly notCompared: (reason: string) => string;
  /** With the range when it is shorter than the period, and the rows that could not be read. */
  readonly compared: (
    comparison: Comparison,
    part: Interval<UnixSeconds> | undefined,
    unread: number,
  ) => string;
};

/** The notes of a run from the texts of a language; moments are shown in the zone. */
export const notesFrom = (
  messages: RunMessages,
  zone: string,
  { sentences: join, moment }: Pick<Locale, 'sentences' | 'moment'>,
): RunNotes => {
  const at = (second: UnixSeconds): string => moment(second, zone);
  return {
    late: ({ needs, through }, watermark) =>
      messages.late(
        needs.map(({ job, reaches, isSuspended }) =>
          messages.needed(job, reaches === undefined ? undefined : at(toSeconds(reaches)), isSuspended),
        ),
        at(toSeconds(through)),
        watermark === undefined ? undefined : at(watermark),
      ),
    unread: messages.unread,
    afterWatermark: messages.afterWatermark,
    unclear: messages.unclear,
    unmatched: ({ names, pattern }) => messages.unmatched(names, pattern),
    unmatchedNote: ({ names, pattern, near }) =>
      messages.unmatchedNote(messages.unmatched(names, pattern), near),
    notCompared: messages.notCompared,
    compared: (comparison, part, unread) =>
      join([
        comparedText(comparison, messages, join),
        ...(part === undefined ? [] : [messages.part(at(part.start), at(part.end))]),
        ...(unread === 0 ? [] : [messages.unread(unread)]),
      ]),
  };
};
