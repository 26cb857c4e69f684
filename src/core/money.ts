declare const decimal: unique symbol;

/**
 * An exact decimal in plain notation: no exponent, no `+`, no trailing zeros, no `-0`. Represents amounts of any
 * currency.
 */
export type Money = string & { readonly [decimal]: 'money' };

export const zero = '0' as Money;

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/** As `Money` is written, which most amounts are already. */
const canonical = /^(?:0|-?[1-9]\d*|-?(?:0|[1-9]\d*)\.\d*[1-9])$/;

const powers: bigint[] = [];

/** Powers are computed once: a report converts thousands of amounts. */
const powerOfTen = (exponent: number): bigint => (powers[exponent] ??= 10n ** BigInt(exponent));

/** A whole quotient, rounded half to even; `under` is positive. */
export const roundedQuotient = (over: bigint, under: bigint): bigint => {
  const size = over < 0n ? -over : over;
  const [quotient, rest] = [size / under, size % under];
  const up = rest * 2n > under || (rest * 2n === under && quotient % 2n === 1n);
  const rounded = up ? quotient + 1n : quotient;
  return over < 0n ? -rounded : rounded;
};

/** Units of the last of so many decimals as text, with all of these decimals. */
const fixed = (units: bigint, decimals: number): string => {
  const text = String(units);
  if (decimals === 0) return text;
  const sign = units < 0n ? '-' : '';
  const digits = text.slice(sign.length).padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  return `${sign}${digits.slice(0, at)}.${digits.slice(at)}`;
};

/** An amount given in units of its last decimal. */
export const moneyOfUnits = (units: bigint, decimals: number): Money => {
  if (units === 0n) return zero;
  const text = fixed(units, decimals);
  if (decimals === 0) return text as Money;
  let end = text.length;
  while (text[end - 1] === '0') end -= 1;
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end) as Money;
};

/** Parses a decimal as written; exponents are allowed. @throws RangeError when the text is no number. */
export const money = (text: string): Money => {
  if (canonical.test(text)) return text as Money;
  const [, sign, whole = '', fraction = '', exponent = '0'] = pattern.exec(text.trim()) ?? [];
  if (sign === undefined || whole + fraction === '')
    throw new RangeError(`not a decimal number: ${JSON.stringify(text.slice(0, 40))}`);
  const units = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const decimals = fraction.length - Number(exponent);
  return decimals < 0 ? moneyOfUnits(units * powerOfTen(-decimals), 0) : moneyOfUnits(units, decimals);
};

/** Decimals as written. */
export const decimalPlaces = (amount: Money): number => {
  const at = amount.indexOf('.');
  return at === -1 ? 0 : amount.length - at - 1;
};

/** The amount in units of its `places`-th decimal; `places` is at least the number of its decimals. */
export const unitsOfMoney = (amount: Money, places: number): bigint => {
  const at = amount.indexOf('.');
  if (at === -1) return places === 0 ? BigInt(amount) : BigInt(amount) * powerOfTen(places);
  const units = BigInt(amount.slice(0, at) + amount.slice(at + 1));
  const further = places - (amount.length - at - 1);
  return further === 0 ? units : units * powerOfTen(further);
};

const placesOfBoth = (left: Money, right: Money): number =>
  Math.max(decimalPlaces(left), decimalPlaces(right));

export const addMoney = (left: Money, right: Money): Money => {
  const places = placesOfBoth(left, right);
  return moneyOfUnits(unitsOfMoney(left, places) + unitsOfMoney(right, places), places);
};

export const subtractMoney = (left: Money, right: Money): Money => {
  const places = placesOfBoth(left, right);
  return moneyOfUnits(unitsOfMoney(left, places) - unitsOfMoney(right, places), places);
};

export const multiplyMoney = (left: Money, right: Money): Money => {
  const [of, by] = [decimalPlaces(left), decimalPlaces(right)];
  return moneyOfUnits(unitsOfMoney(left, of) * unitsOfMoney(right, by), of + by);
};

/** Computed in whole units: a table can have thousands of rows. */
export const sumMoney = (amounts: Iterable<Money>): Money => {
  const all = [...amounts];
  const places = all.reduce((most, amount) => Math.max(most, decimalPlaces(amount)), 0);
  return moneyOfUnits(
    all.reduce((total, amount) => total + unitsOfMoney(amount, places), 0n),
    places,
  );
};

/** Quotient rounded half to even at `decimals` places; undefined when the divisor is zero (unknown is not zero). */
export const divideMoney = (dividend: Money, divisor: Money, decimals: number): Money | undefined => {
  const places = placesOfBoth(dividend, divisor);
  const by = unitsOfMoney(divisor, places);
  if (by === 0n) return undefined;
  const over = unitsOfMoney(dividend, places) * powerOfTen(decimals);
  return moneyOfUnits(by < 0n ? roundedQuotient(-over, -by) : roundedQuotient(over, by), decimals);
};

/** Rounded half to even, always with exactly `decimals` places: `1.5` at 2 is `1.50`. For display, not for sums. */
export const roundMoney = (amount: Money, decimals: number): string => {
  const places = Math.max(decimalPlaces(amount), decimals);
  return fixed(roundedQuotient(unitsOfMoney(amount, places), powerOfTen(places - decimals)), decimals);
};

/** The amount with at most so many decimals, rounded half to even; the same amount if it has no more. */
export const withDecimals = (amount: Money, decimals: number): Money =>
  decimalPlaces(amount) <= decimals ? amount : money(roundMoney(amount, decimals));

/** A double as money with at most so many decimals; undefined beyond the doubles that are written with all digits. */
export const moneyOfDouble = (value: number, decimals: number): Money | undefined =>
  Number.isFinite(value) && Math.abs(value) < 1e15 ? money(value.toFixed(decimals)) : undefined;

/** Negative, zero or positive, as for sorting. */
export const compareMoney = (left: Money, right: Money): number => {
  if (left === right) return 0;
  const places = placesOfBoth(left, right);
  return unitsOfMoney(left, places) < unitsOfMoney(right, places) ? -1 : 1;
};

export const absoluteMoney = (amount: Money): Money =>
  amount.startsWith('-') ? (amount.slice(1) as Money) : amount;

/** Only for lengths of bars and heights of charts: pixels, never figures. */
export const moneyAsShare = (part: Money, whole: Money): number => {
  const share = divideMoney(part, whole, 9);
  return share === undefined ? 0 : Number(share);
};
