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

/** The unit of a written `remain_quota`; answers show a decimal of the currency (docs/gateway.md G8.10). */
export type QuotaUnit =
  | { readonly kind: 'currency' }
  /** Whole units, `perCurrency` of which equal 1 of the currency in answers. */
  | { readonly kind: 'units'; readonly perCurrency: Money };

/** Decimals that answers show (docs/gateway.md G8.10): finer amounts can be written, but not be seen. */
const shownDecimals = 4;

export const shownStep = money('0.0001');

const isWhole = (amount: Money): boolean => !amount.includes('.');

/** Truncates to the number of decimals, towards zero. */
const cut = (amount: Money, decimals: number): Money => {
  const [whole = '0', fraction = ''] = amount.split('.');
  return money(`${whole}.${fraction.slice(0, decimals)}0`);
};

export type WrittenQuota = {
  readonly number: Money;
  /** What a read shows of it. */
  readonly shown: Money;
  /** Whether a read shows exactly the requested amount. */
  readonly exact: boolean;
};

/**
 * The number to write for an amount of the currency. `inexact`: for an amount that the unit cannot hold or a read cannot show, `refuse` throws and
 * `down` takes the next lower one. A negative amount cannot be written; `down` writes 0. @throws Fault key-quota-inexact
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

/** Parses the text of `quotaUnitText`; undefined for any other text. */
export const parseQuotaUnit = (text: string): QuotaUnit | undefined => {
  if (text === 'currency') return { kind: 'currency' };
  const factor = /^units:(\d+)$/.exec(text)?.[1];
  return factor === undefined || /^0+$/.test(factor)
    ? undefined
    : { kind: 'units', perCurrency: money(factor) };
};

/** Whether the decimal shown for a written number matches this unit, to the shown digits. */
export const showsUnits = (number: Money, shown: Money, perCurrency: Money): boolean => {
  if (!isWhole(perCurrency) || compareMoney(perCurrency, zero) <= 0) return false;
  const due = divideMoney(number, perCurrency, 30) ?? zero;
  const off = subtractMoney(shown, due);
  const half = money('0.00005');
  return compareMoney(off, half) <= 0 && compareMoney(off, subtractMoney(zero, half)) >= 0;
};
