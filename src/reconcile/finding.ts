import type { Interval, UnixSeconds } from '../core/index.ts';
import type { Comparison, ComparisonSource } from '../warehouse/index.ts';
import { agreement, nameGap, type Verdict } from './verdict.ts';
import { describeComparison } from './messages.ts';
import { gapOf, type Match } from './match-figures.ts';

/** A comparison before unexplained gaps get a verdict, which takes all sources together. */
export type Finding = {
  readonly source: ComparisonSource;
  readonly entry?: string | undefined;
  readonly range: Interval<UnixSeconds>;
  readonly match: Match;
  /** Undefined when nothing explains the gap. */
  readonly verdict: Verdict | undefined;
  /** Explanation of the verdict. */
  readonly why?: string | undefined;
  /** Whether the figure decreases when the log increases. */
  readonly isFalling?: boolean;
};

/** Explains a gap: the verdict and its reason, or undefined. */
export type Explanation = { readonly verdict: Verdict; readonly why: string };

/** The finding of a match: how it agrees, or how its gap is explained. */
export const findingOf = async (
  base: Omit<Finding, 'verdict' | 'why'>,
  explain: () => Promise<Explanation | undefined>,
): Promise<Finding> => {
  const agreed = agreement(base.match);
  if (agreed !== undefined) return { ...base, verdict: agreed };
  const explained = await explain();
  return explained === undefined ? { ...base, verdict: undefined } : { ...base, ...explained };
};

/** Assigns verdicts to unexplained gaps, all sources together, and describes each comparison. */
export const nameFindings = (findings: readonly Finding[]): readonly Comparison[] => {
  const totals = findings.filter(({ entry }) => entry === undefined);
  const votes = totals.map((total) => ({ ...total, verdict: total.verdict ?? ('unexplained' as const) }));
  return findings.map((finding) => {
    const { source, entry, range, match, why } = finding;
    const open = votes.find((vote) => vote.source === source);
    const own = { ...finding, verdict: 'unexplained' as const };
    // An entry lacks calls only if its whole source does.
    const named = (): Verdict => {
      if (entry === undefined)
        return nameGap(
          own,
          votes.filter((vote) => vote.source !== source),
        );
      const isOpen = open !== undefined && open.verdict === 'unexplained';
      return isOpen
        ? nameGap(
            own,
            votes.filter((vote) => vote.source !== source),
          )
        : 'unexplained';
    };
    const verdict = finding.verdict ?? named();
    const { ours, figure, reading } = match;
    return {
      source,
      entry,
      range,
      ours,
      theirs: reading,
      gap: gapOf(match),
      unit: figure.unit,
      verdict,
      text: describeComparison({
        source,
        verdict,
        match,
        entry,
        why,
      }),
    };
  });
};
