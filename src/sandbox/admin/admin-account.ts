import { ok, refused, type Answer } from '../answer.ts';
import { decimalText, fourDigits, moneyText } from '../decimal.ts';
import { exact } from '../exact-json.ts';
import { askedRange, askedModels, badRange, badVendor, type Range } from './range.ts';
import type { Request } from '../request.ts';
import { unitAt, type State } from '../state.ts';
import type { Cell } from '../traffic/cells.ts';
import { DAY } from '../traffic/rhythm.ts';

/** GET /api/user/self (docs/gateway.md G4.1). */
export const profile = (state: State): Answer => {
  const asOf = state.seconds();
  let used = 0n;
  let topups = 0n;
  let calls = 0;
  for (const cell of state.cells.over({ start: 0, end: asOf + 1 }, asOf)) {
    used += cell.consumption + cell.refunds;
    topups += cell.topups;
    calls += cell.calls;
  }
  const currency = state.variants.profile_currency;
  return ok({
    username: 'tollgate',
    display_name: 'Tollgate & Sons',
    balance: fourDigits(state.opening + topups - used, currency),
    used_quota: fourDigits(used, currency),
    request_count: calls,
    group: 'default',
    level: 1,
  });
};

type Sums = { spend: bigint; calls: number; tokens: number };

/** GET /api/log/self/stat (docs/gateway.md G5.1). */
export const statistics = (state: State, { query }: Request): Answer => {
  const { variants } = state;
  const range = askedRange(query, variants.statistics_range_end);
  if (range === undefined) return refused(variants, badRange);
  const isAsked = askedModels(query);
  if (isAsked === undefined) return refused(variants, badVendor);
  const name = query.get('token_name') ?? '';
  const asOf = state.seconds();

  const wanted = (row: Pick<Cell, 'model' | 'token'>): boolean =>
    isAsked(row.model) && (name === '' || variants.statistics_name_filter(row.token, name));

  const sums = (over: Range): Sums => {
    const found: Sums = { spend: 0n, calls: 0, tokens: 0 };
    for (const cell of state.cells.over(over, asOf)) {
      if (!wanted(cell)) continue;
      found.spend += variants.statistics_refunds(cell);
      found.calls += cell.calls;
      found.tokens += variants.prompt_tokens(cell) + variants.completion_tokens(cell);
    }
    return found;
  };

  const total = sums(range);
  const measured = variants.throughput(range, asOf);
  const recent = sums(measured);
  const lasting = BigInt(
    Math.max(1, Math.min(measured.end, asOf + 1) - Math.max(measured.start, state.ledger.firstDay * DAY)),
  );
  const perMinute = (count: bigint): bigint => (count * 60n) / lasting;
  const rate = (count: number): string => decimalText(perMinute(BigInt(count) * 100n), 2);
  const unit = unitAt(state, 'statistics', variants.statistics_unit);
  return ok({
    quota: exact(moneyText(total.spend, unit)),
    rpm: exact(rate(recent.calls)),
    tpm: exact(rate(recent.tokens)),
    mpm: exact(moneyText(perMinute(recent.spend), unit)),
  });
};
