import type { MoneyUnit } from '../decimal.ts';
import type { State } from '../state.ts';

export type AmountsOf = 'log' | 'statistics' | 'usage';

const changing: Readonly<Record<AmountsOf, readonly string[]>> = {
  log: ['log', 'log-and-statistics', 'all'],
  statistics: ['statistics', 'log-and-statistics', 'all'],
  usage: ['usage', 'all'],
};

/** Whether the endpoint changes its unit, and the moment (Unix seconds) has come. */
export const isChanged = ({ variants, changesAt }: State, of: AmountsOf, at: number): boolean =>
  changing[of].includes(variants.amounts_change) && at >= changesAt;

/** The unit that an endpoint gives amounts in at a moment, where it was another one at the start. */
export const unitAt = (state: State, of: AmountsOf, usual: MoneyUnit, at = state.seconds()): MoneyUnit => {
  if (!isChanged(state, of, at)) return usual;
  return usual === 'units' ? 'USD' : 'units';
};
