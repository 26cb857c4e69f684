import { money } from '../../src/core/index.ts';
import type { Budget } from '../../src/monitoring/index.ts';

export const threshold = (label: string, amount: string) => ({ label, amount: money(amount) });

/** A monthly budget of 1,000 dollars. */
export const budgetOf = (change: Partial<Budget> = {}): Budget => ({
  name: 'all',
  scope: { kind: 'account' },
  amount: money('1000'),
  currency: 'USD',
  period: 'month',
  anchorDay: 1,
  zone: 'UTC',
  thresholds: [threshold('80%', '800'), threshold('100%', '1000')],
  forecastThresholds: [],
  owner: ['owner@example.com'],
  ...change,
});
