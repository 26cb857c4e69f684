import {
  absoluteMoney,
  addMoney,
  compareMoney,
  divideMoney,
  money,
  multiplyMoney,
  subtractMoney,
  zero,
} from '../base/index.ts';
import type { Money } from '../base/index.ts';

/** What the log adds up to in one unit that a source may count in. */
export type LogFigure = {
  /** USD, CNY or units. */
  readonly unit: string;
  /** The account's own currency, the other one, or integer units. */
  readonly kind: 'own' | 'other' | 'units';
  /** Consumption less refunds. */
  readonly net: Money;
  readonly consumption: Money;
  readonly refunds: Money;
  /** How far the sum may be off by itself, where it was converted. */
  readonly slack?: Money;
  /** Calls and refunds: a gateway that counts in whole units may round each. */
  readonly rows?: number;
};

/** A figure of another source. */
export type Reading = {
  readonly value: Money;
  /** How many rounded figures it adds up; 1 when left out. */
  readonly cells?: number;
  /** The most decimals that figures of the source were seen with. */
  readonly places?: number;
  /** Enough of them were seen to believe that there are no more. */
  readonly isPlacesKnown?: boolean;
  /** The difference of two figures: each may be rounded either way. */
  readonly isDifference?: boolean;
};

export type Match = {
  /** How the two agree; nothing when they do not. */
  readonly fit: 'exact' | 'rounding' | undefined;
  readonly figure: LogFigure;
  /** Whether the sum that was compared has refunds taken off; nothing when there was none. */
  readonly refunds: 'taken off' | 'not taken off' | undefined;
  readonly reading: Money;
  /** Ours, in the figure's unit. */
  readonly ours: Money;
  /** The reading less ours. */
  readonly gap: Money;
};

/** What is known of a source: only nearness is judged by it, what fits is believed. */
export type KnownUnit = {
  readonly unit: string;
  readonly refunds: 'taken off' | 'not taken off' | 'unknown';
};

export const decimalsOf = (amount: Money): number => amount.split('.')[1]?.length ?? 0;

/** Amounts of the document have four decimals; zeros at the end do not show, so that fewer are believed late. */
const usualPlaces = { unknown: 4, known: 2 };

const tolerance = (reading: Reading, figure: LogFigure): { readonly above: Money; readonly below: Money } => {
  const whole = figure.kind === 'units';
  const least = whole ? 0 : usualPlaces[reading.isPlacesKnown === true ? 'known' : 'unknown'];
  const places = Math.max(decimalsOf(reading.value), reading.places ?? 0, least);
  const cells = money(String(reading.cells ?? 1));
  const last = money(`1e-${places}`);
  // Rounded call by call to whole units, a sum is off by the square root of their number, more or less.
  const each = whole && places === 0 ? money(String(2 * Math.ceil(Math.sqrt(figure.rows ?? 0)))) : zero;
  const slack = addMoney(figure.slack ?? zero, each);
  const half = multiplyMoney(multiplyMoney(last, cells), money('0.5'));
  return reading.isDifference === true
    ? { above: addMoney(last, slack), below: addMoney(last, slack) }
    : // What is cut off instead of rounded is too small by less than the last place.
      { above: addMoney(half, slack), below: addMoney(multiplyMoney(last, cells), slack) };
};

const isWithin = (from: Money, reading: Reading, figure: LogFigure): boolean => {
  const { above, below } = tolerance(reading, figure);
  // What is cut off a sum that refunds make negative brings it nearer to zero, too.
  const isNegative = compareMoney(subtractMoney(reading.value, from), zero) < 0;
  const gap = isNegative ? subtractMoney(zero, from) : from;
  if (compareMoney(gap, zero) >= 0) return compareMoney(gap, above) <= 0;
  const size = absoluteMoney(gap);
  return reading.isDifference === true ? compareMoney(size, below) <= 0 : compareMoney(size, below) < 0;
};

const pairsOf = (readings: readonly Reading[], figures: readonly LogFigure[]) =>
  figures.flatMap((figure) => {
    const sums =
      figure.refunds === zero
        ? [{ refunds: undefined, ours: figure.net }]
        : [
            { refunds: 'taken off' as const, ours: figure.net },
            { refunds: 'not taken off' as const, ours: figure.consumption },
          ];
    return sums.flatMap((sum) =>
      readings.map((reading) => ({
        reading,
        match: { ...sum, figure, reading: reading.value, gap: subtractMoney(reading.value, sum.ours) },
      })),
    );
  });

/** The gap's part of ours, so that gaps in several units can be held against each other. */
const shareOf = ({ gap, ours }: Pick<Match, 'gap' | 'ours'>): Money =>
  absoluteMoney(divideMoney(gap, ours, 12) ?? gap);

const nothing: LogFigure = { unit: '', kind: 'own', net: zero, consumption: zero, refunds: zero };

/**
 * Holds what the log adds up to, in every unit that the source may count in, against each of its readings: exactly equal,
 * equal within rounding, or the nearest. Of several that fit the first figure wins. Pure.
 */
export const matchFigures = (
  readings: readonly Reading[],
  figures: readonly LogFigure[],
  known?: KnownUnit,
): Match => {
  const pairs = pairsOf(readings, figures);
  const exact = pairs.find(({ match }) => match.gap === zero);
  if (exact !== undefined) return { ...exact.match, fit: 'exact' };
  const near = pairs.find(({ reading, match }) => isWithin(match.gap, reading, match.figure));
  if (near !== undefined) return { ...near.match, fit: 'rounding' };
  const inUnit = pairs.filter(({ match }) => match.figure.unit === known?.unit);
  const asKnown = inUnit.filter(
    ({ match }) => known?.refunds === 'unknown' || match.refunds === (match.refunds && known?.refunds),
  );
  const from = asKnown.length > 0 ? asKnown : inUnit.length > 0 ? inUnit : pairs;
  const [nearest] = from
    .map(({ match }) => match)
    .toSorted((left, right) => compareMoney(shareOf(left), shareOf(right)));
  const figure = figures[0] ?? nothing;
  return {
    ...(nearest ?? {
      figure,
      refunds: undefined,
      reading: zero,
      ours: figure.net,
      gap: subtractMoney(zero, figure.net),
    }),
    fit: undefined,
  };
};
