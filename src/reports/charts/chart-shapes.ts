import { addMoney, compareMoney, zero, type Money } from '../../core/index.ts';
import { placeOn, scaleOf, type Scale } from './chart-scale.ts';
import { lines } from './chart-lines.ts';
import { mailChart, type ChartShape, type ChartSize } from './chart-shape.ts';
import { localeOf } from '../../messages/index.ts';
import type { BarModel, ChartModel, ReportModel } from '../compose/model.ts';
import { showTick } from '../compose/show-value.ts';

const text = (
  x: number,
  y: number,
  anchor: Extract<ChartShape, { kind: 'text' }>['anchor'],
  content: string,
  isBold = false,
): ChartShape => ({ kind: 'text', x, y, anchor, text: content, isBold });

/** Wide enough for labels in Inter, in em: digits are about 0.63 em, the widest characters 1 em. */
const emsOf = (label: string): number =>
  Array.from(label).reduce((sum, sign) => sum + (/[%MW@]/.test(sign) ? 1 : 0.63), 0);

/** What of a chart is in the picture. */
export type DrawnChart = Pick<
  ChartModel,
  'chart' | 'format' | 'labels' | 'bars' | 'annotation' | 'isCumulative'
>;

type Frame = {
  readonly scale: Scale;
  readonly left: number;
  readonly top: number;
  /** Of what is above the labels. */
  readonly bottom: number;
  readonly y: (value: Money) => number;
};

const stack = (bar: BarModel, x: number, wide: number, { y }: Frame): readonly ChartShape[] => {
  let [above, below] = [zero, zero];
  return bar.parts.map(({ colour, value }) => {
    const rises = compareMoney(value, zero) > 0;
    const from = rises ? above : below;
    const to = addMoney(from, value);
    if (rises) above = to;
    else below = to;
    const [high, low] = [Math.min(y(from), y(to)), Math.max(y(from), y(to))];
    return { kind: 'bar', colour, x, y: high, width: wide, height: low - high };
  });
};

const missing = (x: number, wide: number, { top, bottom }: Frame): ChartShape => ({
  kind: 'missing',
  x,
  y: top,
  width: wide,
  height: bottom - top,
});

const spread = (bars: number, most: number): readonly number[] => {
  const count = Math.min(bars, most);
  if (count === 1) return [0];
  return Array.from({ length: count }, (_, at) => Math.round((at * (bars - 1)) / (count - 1)));
};

const extremes = (bar: BarModel): readonly Money[] => {
  const sum = (sign: number): Money =>
    bar.parts.reduce(
      (total, { value }) => (compareMoney(value, zero) * sign > 0 ? addMoney(total, value) : total),
      zero,
    );
  return [sum(1), sum(-1)];
};

/** Stacked bars or lines; days without data are marked, never drawn as zero. */
export const chartShapes = (
  chart: DrawnChart,
  model: Pick<ReportModel, 'currency' | 'locale'>,
  { width, height, label: labelSize }: ChartSize = mailChart,
): readonly ChartShape[] => {
  const locale = localeOf(model.locale);
  const isLine = chart.chart === 'line';
  const scale = scaleOf(
    chart.bars.flatMap((bar) => [
      ...(isLine ? bar.parts.map(({ value }) => value) : extremes(bar)),
      ...(bar.range === undefined ? [] : [bar.range.low, bar.range.high]),
    ]),
  );
  const tickLabels = scale.ticks.map((tick) => showTick(tick, chart.format, model.currency, locale));
  const widthOfLabel = (label: string): number => emsOf(label) * labelSize;
  const left = Math.max(...tickLabels.map(widthOfLabel)) + 8;
  const top = chart.annotation === undefined ? 10 : labelSize + 12;
  const bottom = height - labelSize - 10;
  const y = (value: Money): number => bottom - placeOn(scale, value) * (bottom - top);
  const frame: Frame = { scale, left, top, bottom, y };
  const slot = (width - left) / chart.bars.length;
  const gap = slot > 8 ? Math.min(slot * 0.2, 10) : slot * 0.12;
  const wide = Math.min(slot - gap, 64);
  const middle = (at: number): number => left + slot * (at + 0.5);

  const grid = scale.ticks.flatMap((tick, at): readonly ChartShape[] => [
    { kind: 'grid', from: left, to: width, y: y(tick), isZero: compareMoney(tick, zero) === 0 },
    text(left - 6, y(tick) + labelSize * 0.35, 'end', tickLabels[at] ?? ''),
  ]);
  const bars = chart.bars.flatMap((bar, at): readonly ChartShape[] => {
    if (bar.state === 'missing') return [missing(middle(at) - wide / 2, wide, frame)];
    return isLine ? [] : stack(bar, middle(at) - wide / 2, wide, frame);
  });
  const shown = chart.labels === 'all' ? chart.bars.map((_, at) => at) : spread(chart.bars.length, 5);
  const labels = shown.map((at, index) => {
    const label = chart.bars[at]?.mark ?? chart.bars[at]?.label ?? '';
    if (chart.labels === 'all' || shown.length === 1 || (index > 0 && index < shown.length - 1))
      return text(middle(at), height - 5, 'middle', label);
    return index === 0 ? text(left, height - 5, 'start', label) : text(width, height - 5, 'end', label);
  });
  const { annotation } = chart;
  return [
    ...grid,
    ...bars,
    ...(isLine ? lines(chart, middle, y) : []),
    ...labels,
    ...(annotation === undefined
      ? []
      : [
          text(
            Math.min(
              width - widthOfLabel(annotation.text) / 2,
              Math.max(left + widthOfLabel(annotation.text) / 2, middle(annotation.bar)),
            ),
            labelSize,
            'middle',
            annotation.text,
            true,
          ),
        ]),
  ];
};
