import {
  compareMoney,
  money,
  multiplyMoney,
  zero,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import type { Budget, Threshold } from './budget.ts';
import { forecastAtPace, type Forecast, type Forecaster, type RecentSpend } from './forecast.ts';

/** Why the state of a budget cannot be determined. Moments in seconds UTC. */
export type UnknownReason =
  | { readonly kind: 'no-data' }
  | { readonly kind: 'stale'; readonly reaches: UnixSeconds; readonly needed: UnixSeconds }
  | { readonly kind: 'unit' }
  /** No call of the scope exists, in any of the periods that were read: its name may be misspelt for the nearest one. */
  | { readonly kind: 'no-calls'; readonly nearest?: string | undefined }
  | { readonly kind: 'starts-late'; readonly starts: UnixSeconds }
  | { readonly kind: 'unreadable-rows'; readonly rows: number }
  | { readonly kind: 'missing-rows'; readonly text: string };

/** What is known of the call log. */
export type DataState = {
  /** Omitted before the first pull. */
  readonly covered?: Interval<UnixSeconds> | undefined;
  /** The moment that the data must reach. */
  readonly needed: UnixSeconds;
  /** Whether the unit of amounts is proven. */
  readonly isProven: boolean;
};

/** What is known of the calls in one period. */
export type PeriodSums = {
  readonly spend: Money;
  /** Whether calls of the scope exist. */
  readonly hasCalls: boolean;
  /** Without calls, the name in the call log that the scope may mean. */
  readonly nearest?: string | undefined;
  readonly recent: RecentSpend;
  /** Rows of the period that could not be read. */
  readonly unreadableRows: number;
  /** Describes charges that other sources show and the call log does not. */
  readonly missingRows?: string | undefined;
};

export type LevelState = 'exceeded' | 'close' | 'below' | 'unknown';

/** A threshold and its state. `close`: below, by less than a twentieth of it. */
export type Level = Threshold & { readonly on: 'actual' | 'forecast'; readonly state: LevelState };

export type Assessment = {
  readonly budget: Budget;
  readonly period: Interval<UnixSeconds>;
  /** End of the data in the period; undefined without data. */
  readonly through: UnixSeconds | undefined;
  /** `forecast`: only the forecast has reached a threshold. */
  readonly state: 'ok' | 'exceeded' | 'forecast' | 'unknown';
  readonly reason?: UnknownReason | undefined;
  /** Undefined where nothing is known; a lower bound where `reason` is set. */
  readonly spend: Money | undefined;
  readonly forecast: Forecast | undefined;
  /** Whether the forecast is missing only because the call log covers too few days. */
  readonly isTooEarly: boolean;
  readonly levels: readonly Level[];
};

const scaled = (amount: Money, times: number): Money => multiplyMoney(amount, money(String(times)));

const stateOf = (amount: Money | undefined, threshold: Money): LevelState => {
  if (amount === undefined) return 'unknown';
  // A budget of zero is exceeded by the first charge, not by an idle key.
  if (compareMoney(amount, threshold) >= 0 && compareMoney(amount, zero) > 0) return 'exceeded';
  // 20 × amount >= 19 × threshold, without a quotient.
  const [left, right] = [scaled(amount, 20), scaled(threshold, 19)];
  return compareMoney(left, right) >= 0 && compareMoney(amount, zero) > 0 ? 'close' : 'below';
};

/** Without any amount that could be shown. */
const blocking = (
  { covered, needed, isProven }: DataState,
  period: Interval<UnixSeconds>,
): UnknownReason | undefined => {
  if (covered === undefined || covered.end <= period.start) {
    if (covered === undefined) return { kind: 'no-data' };
    return { kind: 'stale', reaches: covered.end, needed: needed < period.end ? needed : period.end };
  }
  if (!isProven) return { kind: 'unit' };
  const needs = needed < period.end ? needed : period.end;
  return covered.end < needs ? { kind: 'stale', reaches: covered.end, needed: needs } : undefined;
};

/** Data of which a part is missing: what is there is a lower bound. */
const partial = (
  { covered }: DataState,
  period: Interval<UnixSeconds>,
  sums: PeriodSums,
): UnknownReason | undefined => {
  if (!sums.hasCalls)
    return { kind: 'no-calls', ...(sums.nearest === undefined ? {} : { nearest: sums.nearest }) };
  if (covered !== undefined && covered.start > period.start)
    return { kind: 'starts-late', starts: covered.start };
  if (sums.unreadableRows > 0) return { kind: 'unreadable-rows', rows: sums.unreadableRows };
  return sums.missingRows === undefined ? undefined : { kind: 'missing-rows', text: sums.missingRows };
};

/**
 * The state of a budget in one period. Stale data, and amounts of an unproven unit, make every level unknown. Where a
 * part of the data is missing, the spend is a lower bound: it can exceed a threshold, but nothing else is known.
 */
export const assess = (
  budget: Budget,
  period: Interval<UnixSeconds>,
  data: DataState,
  sums: PeriodSums,
  forecastOf: Forecaster = forecastAtPace,
): Assessment => {
  const through =
    data.covered === undefined || data.covered.end <= period.start
      ? undefined
      : data.covered.end < period.end
        ? data.covered.end
        : period.end;
  const blocked = blocking(data, period);
  const reason = blocked ?? partial(data, period, sums);
  // If the scope may be misspelled, a spend of zero is not reliable.
  const isKnown = through !== undefined && data.isProven && reason?.kind !== 'no-calls';
  const spend = isKnown ? sums.spend : undefined;
  const forecast =
    reason !== undefined || through === undefined || spend === undefined
      ? undefined
      : forecastOf({ period, through, spend, recent: sums.recent });
  const levelOf =
    (on: Level['on'], amount: Money | undefined) =>
    (threshold: Threshold): Level => {
      const state = stateOf(amount, threshold.amount);
      return { ...threshold, on, state: reason === undefined || state === 'exceeded' ? state : 'unknown' };
    };
  const levels = [
    ...budget.thresholds.map(levelOf('actual', blocked === undefined ? spend : undefined)),
    ...budget.forecastThresholds.map(levelOf('forecast', forecast?.amount)),
  ];
  const exceeded = levels.filter(({ state }) => state === 'exceeded');
  const known = exceeded.length === 0 ? 'ok' : 'forecast';
  return {
    budget,
    period,
    through,
    state: exceeded.some(({ on }) => on === 'actual') ? 'exceeded' : reason === undefined ? known : 'unknown',
    reason,
    spend,
    forecast,
    isTooEarly: reason === undefined && spend !== undefined && forecast === undefined,
    levels,
  };
};
