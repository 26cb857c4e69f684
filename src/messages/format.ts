import {
  trimEndOf,
  absoluteMoney,
  compareMoney,
  divideMoney,
  money,
  multiplyMoney,
  roundMoney,
  zero,
  type Money,
} from '../core/index.ts';
import type { ForecastAccuracy } from '../monitoring/index.ts';
import type { Locale, Power } from './locale.ts';

const grouped = (digits: string, locale: Locale): string => {
  const [whole = '', fraction] = digits.split('.');
  const head = whole.length % 3;
  const groups = [whole.slice(0, head), ...(whole.slice(head).match(/\d{3}/g) ?? [])]
    .filter((digits) => digits !== '')
    .join(locale.groupMark);
  return fraction === undefined ? groups : `${groups}${locale.decimalMark}${fraction}`;
};

const isNegative = (text: string): boolean => text.startsWith('-');

const unsigned = (text: string): string => (isNegative(text) ? text.slice(1) : text);

/** 2 decimals; below 0.10 enough to show two significant digits, at most 12. */
export const decimalsOf = (amount: Money): number => {
  const zeros = /^0\.(0+)[1-9]/.exec(absoluteMoney(amount))?.[1]?.length ?? 0;
  return Math.min(12, zeros + 2);
};

export const formatMoney = (
  amount: Money,
  currency: string,
  locale: Locale,
  decimals = decimalsOf(amount),
): string => {
  const rounded = roundMoney(amount, decimals);
  return locale.amount(currency, grouped(unsigned(rounded), locale), isNegative(rounded));
};

/**
 * A difference of amounts: the exact one, rounded like any amount, with its sign. It may differ from that of the two amounts
 * as shown.
 */
export const formatDifference = (
  difference: Money,
  currency: string,
  locale: Locale,
  decimals = decimalsOf(difference),
): string => {
  const isMore = compareMoney(money(roundMoney(difference, decimals)), zero) > 0;
  return `${isMore ? '+' : ''}${formatMoney(difference, currency, locale, decimals)}`;
};

/** A price: four significant digits, at least 2 decimals; further trailing zeros are omitted. */
export const formatRate = (amount: Money, currency: string, locale: Locale): string => {
  const size = absoluteMoney(amount);
  const zeros = /^0\.(0*)[1-9]/.exec(size)?.[1]?.length;
  const whole = size.split('.')[0]?.length ?? 1;
  const decimals = zeros === undefined ? Math.max(2, 4 - whole) : Math.min(12, zeros + 4);
  const full = roundMoney(amount, decimals);
  const rounded = full.slice(0, Math.max(trimEndOf(full, '0').length, full.indexOf('.') + 3));
  return locale.amount(currency, grouped(unsigned(rounded), locale), isNegative(rounded));
};

/** Up to `places` decimals, without trailing zeros. */
export const formatNumber = (value: Money, locale: Locale, decimals = 2): string => {
  const rounded = money(roundMoney(value, decimals));
  return `${isNegative(rounded) ? '-' : ''}${grouped(unsigned(rounded), locale)}`;
};

/** Above it, the amounts themselves are clearer. */
const maxShown = money('9999');

/** How many times as much: `2.6`, whole from ten on, and `>9,999` where only the amounts say how much. */
export const formatTimes = (value: Money, locale: Locale): string => {
  if (compareMoney(value, money('10')) < 0) return formatNumber(value, locale, 1);
  return compareMoney(value, maxShown) > 0
    ? `>${formatInteger(maxShown, locale)}`
    : formatInteger(value, locale);
};

export const formatInteger = (value: Money, locale: Locale): string => {
  const rounded = roundMoney(value, 0);
  return `${isNegative(rounded) ? '-' : ''}${grouped(unsigned(rounded), locale)}`;
};

/** Days of an estimate: tenths below ten, else whole ones. */
export const formatDays = (days: number, { decimalMark }: Locale): string =>
  days < 10 ? days.toFixed(1).replace('.', decimalMark) : String(Math.round(days));

const powerOfTen = (exponent: number): Money => money(`1e${exponent}`);

const noPower: Power = { exponent: 0, mark: '' };

/** The value divided by its power of ten, rounded, and the notation of that power. */
const compact = (
  size: Money,
  powers: readonly Power[],
  locale: Locale,
  round: (scaled: Money) => string,
): string => {
  const written = ({ exponent }: Power): string => round(divideMoney(size, powerOfTen(exponent), 18) ?? size);
  // Rounding can carry to the next power: 999,960 is 1.00M, not 1000k.
  const fits = (power: Power, next: Power | undefined): boolean =>
    next === undefined || compareMoney(money(written(power)), powerOfTen(next.exponent - power.exponent)) < 0;
  const all = [noPower, ...powers];
  const power = all.find((candidate, at) => fits(candidate, all[at + 1])) ?? noPower;
  return grouped(written(power), locale) + power.mark;
};

const threeDigits = (scaled: Money): string => {
  const placesOf = (size: string): number => Math.max(0, 3 - (/^\d+/.exec(size)?.[0].length ?? 1));
  // Rounding can add a digit: 99.96 is 100, not 100.0.
  return roundMoney(scaled, placesOf(roundMoney(scaled, placesOf(scaled))));
};

/** `12.3M`: exact below 10,000, else at least three significant digits. */
export const formatTokens = (value: Money, locale: Locale): string => {
  const size = absoluteMoney(value);
  if (compareMoney(size, money('10000')) < 0) return formatInteger(value, locale);
  return `${isNegative(value) ? '-' : ''}${compact(size, locale.powers, locale, threeDigits)}`;
};

/** `$1.5k`: for the axis of a chart, with round steps and letters that its font has. */
export const formatTick = (amount: Money, currency: string, locale: Locale): string => {
  const text = compact(absoluteMoney(amount), locale.chart.powers, locale, (scaled) => scaled);
  return locale.amount(currency, text, isNegative(amount));
};

/** `1.5M`: like `formatTick`, for a count. */
export const formatCountTick = (count: Money, locale: Locale): string =>
  `${isNegative(count) ? '-' : ''}${compact(absoluteMoney(count), locale.chart.powers, locale, (scaled) => scaled)}`;

/** All digits, not grouped: for figures to be copied. */
export const formatExact = (value: Money, locale: Locale): string => value.replace('.', locale.decimalMark);

/** All digits, grouped: for figures that may differ in the last of them. */
export const formatEveryDigit = (value: Money, locale: Locale): string =>
  `${isNegative(value) ? '-' : ''}${grouped(unsigned(value), locale)}`;

/** Tenths of a percent; whole percents from 1000% on. Takes a ratio. */
export const formatPercent = (ratio: Money, locale: Locale): string => {
  const percent = multiplyMoney(ratio, money('100'));
  if (compareMoney(percent, maxShown) >= 0) return `>${locale.percent(formatInteger(maxShown, locale))}`;
  const rounded = roundMoney(percent, compareMoney(absoluteMoney(percent), money('1000')) < 0 ? 1 : 0);
  return locale.percent(`${isNegative(rounded) ? '-' : ''}${grouped(unsigned(rounded), locale)}`);
};

/** How far the latest forecasts at the same point of a month were off; undefined where that is not known. */
export const accuracyText = (accuracy: ForecastAccuracy | undefined, locale: Locale): string | undefined =>
  accuracy === undefined
    ? undefined
    : locale.messages.budgets.accuracy(
        accuracy.months,
        formatPercent(accuracy.mean, locale),
        formatPercent(accuracy.most, locale),
      );
