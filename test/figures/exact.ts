/** Exact comparison of decimal texts with integer fractions, written apart from the product's own arithmetic. */

type Decimal = { readonly digits: bigint; readonly places: number };

const parse = (text: string): Decimal => {
  const match = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?$/u.exec(text);
  if (match?.groups === undefined) throw new RangeError(`"${text}" is not a plain decimal`);
  const { sign = '', whole = '0', fraction = '' } = match.groups;
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' ? -digits : digits, places: fraction.length };
};

/** A fraction; its denominator is positive. */
export type Fraction = { readonly of: bigint; readonly by: bigint };

/** Quotients carry at least this many decimals. */
const leastPlaces = 12;

/** Whether a decimal is exactly the fraction. */
export const isExactly = (text: string, { of, by }: Fraction): boolean => {
  const { digits, places } = parse(text);
  return digits * by === of * 10n ** BigInt(places);
};

/** Whether a decimal is the fraction, cut or rounded at its last place, which is the 12th or a later one. */
export const isQuotient = (text: string, { of, by }: Fraction): boolean => {
  const { digits, places } = parse(text);
  const scale = 10n ** BigInt(Math.max(places, leastPlaces));
  const found = digits * (scale / 10n ** BigInt(places)) * by;
  const difference = found - of * scale;
  return (difference < 0n ? -difference : difference) <= by;
};

/** Grains (0.00000001) of an amount with at most eight decimals. */
export const grainsOf = (text: string): bigint => {
  const { digits, places } = parse(text);
  if (places > 8) throw new RangeError(`"${text}" has more than eight decimals`);
  return digits * 10n ** BigInt(8 - places);
};

/** For messages: the fraction with 12 decimals. */
export const shown = ({ of, by }: Fraction): string => {
  const scaled = (of * 10n ** 12n) / by;
  const sign = scaled < 0n ? '-' : '';
  const text = (scaled < 0n ? -scaled : scaled).toString().padStart(13, '0');
  return `${sign}${text.slice(0, -12)}.${text.slice(-12)}`.replace(/\.?0+$/u, '');
};
