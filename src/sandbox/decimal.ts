/**
 * The sandbox counts money in grains of 0.00000001 USD. One row's grains fit a safe integer, sums are bigint, and text is
 * written from the digits: no amount ever becomes a fraction.
 */

export const GRAINS_PER_USD = 100_000_000n;

/** 500,000 units are 1 USD (docs/gateway.md G6.8). */
export const GRAINS_PER_UNIT = 200;

/** CNY per USD: an integer, so that amounts in CNY are exact with eight decimals, too. */
export const CNY_PER_USD = 7n;

export type MoneyUnit = 'USD' | 'CNY' | 'units';

/** The value `digits / 10^decimals` without trailing zeros; `digits` is whole. */
export const decimalText = (digits: bigint | number, decimals: number): string => {
  const sign = digits < 0 ? '-' : '';
  const text = String(digits)
    .replace('-', '')
    .padStart(decimals + 1, '0');
  const whole = text.slice(0, text.length - decimals);
  const fraction = text.slice(text.length - decimals).replace(/(?<!0)0+$/u, '');
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
};

/** Exact text of an amount, at most eight decimals. */
export const moneyText = (grains: bigint, unit: MoneyUnit): string => {
  if (unit === 'USD') return decimalText(grains, 8);
  if (unit === 'CNY') return decimalText(grains * CNY_PER_USD, 8);
  // A unit is 200 grains, so a grain is 0.005 units.
  return decimalText(grains * 5n, 3);
};

/** Faster than moneyText, for one row; above 2^53 it calls moneyText. */
export const rowMoneyText = (grains: number, unit: MoneyUnit): string => {
  const scaled = unit === 'CNY' ? grains * Number(CNY_PER_USD) : grains;
  return unit === 'units' || !Number.isSafeInteger(scaled)
    ? moneyText(BigInt(grains), unit)
    : decimalText(scaled, 8);
};

/** Four fraction digits, half away from zero, as profile and keys show amounts (docs/gateway.md G4.1, G8.1). */
export const fourDigits = (grains: bigint, unit: 'USD' | 'CNY' = 'USD'): string => {
  const scaled = unit === 'CNY' ? grains * CNY_PER_USD : grains;
  const size = scaled < 0n ? -scaled : scaled;
  const rounded = (size + 5_000n) / 10_000n;
  const text = rounded.toString().padStart(5, '0');
  const sign = scaled < 0n && rounded > 0n ? '-' : '';
  return `${sign}${text.slice(0, -4)}.${text.slice(-4)}`;
};

/** Grains of a JSON number of dollars (`12.5`, `1e-4`); truncates after the eighth decimal. */
export const parseUsd = (text: string): bigint => {
  const match = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d*))?(?:[eE](?<exponent>[+-]?\d+))?$/u.exec(text);
  if (match?.groups === undefined) throw new RangeError(`not a number: ${text}`);
  const { sign = '', whole = '0', fraction = '', exponent = '0' } = match.groups;
  const digits = BigInt(whole + fraction);
  const shift = 8 - fraction.length + Number(exponent);
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === '-' ? -size : size;
};
