import { dateAt, formatMoment, unixSeconds, type Money } from '../../core/index.ts';
import { isDrawable } from '../charts/chart-glyphs.ts';
import type { Context } from './context.ts';
import type { Format } from '../definition/section-shapes.ts';
import {
  formatCountTick,
  formatEveryDigit,
  formatInteger,
  formatMoney,
  formatNumber,
  formatPercent,
  formatRate,
  formatTick,
  formatTokens,
  type Locale,
} from '../../messages/index.ts';
import type { Shown } from './model.ts';

const lengths = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `3 d 4 h`: the two largest units; from ten on only the largest. */
const duration = (seconds: number, { messages }: Locale): string => {
  const size = Math.abs(Math.round(seconds));
  const at = Math.max(
    0,
    lengths.findIndex(([, length]) => size >= length),
  );
  const [unit, length] = size === 0 ? lengths[3] : (lengths[at] ?? lengths[3]);
  const count = Math.floor(size / length);
  const next = size === 0 ? undefined : lengths[at + 1];
  const rest = next === undefined || count >= 10 ? 0 : Math.floor((size % length) / next[1]);
  const first = `${seconds < 0 ? '-' : ''}${count}${messages.units[unit]}`;
  return rest === 0 || next === undefined ? first : `${first} ${rest}${messages.units[next[0]]}`;
};

/** The local day and minute; with the year if it differs from the report's. */
const moment = (
  seconds: number,
  { zone, locale, period }: Pick<Context, 'zone' | 'locale' | 'period'>,
): string => {
  const at = unixSeconds(Math.floor(seconds));
  const date = dateAt(at, zone);
  const day = date.slice(0, 4) === period.last.slice(0, 4) ? locale.shortDay(date) : date;
  return `${day} ${formatMoment(at, zone).slice(11, 16)}`;
};

type ShowContext = Pick<Context, 'zone' | 'locale' | 'period' | 'currency'>;

/** A figure in the format of the report; texts and dates are no figures. */
export const showFigure = (value: Money, format: Format, context: ShowContext): string => {
  const { currency, locale } = context;
  switch (format) {
    case 'money':
      return formatMoney(value, currency, locale);
    case 'cents':
      return formatMoney(value, currency, locale, 2);
    case 'rate':
      return formatRate(value, currency, locale);
    case 'integer':
      return formatInteger(value, locale);
    case 'number':
      return formatNumber(value, locale);
    case 'exact':
      return formatEveryDigit(value, locale);
    case 'tokens':
      return formatTokens(value, locale);
    case 'percent':
      return formatPercent(value, locale);
    case 'moment':
      return moment(Number(value), context);
    case 'duration':
      return duration(Number(value), locale);
    case 'date':
    case 'text':
      return value;
    default:
      return format satisfies never;
  }
};

/** A figure in a picture: with all digits if the font lacks the locale's abbreviations. */
export const showOnPicture = (value: Money, format: Format, context: ShowContext): string => {
  const shown = showFigure(value, format, context);
  return isDrawable(shown) ? shown : formatInteger(value, context.locale);
};

/** A round figure at an axis. */
export const showTick = (value: Money, format: Format, currency: string, locale: Locale): string => {
  if (format === 'money' || format === 'cents' || format === 'rate')
    return formatTick(value, currency, locale);
  if (format === 'percent') return formatPercent(value, locale).replace(/[.,]0(?=\s*%)/, '');
  return format === 'number' ? formatNumber(value, locale, 6) : formatCountTick(value, locale);
};

/** Whether sums of figures of this format are meaningful: not those of shares, prices and quotients. */
export const isAdditive = (format: Format): boolean =>
  format !== 'percent' && format !== 'number' && format !== 'rate';

/** Whether a figure of this format is an amount that must not be shown or exported. */
export const isWithheld = (format: Format, { hasAmounts }: Pick<Context, 'hasAmounts'>): boolean =>
  !hasAmounts && (format === 'money' || format === 'cents' || format === 'rate');

export const show = (value: Money | null | undefined, format: Format, context: Context): Shown =>
  value === null || value === undefined || isWithheld(format, context)
    ? { exact: null, text: '–' }
    : { exact: value, text: showFigure(value, format, context) };
