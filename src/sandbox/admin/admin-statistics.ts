import { unitAt } from './amount-unit.ts';
import { ok, refused, type Answer } from '../answer.ts';
import { decimalText, moneyText } from '../decimal.ts';
import { exact } from '../exact-json.ts';
import { askedRange, askedVendor, badRange, badVendor, type Range } from './range.ts';
import { completionTokens, promptTokens } from './token-counts.ts';
import type { Request } from '../request.ts';
import type { State } from '../state.ts';
import type { Cell } from '../traffic/cells.ts';
import { DAY } from '../traffic/rhythm.ts';
import type { Variants } from '../variants.ts';

type Sums = { spend: bigint; calls: number; tokens: number };

const nameMatches = (variants: Variants, asked: string | null): ((name: string) => boolean) => {
  if (asked === null || asked === '') return () => true;
  if (variants.statistics_name_filter === 'exact') return (name) => name === asked;
  return (name) => name.toLowerCase().includes(asked.toLowerCase());
};

/** GET /api/log/self/stat (docs/gateway.md G5.1). */
export const statistics = (state: State, { query }: Request): Answer => {
  const { variants } = state;
  const range = askedRange(query, variants.statistics_range_end);
  if (range === undefined) return refused(variants, badRange);
  const vendor = askedVendor(query);
  if (Number.isNaN(vendor)) return refused(variants, badVendor);
  const model = query.get('model_name') ?? '';
  const named = nameMatches(variants, query.get('token_name'));
  const asOf = state.seconds();

  const wanted = (row: Pick<Cell, 'model' | 'token'>): boolean =>
    (model === '' || row.model?.name === model) &&
    (vendor === undefined || vendor === 0 || row.model?.vendorId === vendor) &&
    named(row.token);

  const sums = (over: Range): Sums => {
    const found: Sums = { spend: 0n, calls: 0, tokens: 0 };
    for (const cell of state.cells.over(over, asOf)) {
      if (!wanted(cell)) continue;
      found.spend += cell.consumption + (variants.statistics_refunds === 'included' ? cell.refunds : 0n);
      found.calls += cell.calls;
      found.tokens += promptTokens(variants, cell) + completionTokens(variants, cell);
    }
    return found;
  };

  const total = sums(range);
  const minute = variants.throughput === 'last-minute' ? sums({ start: asOf - 59, end: asOf + 1 }) : total;
  const lasting = BigInt(
    Math.max(1, Math.min(range.end, asOf + 1) - Math.max(range.start, state.ledger.firstDay * DAY)),
  );
  const perMinute = (count: bigint): bigint =>
    variants.throughput === 'last-minute' ? count : (count * 60n) / lasting;
  const rate = (count: number): string => decimalText(perMinute(BigInt(count) * 100n), 2);
  const unit = unitAt(state, 'statistics', variants.statistics_unit);
  return ok({
    quota: exact(moneyText(total.spend, unit)),
    rpm: exact(rate(minute.calls)),
    tpm: exact(rate(minute.tokens)),
    mpm: exact(moneyText(perMinute(minute.spend), unit)),
  });
};
