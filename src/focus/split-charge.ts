import {
  absoluteMoney,
  compareMoney,
  money,
  multiplyMoney,
  subtractMoney,
  sumMoney,
  withDecimals,
  type Money,
} from '../core/index.ts';
import { countedClasses, type ClassPrices, type ClosedRow, type TokenClass } from '../warehouse/index.ts';

/** Calls of one model, with their charge in the currency of the account. */
export type Consumption = Pick<ClosedRow, 'calls' | 'charge' | 'unstatedCalls' | 'tokens'>;

/** The part of a charge that is for the tokens of one class. */
export type ChargePart = { readonly class: TokenClass; readonly tokens: bigint; readonly cost: Money };

/**
 * A charge by classes of tokens. `difference` is what the parts leave of it: prices are rounded, and the gateway rounds each call. Or why
 * it cannot be split.
 */
export type Split =
  | { readonly isSplit: true; readonly parts: readonly ChargePart[]; readonly difference: Money }
  | { readonly isSplit: false; readonly reason: 'no-tokens' | 'unstated' | 'no-price' | 'difference' };

/** Decimals of amounts in the warehouse. */
const decimals = 12;
const ofMillion = money('0.000001');
const half = money('0.5');

/**
 * Splits a charge by the prices of a million tokens of its classes, in the currency of the charge. The parts and the difference add up to it exactly. The difference may be at most half of
 * `unit`, the last unit of the amounts in the log, for each call. Pure.
 */
export const splitCharge = (
  { calls, charge, unstatedCalls, tokens }: Consumption,
  prices: ClassPrices | undefined,
  unit: Money,
): Split => {
  const counted = countedClasses.flatMap((name) => {
    const count = tokens[name] ?? 0n;
    return count === 0n ? [] : [{ class: name, tokens: count, price: prices?.[name] }];
  });
  if (unstatedCalls > 0) return { isSplit: false, reason: 'unstated' };
  if (counted.length === 0) return { isSplit: false, reason: 'no-tokens' };
  const parts = counted.flatMap(({ price, ...part }) =>
    price === undefined
      ? []
      : [
          {
            ...part,
            cost: withDecimals(
              multiplyMoney(multiplyMoney(money(String(part.tokens)), price), ofMillion),
              decimals,
            ),
          },
        ],
  );
  if (parts.length < counted.length) return { isSplit: false, reason: 'no-price' };
  const difference = subtractMoney(charge, sumMoney(parts.map(({ cost }) => cost)));
  const most = multiplyMoney(multiplyMoney(unit, half), money(String(calls)));
  return compareMoney(absoluteMoney(difference), most) > 0
    ? { isSplit: false, reason: 'difference' }
    : { isSplit: true, parts, difference };
};
