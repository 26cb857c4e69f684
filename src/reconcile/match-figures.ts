import {
  absoluteMoney,
  addMoney,
  compareMoney,
  money,
  multiplyMoney,
  subtractMoney,
  zero,
  type Money,
} from '../core/index.ts';
import type { ComparisonGap } from '../warehouse/index.ts';

/** The sum of the log in one unit that a source may use. */
export type LogFigure = {
  /** USD, CNY or units. */
  readonly unit: string;
  /** The account's own currency, the other one, or integer units. */
  readonly kind: 'own' | 'other' | 'units';
  /** Consumption minus refunds. */
  readonly net: Money;
  readonly consumption: Money;
  readonly refunds: Money;
  /** How much 1 of the account's currency is in the unit. */
  readonly perCurrency: Money;
  /** The possible rounding error of each row, if it was converted, or rounded as it landed. */
  readonly rowRounding?: Money;
  /** Calls and refunds: a gateway that uses whole units may round each. */
  readonly rows?: number;
};

/** A figure of another source. */
export type Reading = {
  readonly value: Money;
  /** How many rounded figures it adds up; default 1. */
  readonly cells?: number;
  /** The most decimals seen in figures of the source. */
  readonly places?: number;
  /** Enough figures were seen to assume that there are no more decimals. */
  readonly isPlacesKnown?: boolean;
  /** The difference of two figures: each may be rounded either way. */
  readonly isDifference?: boolean;
};

/** What a source does with refunds: one for all its figures. */
export type Convention = 'taken off' | 'not taken off';

export type Match = {
  /** How the two agree; undefined when they do not. */
  readonly fit: 'exact' | 'rounding' | undefined;
  readonly figure: LogFigure;
  /** Whether the compared sum has refunds subtracted; undefined when there was none. */
  readonly refunds: Convention | 'unknown' | undefined;
  readonly reading: Money;
  /** The log's sum, in the figure's unit. */
  readonly ours: Money;
  /** The reading minus the log's sum. */
  readonly gap: Money;
  /** The gap if the source does not subtract refunds, while nothing shows whether it does; `gap` is the one if it does. */
  readonly otherGap?: Money;
  /** Other currencies that the reading may be in while its unit is unproven; omitted when there are none. */
  readonly unproven?: readonly string[];
};

/** What is known about a source. It decides the nearest figure, and between figures that fit equally well. */
export type KnownUnit = {
  readonly unit: string;
  /** How much 1 of the account's currency was in it; several figures may be in integer units. */
  readonly perCurrency?: Money;
  readonly refunds: Convention | 'unknown';
  /** What the source does with refunds is decided: the figure of the other convention does not count, even if it fits. */
  readonly isSettled?: boolean;
};

export const decimalsOf = (amount: Money): number => amount.split('.')[1]?.length ?? 0;

/**
 * Amounts of the contract have four decimals (docs/gateway.md G4.1); trailing zeros do not show, so fewer are assumed
 * only late.
 */
const defaultPlaces = { unknown: 4, known: 2 };

const tolerance = (reading: Reading, figure: LogFigure): { readonly above: Money; readonly below: Money } => {
  const whole = figure.kind === 'units';
  const least = whole ? 0 : defaultPlaces[reading.isPlacesKnown === true ? 'known' : 'unknown'];
  const places = Math.max(decimalsOf(reading.value), reading.places ?? 0, least);
  const cells = money(String(reading.cells ?? 1));
  const last = money(`1e-${places}`);
  // The error of a sum rounded call by call to whole units is about the square root of their number.
  const rows = figure.rows ?? 0;
  const each = whole && places === 0 ? money(String(2 * Math.ceil(Math.sqrt(rows)))) : zero;
  const slack = addMoney(multiplyMoney(figure.rowRounding ?? zero, money(String(rows))), each);
  const half = multiplyMoney(multiplyMoney(last, cells), money('0.5'));
  return reading.isDifference === true
    ? { above: addMoney(last, slack), below: addMoney(last, slack) }
    : // What is cut off instead of rounded is too small by less than the last place.
      { above: addMoney(half, slack), below: addMoney(multiplyMoney(last, cells), slack) };
};

