import { divideMoney, money, multiplyMoney, subtractMoney, zero, type Money } from '../core/index.ts';
import type { LogFigure } from './match-figures.ts';

/** The sums of the log, in one currency. */
export type LogSums = {
  readonly net: Money;
  readonly consumption: Money;
  readonly refunds: Money;
  readonly topUps: Money;
  readonly rows: number;
};

/** The same range in the other currency: requested, or converted by what 1 of the account's currency is in it. */
export type OtherCurrency = { readonly name: string } & (
  | { readonly sums: LogSums }
  | { readonly perCurrency: Money }
);

export type FigureDeps = {
  readonly currency: string;
  readonly unitsPerCurrency: number;
  /** Whether the log itself is proven to be in currency; otherwise it may be units that were read as currency. */
  readonly isCurrency: boolean;
  readonly others: readonly OtherCurrency[];
  /** Amounts of the log are rounded to so many decimals as they land. */
  readonly roundAmounts?: number | undefined;
};

const times = (sums: LogSums, factor: Money): LogSums => ({
  net: multiplyMoney(sums.net, factor),
  consumption: multiplyMoney(sums.consumption, factor),
  refunds: multiplyMoney(sums.refunds, factor),
  topUps: multiplyMoney(sums.topUps, factor),
  rows: sums.rows,
});

/** A log in another currency is rounded row by row, to the maximum number of decimals of amounts. */
const rowRounding = money('1e-8');

/** The change of the balance: minus the charges, plus the top-ups. */
export const asBalance = (sums: LogSums): LogSums => ({
  ...sums,
  net: subtractMoney(sums.topUps, sums.net),
  consumption: subtractMoney(sums.topUps, sums.consumption),
});

/** The sums of another range or entry in the unit of the figure. Pure. */
export const figureFor = (figure: LogFigure, sums: LogSums): LogFigure => {
  const { unit, kind, perCurrency } = figure;
  const rounding = figure.rowRounding === undefined ? {} : { rowRounding: figure.rowRounding };
  return { unit, kind, perCurrency, ...rounding, ...times(sums, perCurrency) };
};

const ratioOf = (other: LogSums, own: LogSums): Money =>
  // Twelve places: the result is shown as an amount again.
  divideMoney(other.consumption, own.consumption, 12) ??
  divideMoney(other.refunds, own.refunds, 12) ??
  money('1');

/** The log's sums in the other currency. Pure. */
export const otherFigure = (sums: LogSums, other: OtherCurrency): LogFigure => {
  const base = { unit: other.name, kind: 'other' as const, rowRounding, ...sums };
  return 'sums' in other
    ? { ...base, ...other.sums, perCurrency: ratioOf(other.sums, sums) }
    : figureFor({ ...base, perCurrency: other.perCurrency }, sums);
};

/** The log's sums in every unit that a source may use, the most likely first. Pure. */
export const figuresOf = (sums: LogSums, deps: FigureDeps): readonly LogFigure[] => {
  const { currency, others } = deps;
  const rounded =
    deps.roundAmounts === undefined ? {} : { rowRounding: money(`5e-${deps.roundAmounts + 1}`) };
  const own: LogFigure = { unit: currency, kind: 'own', perCurrency: money('1'), ...rounded, ...sums };
  const converted = others.map((other) => otherFigure(sums, other));
  const factor = money(String(deps.unitsPerCurrency));
  const inUnits = [own, ...converted.filter(({ unit }) => unit === 'USD')].map((figure): LogFigure => ({
    unit: 'units',
    kind: 'units',
    ...times({ topUps: zero, rows: sums.rows, ...figure }, factor),
    perCurrency: multiplyMoney(figure.perCurrency, factor),
    ...(figure.rowRounding === undefined ? {} : { rowRounding: multiplyMoney(figure.rowRounding, factor) }),
  }));
  const value = divideMoney(money('1'), factor, 12);
  const fromUnits: readonly LogFigure[] =
    deps.isCurrency || value === undefined
      ? []
      : [
          {
            unit: `${currency}, but the log has units`,
            kind: 'units',
            perCurrency: value,
            ...times(sums, value),
          },
        ];
  return [own, ...converted, ...inUnits, ...fromUnits];
};
