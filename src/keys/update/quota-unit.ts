import {
  compareMoney,
  divideMoney,
  fault,
  money,
  multiplyMoney,
  roundMoney,
  subtractMoney,
  zero,
  type Money,
} from '../../core/index.ts';

/** What a number written as `remain_quota` counts, where answers show a decimal of the currency (docs/gateway.md G8.10). */
export type QuotaUnit =
  | { readonly kind: 'currency' }
  /** Whole units; so many make 1 of what answers show. */
  | { readonly kind: 'units'; readonly perCurrency: Money };

/** Decimals that answers show (docs/gateway.md G8.10): what is finer can be written, but not be seen. */
const shownDecimals = 4;

/** The last decimal that is shown. */
export const shownStep = money('0.0001');

const isWhole = (amount: Money): boolean => !amount.includes('.');

/** Down to a whole number of 10^-decimals; towards zero. */
const cut = (amount: Money, decimals: number): Money => {
  const [whole = '0', fraction = ''] = amount.split('.');
  return money(`${whole}.${fraction.slice(0, decimals)}0`);
};

export type WrittenQuota = {
  /** The number to be written. */
  readonly number: Money;
  /** What a read shows of it. */
  readonly shown: Money;
  /** Whether what is shown is what was to be written, to the last digit. */
  readonly exact: boolean;
};

/**
 * The number that says an amount of the currency. `inexact`: what happens to one that the unit cannot say, or a read cannot
 * show: `refuse` throws, `down` takes the next lower one. Less than nothing cannot be written: `down` writes nothing left.
 * @throws Fault key-quota-inexact
 */
export const writtenQuota = (amount: Money, unit: QuotaUnit, inexact: 'refuse' | 'down'): WrittenQuota => {
  const wanted = compareMoney(amount, zero) < 0 ? zero : cut(amount, shownDecimals);
  const numberOf = (value: Money): Money =>
    unit.kind === 'currency' ? value : cut(multiplyMoney(value, unit.perCurrency), 0);
  const number = numberOf(wanted);
  const shown =
    unit.kind === 'currency'
      ? number
      : money(roundMoney(divideMoney(number, unit.perCurrency, 30) ?? zero, shownDecimals));
  const isSame = unit.kind === 'currency' || multiplyMoney(wanted, unit.perCurrency) === number;
  const exact = wanted === amount && isSame;
  if (!exact && inexact === 'refuse') {
    const describeUnit =
      unit.kind === 'currency' ? '' : ` in whole units, ${unit.perCurrency} of which make 1`;
    throw fault(
      'key-quota-inexact',
      `a remaining quota of ${amount} cannot be written and read back exactly${describeUnit}`,
    );
  }
  return { number, shown, exact };
};

export const quotaUnitText = (unit: QuotaUnit): string =>
  unit.kind === 'currency' ? 'currency' : `units:${unit.perCurrency}`;

/** Reads what `quotaUnitText` wrote; nothing where it says neither. */
export const parseQuotaUnit = (text: string): QuotaUnit | undefined => {
  if (text === 'currency') return { kind: 'currency' };
  const factor = /^units:(\d+)$/.exec(text)?.[1];
  return factor === undefined || /^0+$/.test(factor)
    ? undefined
    : { kind: 'units', perCurrency: money(factor) };
};

/** Whether a decimal shown for a written number is what that many units make, to the digits that are shown. */
export const showsUnits = (number: Money, shown: Money, perCurrency: Money): boolean => {
  if (!isWhole(perCurrency) || compareMoney(perCurrency, zero) <= 0) return false;
  const due = divideMoney(number, perCurrency, 30) ?? zero;
  const off = subtractMoney(shown, due);
  const half = money('0.00005');
  return compareMoney(off, half) <= 0 && compareMoney(off, subtractMoney(zero, half)) >= 0;
};
