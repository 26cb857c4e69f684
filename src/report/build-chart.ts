import {
  addMoney,
  compareMoney,
  divideMoney,
  formatMoment,
  money,
  multiplyMoney,
  sumMoney,
  unixSeconds,
  zero,
} from '../base/index.ts';
import type { Interval, Money, UnixSeconds } from '../base/index.ts';
import type { Context } from './context.ts';
import type { ChartShape } from './definition.ts';
import { formatMoney } from './format.ts';
import type { BarModel, ChartModel } from './model.ts';
import { showName } from './names.ts';
import { otherColour, palette } from './palette.ts';

type Slot = Interval<UnixSeconds> & { readonly key: string; readonly label: string; readonly mark?: string };

/** More bars than this become too thin to see on a phone: then a bar stands for several days. */
const mostBars = 130;

const hour = 3600;

const slotsOf = (shape: ChartShape, context: Context): readonly Slot[] => {
  const { days } = context.period;
  if (shape.over === 'day')
    return days.map((day) => ({
      start: day.start,
      end: day.end,
      key: day.date,
      label: context.locale.shortDay(day.date),
      mark: context.locale.chart.day(day.date),
    }));
  return days.flatMap((day) => {
    const slots: Slot[] = [];
    for (let start = day.start; start < day.end; start = unixSeconds(start + hour)) {
      const end = unixSeconds(Math.min(start + hour, day.end));
      slots.push({ start, end, key: String(start), label: formatMoment(start, context.zone).slice(11, 16) });
    }
    return slots;
  });
};

type Series = {
  readonly name: string;
  readonly shown: string;
  readonly colour: string;
  readonly total: Money;
};

type Values = ReadonlyMap<string, ReadonlyMap<string, Money>>;

const readValues = (shape: ChartShape, context: Context): { values: Values; totals: Map<string, Money> } => {
  const table = context.table(shape.sql);
  const values = new Map<string, Map<string, Money>>();
  const totals = new Map<string, Money>();
  for (const row of table.rows) {
    const x = table.text(row, shape.x);
    const key = shape.over === 'day' ? x.slice(0, 10) : x;
    const name = table.text(row, shape.series);
    const value = table.figure(row, shape.value) ?? zero;
    const bar = values.get(key) ?? new Map<string, Money>();
    bar.set(name, addMoney(bar.get(name) ?? zero, value));
    values.set(key, bar);
    totals.set(name, addMoney(totals.get(name) ?? zero, value));
  }
  return { values, totals };
};

const seriesOf = (
  shape: ChartShape,
  totals: ReadonlyMap<string, Money>,
  context: Context,
): readonly Series[] =>
  [...totals]
    .sort(([a, left], [b, right]) => compareMoney(right, left) || (a < b ? -1 : 1))
    .slice(0, shape.limit)
    .map(([name, total], at) => ({
      name,
      total,
      shown: showName(name, 40) || (shape.empty ?? context.locale.words.unnamed),
      colour: palette[at] ?? otherColour,
    }));

/** The median of what was spent, with two in the middle the lower one: it exists in the data. */
const medianOf = (amounts: readonly Money[]): Money =>
  amounts.toSorted(compareMoney)[(amounts.length - 1) >> 1] ?? zero;

const fewestForMedian = 5;

export type Spike = {
  readonly bar: number;
  readonly label: string;
  readonly total: Money;
  readonly times: Money;
};

/** The highest day when it is odd: above twice the median of the complete days. */
const spikeOf = (shape: ChartShape, bars: readonly BarModel[]): Spike | undefined => {
  const complete = bars.filter(({ state }) => state === 'complete');
  if (shape.over !== 'day' || complete.length < fewestForMedian) return undefined;
  const median = medianOf(complete.map(({ total }) => total));
  const [top] = complete.toSorted((left, right) => compareMoney(right.total, left.total));
  if (top === undefined || compareMoney(top.total, multiplyMoney(median, money('2'))) <= 0) return undefined;
  const times = divideMoney(top.total, median, 1);
  if (times === undefined || compareMoney(median, zero) <= 0) return undefined;
  return { bar: bars.indexOf(top), label: top.label, total: top.total, times };
};

