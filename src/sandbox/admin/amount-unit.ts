import type { MoneyUnit } from '../decimal.ts';
import type { State } from '../state.ts';

export type AmountsOf = 'log' | 'statistics' | 'usage';

const changing: Readonly<Record<AmountsOf, readonly string[]>> = {
  log: ['log', 'log-and-statistics', 'all'],
  statistics: ['statistics', 'log-and-statistics', 'all'],
  usage: ['usage', 'all'],
};

/** Whether the unit of the endpoint has changed by `at` (Unix seconds). */
export const isChanged = ({ variants, changesAt }: State, of: AmountsOf, at: number): boolean =>
  changing[of].includes(variants.amounts_change) && at >= changesAt;

/** The unit of the endpoint's amounts at `at` (Unix seconds); it may change once after the start. */
export const unitAt = (state: State, of: AmountsOf, usual: MoneyUnit, at = state.seconds()): MoneyUnit => {
  if (!isChanged(state, of, at)) return usual;
  return usual === 'units' ? 'USD' : 'units';
};