const isWithin = (from: Money, ours: Money, reading: Reading, figure: LogFigure): boolean => {
  const { above, below } = tolerance(reading, figure);
  // A sum as small as the rounding fits every unit, including the account's own.
  if (figure.kind !== 'own' && compareMoney(absoluteMoney(ours), multiplyMoney(above, money('2'))) <= 0)
    return false;
  // Truncating a sum that refunds make negative also moves it towards zero.
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

/** The gap, and the larger of both sides: their quotient is the same whichever side is smaller. */
const sizesOf = ({ gap, ours, reading }: Match): { readonly gap: Money; readonly larger: Money } => {
  const [one, other] = [absoluteMoney(ours), absoluteMoney(reading)];
  return { gap: absoluteMoney(gap), larger: compareMoney(one, other) > 0 ? one : other };
};

const byNearness = (left: Match, right: Match): number => {
  const [one, other] = [sizesOf(left), sizesOf(right)];
  return compareMoney(multiplyMoney(one.gap, other.larger), multiplyMoney(other.gap, one.larger));
};

/** A log may lack any number of calls, but never contains more than this many times what the source reports. */
const largestSurplus = money('10');

/** Whether a reading may be in units: a whole number, and not negligible compared with the log in units. */
const mayBeUnits = ({ reading, ours }: Match): boolean =>
  !reading.includes('.') &&
  compareMoney(multiplyMoney(absoluteMoney(reading), largestSurplus), absoluteMoney(ours)) >= 0;

const isPossible = (match: Match): boolean =>
  match.figure.kind === 'own' || (match.figure.unit === 'units' ? mayBeUnits(match) : true);

/**
 * The nearest figure when none fits. Without proof of the unit, it is never in the other currency: a log that lacks
 * most of its calls looks the same.
 */
const nearestOf = (matches: readonly Match[], isUnitKnown: boolean): Match | undefined => {
  const sorted = (isUnitKnown ? matches : matches.filter(isPossible)).toSorted(byNearness);
  const [nearest] = sorted;
  if (isUnitKnown || nearest?.figure.kind !== 'other') return nearest;
  const own = sorted.find(({ figure }) => figure.kind === 'own');
  return own === undefined ? nearest : { ...own, unproven: [nearest.figure.unit] };
};

const nothing: LogFigure = {
  unit: '',
  kind: 'own',
  perCurrency: money('1'),
  net: zero,
  consumption: zero,
  refunds: zero,
};

/** Whether the figure is in the known unit, and, if several are, whether it is the one found before. */
const isIn = (figure: LogFigure, known: KnownUnit, figures: readonly LogFigure[]): boolean => {
  const { unit, perCurrency } = known;
  if (figure.unit !== unit || perCurrency === undefined) return figure.unit === unit;
  const distance = (one: LogFigure): Money => absoluteMoney(subtractMoney(one.perCurrency, perCurrency));
  return figures.every((one) => one.unit !== unit || compareMoney(distance(figure), distance(one)) <= 0);
};

/** The match once it is known what the source does with refunds. Pure. */
export const withRefunds = (match: Match, refunds: Convention): Match => {
  const { otherGap: _, ...rest } = match;
  const ours = refunds === 'taken off' ? match.figure.net : match.figure.consumption;
  return { ...rest, refunds, ours, gap: subtractMoney(match.reading, ours) };
};

/** The match while nothing shows what the source does with refunds. */
const withoutConvention = (match: Match): Match => ({
  ...withRefunds(match, 'taken off'),
  refunds: 'unknown',
  otherGap: subtractMoney(match.reading, match.figure.consumption),
});

/** The gaps that are possible: one, or two while nothing shows what the source does with refunds. Pure. */
export const possibleGaps = ({ gap, otherGap }: Match): readonly Money[] =>
  otherGap === undefined ? [gap] : [gap, otherGap];

/** The gap to show: never one of two. Pure. */
export const gapOf = ({ gap, otherGap }: Match): ComparisonGap => (otherGap === undefined ? gap : 'unknown');

/** 1 when the source has more than the log, −1 when it has less, 0 when it has neither or that is not known. Pure. */
export const directionOf = (match: Match): number => {
  const [first = 0, ...others] = possibleGaps(match).map((gap) => Math.sign(compareMoney(gap, zero)));
  return others.every((other) => other === first) ? first : 0;
};

/** What the figures of parts show a source to do with refunds; undefined if they show nothing, or both. Pure. */
export const conventionOf = (matches: readonly Match[]): Convention | undefined => {
  const shown = new Set(
    matches.flatMap(({ fit, refunds }) =>
      fit === undefined || refunds === undefined || refunds === 'unknown' ? [] : [refunds],
    ),
  );
  const [only] = shown;
  return shown.size === 1 ? only : undefined;
};

/**
 * Compares the log's sum, in every unit that the source may use, with each reading: exactly equal, equal within
 * rounding, or nearest. If several fit, the first figure wins. Pure.
 */
export const matchFigures = (
  readings: readonly Reading[],
  figures: readonly LogFigure[],
  known?: KnownUnit,
): Match => {
  const all = pairsOf(readings, figures);
  const convention = known === undefined || known.refunds === 'unknown' ? undefined : known.refunds;
  const asKnown = all.filter(
    ({ match: { refunds } }) => convention === undefined || refunds === undefined || refunds === convention,
  );
  const pairs = known?.isSettled === true ? asKnown : all;
  const exact = pairs.find(({ match }) => match.gap === zero);
  if (exact !== undefined) {
    // Sums of rounded rows are equal by chance.
    const { kind, rowRounding } = exact.match.figure;
    return { ...exact.match, fit: kind === 'own' && rowRounding !== undefined ? 'rounding' : 'exact' };
  }
  const fits = pairs.filter(({ reading, match }) => isWithin(match.gap, match.ours, reading, match.figure));
  const [near] = fits;
  if (near !== undefined) {
    const match: Match = { ...near.match, fit: 'rounding' };
    // Refunds within rounding fit under both conventions, and so prove neither.
    const isEither = fits.some(
      ({ reading, match: other }) =>
        reading === near.reading && other.figure === match.figure && other.refunds !== match.refunds,
    );
    if (!isEither) return match;
    return convention === undefined ? { ...match, refunds: 'unknown' } : withRefunds(match, convention);
  }
  const inUnit = asKnown.filter(({ match }) => known !== undefined && isIn(match.figure, known, figures));
  const from = inUnit.length > 0 ? inUnit : asKnown;
  const figure = figures[0] ?? nothing;
  const nearest = nearestOf(
    from.map(({ match }) => ({ ...match, fit: undefined })),
    inUnit.length > 0,
  ) ?? {
    fit: undefined,
    figure,
    refunds: undefined,
    reading: zero,
    ours: figure.net,
    gap: subtractMoney(zero, figure.net),
  };
  return nearest.refunds === undefined || convention !== undefined ? nearest : withoutConvention(nearest);
};
