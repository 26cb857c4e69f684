import { divideMoney, money, multiplyMoney, roundMoney, type Money } from '../../../core/index.ts';

/** The value of one unit of a currency in another one, and where it is from. */
export type Rate = { readonly rate: Money; readonly from: 'own' | 'declared' | 'gateway' };

/** What a source of an account shows: one unit of the account's currency is so much in `unit`. */
export type ShownRate = { readonly unit: string; readonly perCurrency: Money };

export type RateInput = {
  readonly from: string;
  readonly to: string;
  /** Value of one unit of a currency in the other one. */
  readonly declared: Readonly<Partial<Record<string, Money>>>;
  /** By the account whose amounts are converted, and by the one whose currency the total has. */
  readonly own: readonly ShownRate[];
  readonly other: readonly ShownRate[];
};

/** Decimals of a rate that is the inverse of one that a gateway shows, and of amounts that are converted. */
const places = 12;

/** The declared rate, or else the rate in the figures of the gateway; undefined if there is neither. Pure. */
export const rateOf = ({ from, to, declared, own, other }: RateInput): Rate | undefined => {
  if (from === to) return { rate: money('1'), from: 'own' };
  const written = declared[from];
  if (written !== undefined) return { rate: written, from: 'declared' };
  const direct = own.find(({ unit }) => unit === to)?.perCurrency;
  if (direct !== undefined) return { rate: direct, from: 'gateway' };
  const inverse = other.find(({ unit }) => unit === from)?.perCurrency;
  const rate = inverse === undefined ? undefined : divideMoney(money('1'), inverse, places);
  return rate === undefined ? undefined : { rate, from: 'gateway' };
};

/** An amount at the rate, rounded to 12 decimals: a total is the exact sum of such amounts. Pure. */
export const convert = (amount: Money, { rate }: Rate): Money =>
  money(roundMoney(multiplyMoney(amount, rate), places));
