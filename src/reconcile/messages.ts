import { absoluteMoney, compareMoney, zero } from '../core/index.ts';
import type { Match } from './match-figures.ts';
import type { Verdict } from './verdict.ts';

const names: Readonly<Record<string, string>> = {
  statistics: 'the gateway’s own statistics',
  'usage by model': 'the usage export by model',
  'usage by key': 'the usage export by key',
  used_quota: 'the change of used_quota',
  balance: 'the change of the balance',
};

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

export type Told = {
  readonly source: string;
  readonly entry?: string | undefined;
  readonly verdict: Verdict;
  readonly match: Match;
  /** Why a gap is late data, or what else there is to say: words without a full stop. */
  readonly why?: string | undefined;
};

/** One sentence about a comparison. */
export const notifyComparison = ({ source, entry, verdict, match, why }: Told): string => {
  const { reading, ours, gap, figure, fit } = match;
  const of = entry === undefined ? '' : ` for ${entry === '' ? 'entries without a name' : entry}`;
  const theirs = `${names[source] ?? source}${of}`;
  const { unit } = figure;
  const open = match.unproven === undefined ? undefined : [unit, ...match.unproven].join(' or ');
  const size = absoluteMoney(gap);
  const more = why === undefined ? '' : `; ${why}`;
  const near = fit === 'rounding' ? `, within its rounding (${gap})` : '';
  const withoutRefunds = match.refunds === 'not taken off' ? '; refunds are not taken off there' : '';
  const read =
    open === undefined
      ? `says ${reading} ${unit}, the log adds up to ${ours}`
      : `says ${reading} (${open}, it is not known which), the log adds up to ${ours} ${unit}`;
  const says = `${capital(theirs)} ${read}`;
  const message: Readonly<Record<Verdict, string>> = {
    equal: `The log adds up to ${theirs}: ${reading} ${unit}${more}.`,
    rounding: `The log adds up to ${theirs}, ${reading} ${unit}, within its rounding (${gap})${more}.`,
    refunds: `The log’s consumption is ${theirs}, ${reading} ${unit}${near}${withoutRefunds}${more}.`,
    currency:
      figure.kind === 'units'
        ? `The log adds up to ${theirs}, counted in integer units: ${reading} there, ${ours} here (${unit})${near}${withoutRefunds}${more}.`
        : `The log adds up to ${theirs} in another currency: ${reading} ${unit} there, ${ours} in that currency here${near}${withoutRefunds}${more}.`,
    'late data': `${says}: the gap of ${gap} is late data${more}.`,
    truncated: `The log is short: ${theirs} ${read}, ${size} is missing${more}.`,
    unexplained: `${says}: ${gap} is unexplained${more}.`,
  };
  return message[verdict];
};

/** What all comparisons of a span come to. */
export const concludeComparisons = (
  found: readonly { readonly entry?: string | undefined; readonly verdict: string; readonly text: string }[],
): string => {
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
    return `All that is settled agrees; ${many('late data')} differ by late data. ${first('late data')}`;
  const kinds = [...new Set(found.map(({ verdict }) => verdict))].filter((verdict) => verdict !== 'equal');
  return `The log agrees with ${totals.length === 1 ? 'the one source' : `all ${totals.length} sources`} that could be compared${
    kinds.length === 0 ? '' : ` (what differs in form: ${kinds.join(', ')})`
  }.`;
};

/** Whether the log holds more than the source says. */
export const isLonger = ({ gap }: Match): boolean => compareMoney(gap, zero) < 0;
