import {
  absoluteMoney,
  compareMoney,
  divideMoney,
  money,
  multiplyMoney,
  subtractMoney,
  type Money,
} from '../core/index.ts';
import type { LogSums } from './figures.ts';
import { decimalsOf } from './match-figures.ts';

/** A sum proves its unit if it is this many times its own last place. */
const decisiveUnits = money('20');

/** Equal to the last place of the figure that has decimals. */
const isSame = (figure: Money, sum: Money, lastPlace: Money): boolean =>
  compareMoney(absoluteMoney(subtractMoney(figure, sum)), lastPlace) <= 0 &&
  compareMoney(absoluteMoney(sum), multiplyMoney(lastPlace, decisiveUnits)) >= 0;

/**
 * The form of a log's amounts by another source's figure for the same range: units if the figure is the sum in
 * currency, currency if it is the sum in units; undefined if both are alike, or neither fits. Pure.
 */
export const formBySource = (
  figure: Money,
  sums: Pick<LogSums, 'net' | 'consumption'>,
  unitsPerCurrency: number,
): 'currency' | 'units' | undefined => {
  const factor = money(String(unitsPerCurrency));
  const lastPlace = money(`1e-${decimalsOf(figure)}`);
  const fits = (scaled: (sum: Money) => Money | undefined): boolean =>
    [sums.net, sums.consumption].some((sum) => {
      const value = scaled(sum);
      return value !== undefined && isSame(figure, value, lastPlace);
    });
  if (fits((sum) => divideMoney(sum, factor, 12))) return 'units';
  return fits((sum) => multiplyMoney(sum, factor)) ? 'currency' : undefined;
};
