import type { Comparison, ComparisonSource } from '../../warehouse/index.ts';

/** How the call log and another source stand. */
export type ComparisonVerdict =
  | 'equal'
  | 'refunds'
  | 'rounding'
  | 'currency'
  | 'late data'
  | 'truncated'
  | 'unexplained';

/** A comparison in figures, as they are shown. */
type ShownComparison = {
  readonly theirs: string;
  readonly reading: string;
  readonly ours: string;
  readonly gap: string;
  readonly unit: string;
};

/** What a run says of its data in a report; a language that lacks a word does not compile. */
export type RunMessages = {
  /** Why data is late, and how far the call log reaches. */
  readonly late: (reason: string, watermark: string | undefined) => string;
  /** Rows of the call log that could not be read. */
  readonly unread: (rows: number) => string;
  /** Rows that count as calls and may be of other kinds. */
  readonly unclear: (rows: number) => string;
  readonly notCompared: (reason: string) => string;
  /** What was compared is less than the period. */
  readonly part: (from: string, to: string) => string;
  readonly sources: Readonly<Record<ComparisonSource, string>>;
  readonly ofEntry: (source: string, entry: string) => string;
  readonly verdicts: Readonly<Record<ComparisonVerdict, (comparison: ShownComparison) => string>>;
};

const isVerdict = (verdict: string, messages: RunMessages): verdict is ComparisonVerdict =>
  Object.hasOwn(messages.verdicts, verdict);

/** A comparison in one sentence; the one it came with where its verdict is not known here. */
export const notifyCompared = (comparison: Comparison, messages: RunMessages): string => {
  const { source, entry, verdict, theirs: reading, ours, gap, unit, text } = comparison;
  if (!isVerdict(verdict, messages)) return text;
  const name = messages.sources[source];
  const theirs = entry === undefined ? name : messages.ofEntry(name, entry);
  return messages.verdicts[verdict]({ theirs, reading, ours, gap: gap.replace(/^-/, ''), unit });
};
