import {
  addMoney,
  compareMoney,
  divideMoney,
  money,
  multiplyMoney,
  roundMoney,
  subtractMoney,
  type Money,
} from '../core/index.ts';

/** One part of a range by the log and by another source, with the rounding error of that figure. */
export type RatePart = { readonly ours: Money; readonly theirs: Money; readonly slack: Money };

/** So many parts with the same factor are no coincidence: calls that one side lacks would affect some of them. */
const enoughParts = 3;
/** The maximum width of the common range of all parts, relative to the rate. */
const narrow = money('0.0001');
/** A US dollar in CNY lies between these; other factors are no rate. */
const [least, most] = [money('2'), money('50')];

const one = money('1');

/**
 * The exchange rate between another source and the log, with the fewest digits that all parts allow; undefined if they
 * do not agree on one. Pure.
 */
export const provenRate = (parts: readonly RatePart[], currency: string): Money | undefined => {
  const known = parts.filter(({ ours, slack }) => compareMoney(ours, multiplyMoney(slack, money('100'))) > 0);
  if (known.length < enoughParts || new Set(known.map(({ ours }) => ours)).size < enoughParts)
    return undefined;
  let low: Money | undefined;
  let high: Money | undefined;
  for (const { ours, theirs, slack } of known) {
    const from = divideMoney(subtractMoney(theirs, slack), ours, 18);
    const to = divideMoney(addMoney(theirs, slack), ours, 18);
    if (from === undefined || to === undefined) return undefined;
    if (low === undefined || compareMoney(from, low) > 0) low = from;
    if (high === undefined || compareMoney(to, high) < 0) high = to;
  }
  if (low === undefined || high === undefined || compareMoney(low, high) > 0) return undefined;
  const [from, to] = [low, high];
  if (compareMoney(subtractMoney(to, from), multiplyMoney(to, narrow)) > 0) return undefined;
  const perDollar = currency === 'USD' ? from : (divideMoney(one, from, 12) ?? one);
  if (compareMoney(perDollar, least) < 0 || compareMoney(perDollar, most) > 0) return undefined;
  const middle = multiplyMoney(addMoney(from, to), money('0.5'));
  for (let decimals = 0; decimals <= 12; decimals += 1) {
    const rate = money(roundMoney(middle, decimals));
    if (compareMoney(rate, from) >= 0 && compareMoney(rate, to) <= 0) return rate;
  }
  return undefined;
};
