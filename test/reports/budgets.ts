import { interval, money, unixSeconds } from '../../src/core/index.ts';
import { budgetOf, threshold } from '../support/budget.ts';
import { assess, type Assessment, type PeriodSums } from '../../src/monitoring/index.ts';

const at = (text: string) => unixSeconds(Date.parse(text) / 1000);
const period = interval(at('2026-11-01T00:00:00Z'), at('2026-12-01T00:00:00Z'));
const through = at('2026-11-20T00:00:00Z');

/** A budget of 1,000 with a spend, and what is known of its data. */
export const assessed = (
  name: string,
  spend: string,
  change: Partial<PeriodSums> & { readonly amount?: string; readonly late?: boolean } = {},
): Assessment => {
  const { amount = '1000', late = false, ...sums } = change;
  return assess(
    budgetOf({ name, amount: money(amount), forecastThresholds: [threshold('100%', '1000')] }),
    period,
    {
      covered: interval(at('2026-01-01T00:00:00Z'), through),
      needed: late ? unixSeconds(through + 3600) : through,
      isProven: true,
    },
    {
      spend: money(spend),
      hasCalls: true,
      recent: {
        range: interval(at('2026-11-06T00:00:00Z'), through),
        spend: money(spend),
        firstHalf: money('0'),
      },
      unreadableRows: 0,
      ...sums,
    },
  );
};

/** One of each state. */
export const someBudgets: readonly Assessment[] = [
  assessed('research', '312.5'),
  assessed('search-production', '1040.123456'),
  assessed('growth', '650'),
  assessed('late', '123', { late: true }),
  assessed('unreadable', '456', { unreadableRows: 3 }),
  assessed('tiny', '0.000123', { amount: '1000' }),
];

export const hostileBudgets: readonly Assessment[] = [
  ...someBudgets,
  assessed('b'.repeat(64), '98765432109876.123456789012', { amount: '1000' }),
  assessed('<script>alert(1)</script>', '123456789'),
];