/** Several slots in one bar; its state is that of the least known day. */
const grouped = (bars: readonly BarModel[], size: number): readonly BarModel[] => {
  if (size === 1) return bars;
  const groups: BarModel[] = [];
  for (let at = 0; at < bars.length; at += size) {
    const part = bars.slice(at, at + size);
    const states = new Set(part.map(({ state }) => state));
    const byColour = new Map<string, Money>();
    for (const { colour, value } of part.flatMap(({ parts }) => parts))
      byColour.set(colour, addMoney(byColour.get(colour) ?? zero, value));
    groups.push({
      label: part[0]?.label ?? '',
      ...(part[0]?.mark === undefined ? {} : { mark: part[0].mark }),
      state: states.size === 1 ? (part[0]?.state ?? 'missing') : 'partial',
      total: sumMoney(part.map(({ total }) => total)),
      parts: [...byColour].map(([colour, value]) => ({ colour, value })),
    });
  }
  return groups;
};

const altOf = (
  shape: ChartShape,
  series: readonly Series[],
  bars: readonly BarModel[],
  context: Context,
): string => {
  const amount = (value: Money): string => formatMoney(value, context.currency, context.locale);
  const known = bars
    .filter(({ state }) => state !== 'missing')
    .toSorted((a, b) => compareMoney(b.total, a.total));
  const [highest, lowest] = [known[0], known.at(-1)];
  const named = (bar: BarModel | undefined): string =>
    bar === undefined ? '' : `${bar.label} ${amount(bar.total)}`;
  const missing = bars.filter(({ state }) => state === 'missing').map(({ label }) => label);
  return context.locale.words.chartAlt({
    title: shape.title,
    period: context.period.label,
    total: amount(sumMoney(bars.map(({ total }) => total))),
    highest: named(highest),
    lowest: named(lowest),
    series: context.locale.list(series.map(({ shown, total }) => `${shown} ${amount(total)}`)),
    missing:
      missing.length > 3
        ? `${missing[0]} … ${missing.at(-1)} (${missing.length})`
        : context.locale.list(missing),
  });
};

export type BuiltChart = {
  readonly model: ChartModel;
  readonly colours: ReadonlyMap<string, string>;
  readonly spike: Spike | undefined;
};

export const buildChart = (shape: ChartShape, context: Context): BuiltChart => {
  const { values, totals } = readValues(shape, context);
  const series = seriesOf(shape, totals, context);
  const colours = new Map(series.map(({ name, colour }) => [name, colour]));
  const single = slotsOf(shape, context).map((slot): BarModel => {
    const parts = [...(values.get(slot.key) ?? [])];
    const ranked = series.flatMap(({ name, colour }) =>
      parts.filter(([own]) => own === name).map(([, value]) => ({ colour, value })),
    );
    const rest = parts.filter(([name]) => !colours.has(name)).map(([, value]) => value);
    const state = context.covers(slot);
    return {
      label: slot.label,
      ...(slot.mark === undefined || slot.mark === slot.label ? {} : { mark: slot.mark }),
      state: state === 'missing' && parts.length > 0 ? 'partial' : state,
      total: sumMoney(parts.map(([, value]) => value)),
      parts: [...ranked, ...(rest.length === 0 ? [] : [{ colour: otherColour, value: sumMoney(rest) }])],
    };
  });
  const size = Math.ceil(single.length / mostBars);
  const spike = spikeOf(shape, single);
  const model: ChartModel = {
    kind: 'chart',
    title: shape.title,
    note: size > 1 ? context.locale.words.barIsDays(size) : undefined,
    bars: grouped(single, size),
    annotation:
      spike === undefined || size > 1
        ? undefined
        : {
            bar: spike.bar,
            text: `${single[spike.bar]?.mark ?? spike.label}: ${formatMoney(spike.total, context.currency, context.locale)}`,
          },
    alt: altOf(shape, series, single, context),
  };
  return { model, colours, spike };
};
