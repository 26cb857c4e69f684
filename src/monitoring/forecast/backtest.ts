import { mean } from '../../core/index.ts';
import {
  accuracyOf,
  byLastWeek,
  byModel,
  byPace,
  intervalFactors,
  monthsIn,
  originDays,
  recordMonths,
  replay,
  spreadOf,
  type Accuracy,
  type DayOfSpend,
  type ForecastMethod,
  type PastForecast,
} from './month-forecast.ts';

/** Methods by name, the one that is judged first. */
const methods = { model: byModel, pace: byPace, 'last-week': byLastWeek } as const satisfies Record<
  string,
  ForecastMethod
>;

export type MethodName = keyof typeof methods;

export const methodNames: readonly MethodName[] = ['model', 'pace', 'last-week'];

/** The end of a month as it was forecast after so many of its days, by each method that could. */
export type BacktestOrigin = {
  /** `2026-10` */
  readonly month: string;
  readonly day: number;
  readonly actual: number;
  readonly forecasts: Readonly<Partial<Record<MethodName, number>>>;
  /** The 80 % interval of the model, made from the months before; missing for the first months. */
  readonly interval?: { readonly low: number; readonly high: number } | undefined;
};

export type Backtest = {
  readonly origins: readonly BacktestOrigin[];
  /** By the days of a month that were over, where the method has forecasts. */
  readonly accuracy: readonly {
    readonly day: number;
    readonly methods: Readonly<Partial<Record<MethodName, Accuracy>>>;
  }[];
  /** How much smaller the error of the model is than that of the method, over the origins of both: 0.25 is a quarter smaller. */
  readonly skill: Readonly<Partial<Record<Exclude<MethodName, 'model'>, number>>>;
  /** Of the interval, over all origins that have one. */
  readonly interval?:
    | {
        readonly coverage: number;
        /** Its width by what came, and ten times the distance of what lies outside of it: less is better. */
        readonly score: number;
        readonly count: number;
      }
    | undefined;
};

/** Both ends of the interval of a forecast, from the past forecasts of earlier months. */
const intervalOf = (one: PastForecast, earlier: readonly PastForecast[]): BacktestOrigin['interval'] => {
  const spread = spreadOf(earlier);
  if (spread === undefined) return undefined;
  const { low, high } = intervalFactors(spread, one.left);
  return { low: one.forecast * low, high: one.forecast * high };
};

/** 2 divided by the share that lies outside of an interval of 80 %. */
const outsideWeight = 10;

const intervalRecord = (origins: readonly BacktestOrigin[]): Backtest['interval'] => {
  const known = origins.flatMap(({ actual, interval }) =>
    interval === undefined || actual <= 0 ? [] : [{ actual, ...interval }],
  );
  if (known.length === 0) return undefined;
  return {
    coverage: mean(known.map(({ actual, low, high }) => (actual >= low && actual <= high ? 1 : 0))),
    score: mean(
      known.map(({ actual, low, high }) => {
        const outside = Math.max(0, low - actual) + Math.max(0, actual - high);
        return (high - low + outsideWeight * outside) / actual;
      }),
    ),
    count: known.length,
  };
};

/**
 * Forecasts of the end of each whole month of consecutive days, each from the days before it alone: what each method would have said. The
 * days are those of the log as it is now, not as it was then. Pure.
 */
export const backtest = (days: readonly DayOfSpend[]): Backtest => {
  const series = days.map(({ spend }) => spend);
  const months = monthsIn(days, 1);
  const byMethod = new Map(methodNames.map((name) => [name, replay(series, months, methods[name])] as const));
  const model = byMethod.get('model') ?? [];
  const find = (name: MethodName, month: string, day: number): PastForecast | undefined =>
    byMethod.get(name)?.find((one) => one.month === month && one.day === day);
  const origins = months.flatMap(({ name: month }, at) =>
    originDays.flatMap((day): readonly BacktestOrigin[] => {
      const found = methodNames.flatMap((name) => {
        const one = find(name, month, day);
        return one === undefined ? [] : [[name, one] as const];
      });
      const [first] = found;
      if (first === undefined) return [];
      const own = find('model', month, day);
      const record = months.slice(Math.max(0, at - recordMonths), at).map(({ name }) => name);
      return [
        {
          month: month.slice(0, 'YYYY-MM'.length),
          day,
          actual: first[1].actual,
          forecasts: Object.fromEntries(found.map(([name, { forecast }]) => [name, forecast])),
          interval:
            own === undefined
              ? undefined
              : intervalOf(
                  own,
                  model.filter((one) => record.includes(one.month)),
                ),
        },
      ];
    }),
  );
  const skillBy = (name: MethodName): number | undefined => {
    const errors = origins.flatMap(({ actual, forecasts }) => {
      const [own, other] = [forecasts.model, forecasts[name]];
      return own === undefined || other === undefined
        ? []
        : [[Math.abs(own - actual), Math.abs(other - actual)]];
    });
    const other = mean(errors.map(([, value = 0]) => value));
    return errors.length === 0 || other === 0
      ? undefined
      : 1 - mean(errors.map(([value = 0]) => value)) / other;
  };
  const defined = <Value>(entries: readonly (readonly [string, Value | undefined])[]) =>
    Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return {
    origins,
    accuracy: originDays.map((day) => ({
      day,
      methods: defined(
        methodNames.map((name) => [
          name,
          accuracyOf((byMethod.get(name) ?? []).filter((one) => one.day === day)),
        ]),
      ),
    })),
    skill: defined((['pace', 'last-week'] as const).map((name) => [name, skillBy(name)])),
    interval: intervalRecord(origins),
  };
};
