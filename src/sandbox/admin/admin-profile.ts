import { ok, type Answer } from '../answer.ts';
import { fourDigits } from '../decimal.ts';
import type { State } from '../state.ts';

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
