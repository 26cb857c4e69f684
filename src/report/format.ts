import { absoluteMoney, compareMoney, divideMoney, money, multiplyMoney, roundMoney } from '../base/index.ts';
import type { Money } from '../base/index.ts';
import type { Locale } from './locale.ts';

/** How a column's values are written. `percent` takes a ratio: 0.25 is 25.0%. */
export type Format = 'money' | 'integer' | 'tokens' | 'percent' | 'date' | 'text';

const grouped = (digits: string, locale: Locale): string => {
  const [whole = '', fraction] = digits.split('.');
  const groups = whole.replaceAll(/\B(?=(\d{3})+$)/g, locale.groupMark);
  return fraction === undefined ? groups : `${groups}${locale.decimalMark}${fraction}`;
};

const isNegative = (text: string): boolean => text.startsWith('-');

const unsigned = (text: string): string => (isNegative(text) ? text.slice(1) : text);

/** 2 decimals; below 0.10 as many as show two significant digits, at most 12. */
const decimalsOf = (amount: Money): number => {
  const zeros = /^0\.(0+)[1-9]/.exec(absoluteMoney(amount))?.[1]?.length ?? 0;
  return Math.min(12, zeros + 2);
};

export const formatMoney = (amount: Money, currency: string, locale: Locale): string => {
  const rounded = roundMoney(amount, decimalsOf(amount));
  return locale.amount(currency, grouped(unsigned(rounded), locale), isNegative(rounded));
};

export const formatInteger = (value: Money, locale: Locale): string => {
  const rounded = roundMoney(value, 0);
  return `${isNegative(rounded) ? '-' : ''}${grouped(unsigned(rounded), locale)}`;
};

const powerOfTen = (exponent: number): Money => money(`1e${exponent}`);

/** The size over its power of 1000, rounded, and the letter of that power. */
const compact = (size: Money, locale: Locale, round: (scaled: Money) => string): string => {
  for (let power = 0; ; power += 1) {
    const rounded = round(divideMoney(size, powerOfTen(power * 3), 18) ?? size);
    const isLast = power === locale.powers.length;
    // Rounding can carry into the next power: 999,960 is 1.00M, not 1000k.
    if (isLast || compareMoney(money(rounded), money('1000')) < 0)
      return grouped(rounded, locale) + (power === 0 ? '' : (locale.powers[power - 1] ?? ''));
  }
};

const threeDigits = (scaled: Money): string => {
  const wholeDigits = /^\d+/.exec(scaled)?.[0].length ?? 1;
  return roundMoney(scaled, Math.max(0, 3 - wholeDigits));
};

/** `12.3M`: exact below 10,000, else three significant digits. */
export const formatTokens = (value: Money, locale: Locale): string => {
  const size = absoluteMoney(value);
  if (compareMoney(size, money('10000')) < 0) return formatInteger(value, locale);
  return `${isNegative(value) ? '-' : ''}${compact(size, locale, threeDigits)}`;
};

/** `$1.5k`: for the axis of a chart, where the steps are round. */
export const formatTick = (amount: Money, currency: string, locale: Locale): string => {
  const text = compact(absoluteMoney(amount), locale, (scaled) => scaled);
  return locale.amount(currency, text, isNegative(amount));
};

/** Tenths of a percent; whole percents from 1000% on. Takes a ratio. */
export const formatPercent = (ratio: Money, locale: Locale): string => {
  const percent = multiplyMoney(ratio, money('100'));
  const rounded = roundMoney(percent, compareMoney(absoluteMoney(percent), money('1000')) < 0 ? 1 : 0);
  return `${isNegative(rounded) ? '-' : ''}${grouped(unsigned(rounded), locale)}%`;
};

/** Writes an exact decimal (or a date, or a text) for the reader. */
export const formatValue = (value: string, format: Format, currency: string, locale: Locale): string => {
  switch (format) {
    case 'money':
      return formatMoney(money(value), currency, locale);
    case 'integer':
      return formatInteger(money(value), locale);
    case 'tokens':
      return formatTokens(money(value), locale);
    case 'percent':
      return formatPercent(money(value), locale);
    case 'date':
      return /^\d{4}-\d{2}-\d{2}/.test(value) ? locale.shortDay(value.slice(0, 10)) : value;
    case 'text':
      return value;
    default:
      return format satisfies never;
  }
};
