import { moneyOfUnits, roundedQuotient, unitsOfMoney, type Money } from '../core/index.ts';
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

/** Decimals of amounts and prices in the warehouse: sums are computed in units of the last one. */
const decimals = 12;
const million = 1_000_000n;

const unitsOf = (amount: Money): bigint => unitsOfMoney(amount, decimals);

/**
 * Splits a charge by the prices of a million tokens of its classes, in the currency of the charge. The parts and the difference add up to it exactly. The difference may be at most half of
 * `unit`, the last unit of the amounts in the log, for each call. Pure.
 */
export const splitCharge = (
  { calls, charge, unstatedCalls, tokens }: Consumption,
  prices: ClassPrices | undefined,
  unit: Money,
): Split => {
  if (unstatedCalls > 0) return { isSplit: false, reason: 'unstated' };
  const parts: ChargePart[] = [];
  let left = unitsOf(charge);
  let isPriced = true;
  for (const name of countedClasses) {
    const count = tokens[name] ?? 0n;
    if (count === 0n) continue;
    const price = prices?.[name];
    isPriced &&= price !== undefined;
    const units = price === undefined ? 0n : roundedQuotient(count * unitsOf(price), million);
    left -= units;
    parts.push({ class: name, tokens: count, cost: moneyOfUnits(units, decimals) });
  }
  if (parts.length === 0) return { isSplit: false, reason: 'no-tokens' };
  if (!isPriced) return { isSplit: false, reason: 'no-price' };
  const size = left < 0n ? -left : left;
  return size * 2n > unitsOf(unit) * BigInt(calls)
    ? { isSplit: false, reason: 'difference' }
    : { isSplit: true, parts, difference: moneyOfUnits(left, decimals) };
};
