import {
  hourSeconds,
  addMoney,
  compareMoney,
  divideMoney,
  formatMoment,
  money,
  multiplyMoney,
  sumMoney,
  unixSeconds,
  zero,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import { isDrawable } from '../charts/chart-glyphs.ts';
import type { Context } from './context.ts';
import type { ChartShape } from '../definition/section-shapes.ts';
import type { BarModel, ChartModel } from './model.ts';
import { shorten, showName } from './names.ts';
import { coloursOf, otherColour } from './palette.ts';
import { isAdditive, showFigure, showOnPicture } from './show-value.ts';

/** The position of a bar or point; data coverage does not apply to a name. */
type Slot = {
  /** Its values in the column `x`. */
  readonly keys: readonly string[];
  readonly label: string;
  /** The label in the picture, if different. */
  readonly mark?: string;
  readonly range?: Interval<UnixSeconds>;
};

/** More bars than this are too thin on a phone: then one bar covers several days. */
const maxBars = 130;
/** More names than this leave no space for labels; the others are aggregated. */
const maxNames = 8;
/** Maximum total length of all labels. */
const maxLetters = 44;

/** Replaces a name in the picture with characters that its font lacks. */
const numberOf = (at: number): string => `#${at + 1}`;

const namedSlots = (shape: ChartShape, context: Context): readonly Slot[] => {
  const table = context.table(shape.sql);
  const names = [...new Set(table.rows.map((row) => table.text(row, shape.x)))];
  const shown = names.slice(0, names.length > maxNames ? maxNames - 1 : maxNames);
  const { unnamed, other } = context.locale.messages;
  const slots = shown.map((key) => {
    const label = showName(key, 40) || (shape.empty ?? unnamed);
    return { keys: [key], label, mark: shorten(label, Math.floor(maxLetters / (shown.length + 1))) };
  });
  const rest = names.slice(shown.length);
  const all = rest.length === 0 ? slots : [...slots, { keys: rest, label: other, mark: other }];
  return all.map((slot, at) => (isDrawable(slot.mark) ? slot : { ...slot, mark: numberOf(at) }));
};

/** The names that numbers in the picture refer to. */
const numbersOf = (shape: ChartShape, slots: readonly Slot[], context: Context): string | undefined => {
  if (shape.over !== 'name') return undefined;
  const numbered = slots.flatMap(({ mark, label }, at) =>
    mark === numberOf(at) && label !== mark ? [`${mark} ${label}`] : [],
  );
  return numbered.length === 0 ? undefined : context.locale.list(numbered);
};

const slotsOf = (shape: ChartShape, context: Context): readonly Slot[] => {
  if (shape.over === 'name') return namedSlots(shape, context);
  const { days } = context.rangeOf(shape.period);
  if (shape.over === 'day')
    return days.map((day) => ({
      range: day,
      keys: [day.date],
      label: context.locale.shortDay(day.date),
      mark: context.locale.chart.day(day.date),
    }));
  return days.flatMap((day) => {
    const slots: Slot[] = [];
    for (let start = day.start; start < day.end; start = unixSeconds(start + hourSeconds)) {
      const end = unixSeconds(Math.min(start + hourSeconds, day.end));
      slots.push({
        range: { start, end },
        keys: [String(start)],
        label: formatMoment(start, context.zone).slice(11, 16),
      });
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

const readValues = (
  shape: ChartShape,
  context: Pick<Context, 'table'>,
): { values: Values; totals: Map<string, Money> } => {
  const table = context.table(shape.sql);
  const values = new Map<string, Map<string, Money>>();
  const totals = new Map<string, Money>();
  for (const row of table.rows) {
    const x = table.text(row, shape.x);
    const key = shape.over === 'day' ? x.slice(0, 10) : x;
    const name = shape.series === undefined ? '' : table.text(row, shape.series);
    const bar = values.get(key) ?? new Map<string, Money>();
    values.set(key, bar);
    const value = table.figure(row, shape.value);
    // An unknown value is no zero: the bar has no part for it.
    if (value === null) continue;
    bar.set(name, addMoney(bar.get(name) ?? zero, value));
    totals.set(name, addMoney(totals.get(name) ?? zero, value));
  }
  return { values, totals };
};

/** The names of the series in a chart, largest first. */
const rankedNames = (shape: ChartShape, totals: ReadonlyMap<string, Money>): readonly string[] =>
  [...totals]
    .sort(([a, left], [b, right]) => compareMoney(right, left) || (a < b ? -1 : 1))
    .slice(0, shape.limit)
    .map(([name]) => name);

/** The dimension that a chart shows in colours; undefined for a single series without a name. */
export const coloured = (shape: ChartShape, context: Pick<Context, 'table'>): readonly string[] =>
  shape.series === undefined ? [] : rankedNames(shape, readValues(shape, context).totals);

const seriesOf = (
  shape: ChartShape,
  totals: ReadonlyMap<string, Money>,
  context: Context,
): readonly Series[] => {
  const names = rankedNames(shape, totals);
  const colours = coloursOf(names.map((name, at) => context.colours.get(name) ?? at));
  return names.map((name, at) => ({
    name,
    total: totals.get(name) ?? zero,
    shown:
      shape.series === undefined
        ? ''
        : showName(name, 40) || (shape.empty ?? context.locale.messages.unnamed),
    colour: colours[at] ?? otherColour,
  }));
};

/** The median of the spend; of two middle values the lower one, since it exists in the data. */
const medianOf = (amounts: readonly Money[]): Money =>
  amounts.toSorted(compareMoney)[(amounts.length - 1) >> 1] ?? zero;

const fewestForMedian = 5;

export type Spike = {
  readonly bar: number;
  readonly label: string;
  readonly total: Money;
  readonly times: Money;
};

/** The highest day of the report's period if it is unusual: above twice the median of the complete days. */
const spikeOf = (
  shape: ChartShape,
  bars: readonly BarModel[],
  isOfPeriod: (bar: number) => boolean,
): Spike | undefined => {
  const complete = bars.filter(({ state }) => state === 'complete');
  if (shape.over !== 'day' || shape.format !== 'money' || complete.length < fewestForMedian) return undefined;
  const median = medianOf(complete.map(({ total }) => total));
  const [top] = complete
    .filter((bar) => isOfPeriod(bars.indexOf(bar)))
    .toSorted((left, right) => compareMoney(right.total, left.total));
  if (top === undefined || compareMoney(top.total, multiplyMoney(median, money('2'))) <= 0) return undefined;
  const times = divideMoney(top.total, median, 1);
  if (times === undefined || compareMoney(median, zero) <= 0) return undefined;
  return { bar: bars.indexOf(top), label: top.label, total: top.total, times };
};

/** Several slots in one bar, with the state of the least complete day. */
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

const adds = ({ format }: ChartShape): boolean => isAdditive(format);

/** Whether a bar has a value: no parts are a sum of nothing, but no share and no price. */
const hasValue = (shape: ChartShape, { state, parts }: BarModel): boolean =>
  state !== 'missing' && (adds(shape) || parts.length > 0);

const altOf = (
  shape: ChartShape,
  series: readonly Series[],
  bars: readonly BarModel[],
  context: Context,
): string => {
  const amount = (value: Money): string => showFigure(value, shape.format, context);
  const known = bars.filter((bar) => hasValue(shape, bar)).toSorted((a, b) => compareMoney(b.total, a.total));
  const [highest, lowest] = [known[0], known.at(-1)];
  const isOne = adds(shape) || series.length === 1;
  const named = (bar: BarModel | undefined): string =>
    bar === undefined || !isOne ? '' : `${bar.label} ${amount(bar.total)}`;
  const missing = bars.filter(({ state }) => state === 'missing').map(({ label }) => label);
  const valueOf = ({ colour, total }: Series): string => {
    if (adds(shape)) return amount(total);
    const last = bars.findLast(({ parts }) => parts.some((part) => part.colour === colour));
    const part = last?.parts.find((one) => one.colour === colour);
    return part === undefined ? '–' : `${last?.label} ${amount(part.value)}`;
  };
  const listed =
    shape.over === 'name'
      ? bars.map((bar) => `${bar.label} ${hasValue(shape, bar) ? amount(bar.total) : '–'}`)
      : series.filter(({ shown }) => shown !== '').map((one) => `${one.shown} ${valueOf(one)}`);
  return context.locale.messages.chartAlt({
    title: shape.title,
    period: context.rangeOf(shape.period).label,
    total: adds(shape) ? amount(sumMoney(bars.map(({ total }) => total))) : '',
    highest: named(highest),
    lowest: named(lowest),
    series: context.locale.list(listed),
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

const together = (values: readonly Money[]): readonly Money[] =>
  values.length === 0 ? [] : [sumMoney(values)];

export const buildChart = (shape: ChartShape, context: Context): BuiltChart => {
  const { values, totals } = readValues(shape, context);
  const series = seriesOf(shape, totals, context);
  const colours = new Map(series.map(({ name, colour }) => [name, colour]));
  const slots = slotsOf(shape, context);
  const single = slots.map((slot): BarModel => {
    const parts = slot.keys.flatMap((key) => [...(values.get(key) ?? [])]);
    const ranked = series.flatMap(({ name, colour }) =>
      together(parts.filter(([own]) => own === name).map(([, value]) => value)).map((value) => ({
        colour,
        value,
      })),
    );
    // A sum of the others' shares or quotients has no meaning.
    const rest = adds(shape) ? parts.filter(([name]) => !colours.has(name)).map(([, value]) => value) : [];
    const isUnknown = adds(shape) && parts.length === 0 && slot.keys.some((key) => values.has(key));
    const covered = slot.range === undefined ? 'complete' : context.covers(slot.range);
    const state = isUnknown ? 'missing' : covered;
    return {
      label: slot.label,
      ...(slot.mark === undefined || slot.mark === slot.label ? {} : { mark: slot.mark }),
      state: state === 'missing' && parts.length > 0 ? 'partial' : state,
      total: sumMoney(parts.map(([, value]) => value)),
      parts: [...ranked, ...(rest.length === 0 ? [] : [{ colour: otherColour, value: sumMoney(rest) }])],
    };
  });
  // Points of a line may be close together; values without meaningful sums can't be grouped.
  const size = shape.chart === 'line' || !adds(shape) ? 1 : Math.ceil(single.length / maxBars);
  const { start, end } = context.period.interval;
  const isOfPeriod = (bar: number): boolean => {
    const range = slots[bar]?.range;
    return range !== undefined && range.start >= start && range.end <= end;
  };
  const spike = shape.chart === 'line' ? undefined : spikeOf(shape, single, isOfPeriod);
  const model: ChartModel = {
    kind: 'chart',
    chart: shape.chart === 'line' ? 'line' : 'bars',
    format: shape.format,
    labels: shape.over === 'name' ? 'all' : 'some',
    title: shape.title,
    legend: [
      ...series.filter(({ shown }) => shown !== '').map(({ shown, colour }) => ({ name: shown, colour })),
      ...(adds(shape) && totals.size > series.length
        ? [{ name: context.locale.messages.other, colour: otherColour }]
        : []),
    ],
    note: size > 1 ? context.locale.messages.barIsDays(size) : numbersOf(shape, slots, context),
    bars: grouped(single, size),
    annotation:
      spike === undefined || size > 1
        ? undefined
        : {
            bar: spike.bar,
            text: `${single[spike.bar]?.mark ?? spike.label}: ${showOnPicture(spike.total, shape.format, context)}`,
          },
    alt: altOf(shape, series, single, context),
  };
  return { model, colours, spike };
};
