import { absoluteMoney, countText } from '../core/index.ts';
import { gapOf, type Match } from './match-figures.ts';
import type { Verdict } from './verdict.ts';

const names: Readonly<Record<string, string>> = {
  statistics: 'the gateway’s statistics',
  'usage by model': 'the usage export by model',
  'usage by key': 'the usage export by key',
  used_quota: 'the change of used_quota',
  balance: 'the change of the balance',
};

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

export type Compared = {
  readonly source: string;
  readonly entry?: string | undefined;
  readonly verdict: Verdict;
  readonly match: Match;
  /** Why a gap is late data, or another explanation, without a full stop. */
  readonly why?: string | undefined;
};

/** One sentence about a comparison. */
export const describeComparison = ({ source, entry, verdict, match, why }: Compared): string => {
  const { reading, figure, fit } = match;
  const gap = gapOf(match);
  const ours = fit === undefined && gap === 'unknown' ? `${figure.net} or ${figure.consumption}` : match.ours;
  const of = entry === undefined ? '' : ` for ${entry === '' ? 'entries without a name' : entry}`;
  const theirs = `${names[source] ?? source}${of}`;
  const { unit } = figure;
  const open = match.unproven === undefined ? undefined : [unit, ...match.unproven].join(' or ');
  const size = gap === 'unknown' ? 'an unknown amount' : absoluteMoney(gap);
  const difference =
    gap === 'unknown'
      ? 'the difference is unknown, because nothing shows yet whether that source deducts refunds'
      : `the difference is ${gap}`;
  const more = why === undefined ? '' : `; ${why}`;
  const near = fit === 'rounding' ? `, within rounding (${gap})` : '';
  const withoutRefunds = match.refunds === 'not taken off' ? '; that source does not deduct refunds' : '';
  const both =
    open === undefined
      ? `${reading} ${unit} in ${theirs}, ${ours} in the log`
      : `${reading} (${open}; which one is unknown) in ${theirs}, ${ours} ${unit} in the log`;
  const message: Readonly<Record<Verdict, string>> = {
    equal: `The log matches ${theirs}: ${reading} ${unit}${more}.`,
    rounding: `The log matches ${theirs}, ${reading} ${unit}, within rounding (${gap})${more}.`,
    refunds: `The log’s consumption matches ${theirs}, ${reading} ${unit}${near}${withoutRefunds}${more}.`,
    currency:
      figure.kind === 'units'
        ? `The log matches ${theirs}, counted in integer units: ${reading} there, ${ours} here (${unit})${near}${withoutRefunds}${more}.`
        : `The log matches ${theirs} in another currency: ${reading} ${unit} there, ${ours} in that currency here${near}${withoutRefunds}${more}.`,
    'late data': `Late data: ${both}; ${difference}${more}.`,
    truncated: `The log is incomplete: ${both}; ${size} is missing${more}.`,
    unexplained: `Unexplained: ${both}; ${difference}${more}.`,
  };
  return message[verdict];
};

type Concluded = {
  readonly entry?: string | undefined;
  readonly verdict: string;
  readonly text: string;
};

/** The conclusion of all comparisons of a range, of whose log so many rows are in quarantine. */
export const concludeComparisons = (found: readonly Concluded[], unread: number): string => {
  const conclusion = conclude(found);
  if (unread === 0) return conclusion;
  return `${conclusion} ${countText(unread, 'row')} of the log could not be read and ${unread === 1 ? 'is' : 'are'} in no figure.`;
};

const conclude = (found: readonly Concluded[]): string => {
  if (found.length === 0) return 'Nothing could be compared.';
  const totals = found.filter(({ entry }) => entry === undefined);
  const with_ = (verdict: string) => found.filter((one) => one.verdict === verdict);
  const first = (verdict: string): string =>
    (totals.find((one) => one.verdict === verdict) ?? with_(verdict)[0])?.text ?? '';
  const many = (verdict: string): string => `${with_(verdict).length} of ${found.length} comparisons`;
  if (with_('truncated').length > 0)
    return `The log is truncated by ${many('truncated')}. ${first('truncated')}`;
  if (with_('unexplained').length > 0)
    return `${capital(many('unexplained'))} are unexplained. ${first('unexplained')}`;
  if (with_('late data').length > 0)
    return `All settled data matches; ${many('late data')} differ by late data. ${first('late data')}`;
  const kinds = [...new Set(found.map(({ verdict }) => verdict))].filter((verdict) => verdict !== 'equal');
  return `The log agrees with ${totals.length === 1 ? 'the one source' : `all ${totals.length} sources`} available for comparison${
    kinds.length === 0 ? '' : ` (differences in form: ${kinds.join(', ')})`
  }.`;
};
