import { hostileNames } from './hostile.ts';
import type { OtherRows } from './cube.ts';

const secondsOf = (moment: string): number => Date.parse(moment) / 1000;

export const restatedDay = (day: string, changed: string, difference: string) => ({
  day,
  changed_seconds: secondsOf(changed),
  old_spend: '1',
  new_spend: '2',
  difference,
  old_calls: 1,
  new_calls: 1,
});

/** Keys, budgets, teams and restated days beside the ordinary rows: every part of a mail has something to say. */
export const busy = (
  names: readonly string[] = ['prod-search', 'ci', 'growth-batch', 'old-demo'],
): OtherRows => ({
  budgets: [{ scope: 'account', month: '12000', currency: 'USD' }],
  teams: [{ team: 'Search', position: 0 }],
  keys: names.map((name, at) => ({
    key_id: at,
    name,
    service: name,
    rotated: false,
    succeeded: false,
    status: 1,
    spend: `${1234 * at}.5`,
    service_spend: `${1234 * at}.5`,
    created_seconds: secondsOf(at % 4 === 1 ? '2026-11-19T08:00:00Z' : '2026-01-02T08:00:00Z'),
    expires_seconds: at % 4 === 0 ? secondsOf('2026-11-25T08:00:00Z') : null,
    last_call_seconds: secondsOf(at % 4 === 3 ? '2026-10-20T08:00:00Z' : '2026-11-19T08:00:00Z'),
    service_last_call_seconds: secondsOf(at % 4 === 3 ? '2026-10-20T08:00:00Z' : '2026-11-19T08:00:00Z'),
  })),
  restated_days: [
    restatedDay('2026-11-17', '2026-11-20T05:00:00Z', '3.75'),
    restatedDay('2026-11-12', '2026-11-20T06:00:00Z', '-120.5'),
  ],
});

/** The same with names as no gateway should let through. */
export const busyHostile = (): OtherRows => ({
  ...busy(hostileNames.filter((name) => !/[\p{Cs}\0]/u.test(name))),
  budgets: [{ scope: 'account', month: '98765432.1', currency: 'USD' }],
});
