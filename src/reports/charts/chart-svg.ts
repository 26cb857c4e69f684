import { addMoney, compareMoney, zero, type Money } from '../../core/index.ts';
import { drawable } from './chart-glyphs.ts';
import { placeOn, scaleOf, type Scale } from './chart-scale.ts';
import { lines } from './chart-lines.ts';
import { escapeHtml } from '../render/markup.ts';
import { localeOf } from '../../messages/index.ts';
import type { BarModel, ChartModel, ReportModel } from '../compose/model.ts';
import { showTick } from '../compose/show-value.ts';

/** A mid grey that is readable on white and on black. */
const ink = '#808690';
const width = 480;
const height = 166;
const bottom = 24;
const labelSize = 14;

const number = (value: number): string => String(Math.round(value * 100) / 100);

const text = (
  x: number,
  y: number,
  anchor: 'start' | 'middle' | 'end',
  content: string,
  weight = 400,
): string =>
  `<text x="${number(x)}" y="${number(y)}" font-family="Inter" font-size="${labelSize}" font-weight="${weight}" fill="${ink}" text-anchor="${anchor}">${escapeHtml(drawable(content))}</text>`;

/** Wide enough for labels in Inter: digits are about 0.63 em, the widest characters 1 em. */
const widthOfLabel = (label: string): number =>
  Array.from(label).reduce((sum, sign) => sum + (/[%MW@]/.test(sign) ? 1 : 0.63), 0) * labelSize;

/** What of a chart is in the picture. */
type DrawnChart = Pick<ChartModel, 'chart' | 'format' | 'labels' | 'bars' | 'annotation' | 'isCumulative'>;

type Frame = {
  readonly scale: Scale;
  readonly left: number;
  readonly top: number;
  readonly y: (value: Money) => number;
};

const stack = (bar: BarModel, x: number, wide: number, { y }: Frame): string => {
  let [above, below] = [zero, zero];
  return bar.parts
    .map(({ colour, value }) => {
      const rises = compareMoney(value, zero) > 0;
      const from = rises ? above : below;
      const to = addMoney(from, value);
      if (rises) above = to;
      else below = to;
      const [high, low] = [Math.min(y(from), y(to)), Math.max(y(from), y(to))];
      return `<rect x="${number(x)}" y="${number(high)}" width="${number(wide)}" height="${number(low - high)}" fill="${colour}"/>`;
    })
    .join('');
};

const missing = (x: number, wide: number, { top }: Frame): string =>
  `<rect x="${number(x)}" y="${number(top)}" width="${number(wide)}" height="${number(height - bottom - top)}" fill="url(#missing)"/>`;

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

/** Stacked bars or lines on a transparent background; days without data are hatched, never drawn as zero. */
export const chartSvg = (chart: DrawnChart, model: Pick<ReportModel, 'currency' | 'locale'>): string => {
  const locale = localeOf(model.locale);
  const isLine = chart.chart === 'line';
  const scale = scaleOf(
    chart.bars.flatMap((bar) => (isLine ? bar.parts.map(({ value }) => value) : extremes(bar))),
  );
  const tickLabels = scale.ticks.map((tick) => showTick(tick, chart.format, model.currency, locale));
  const left = Math.max(...tickLabels.map(widthOfLabel)) + 8;
  const top = chart.annotation === undefined ? 10 : 26;
  const y = (value: Money): number => height - bottom - placeOn(scale, value) * (height - bottom - top);
  const frame: Frame = { scale, left, top, y };
  const slot = (width - left) / chart.bars.length;
  const gap = slot > 8 ? Math.min(slot * 0.2, 10) : slot * 0.12;
  const wide = Math.min(slot - gap, 64);
  const middle = (at: number): number => left + slot * (at + 0.5);

  const grid = scale.ticks.map((tick, at) => {
    const isZero = compareMoney(tick, zero) === 0;
    const line = `<line x1="${number(left)}" x2="${width}" y1="${number(y(tick))}" y2="${number(y(tick))}" stroke="${ink}" stroke-opacity="${isZero ? 0.9 : 0.25}"/>`;
    return line + text(left - 6, y(tick) + labelSize * 0.35, 'end', tickLabels[at] ?? '');
  });
  const bars = chart.bars.map((bar, at) => {
    if (bar.state === 'missing') return missing(middle(at) - wide / 2, wide, frame);
    return isLine ? '' : stack(bar, middle(at) - wide / 2, wide, frame);
  });
  if (isLine) bars.push(lines(chart, middle, y));
  const shown = chart.labels === 'all' ? chart.bars.map((_, at) => at) : spread(chart.bars.length, 5);
  const labels = shown.map((at, index) => {
    const label = chart.bars[at]?.mark ?? chart.bars[at]?.label ?? '';
    if (chart.labels === 'all' || shown.length === 1 || (index > 0 && index < shown.length - 1))
      return text(middle(at), height - 5, 'middle', label);
    return index === 0 ? text(left, height - 5, 'start', label) : text(width, height - 5, 'end', label);
  });
  const annotation =
    chart.annotation === undefined
      ? ''
      : text(
          Math.min(
            width - widthOfLabel(chart.annotation.text) / 2,
            Math.max(left + widthOfLabel(chart.annotation.text) / 2, middle(chart.annotation.bar)),
          ),
          14,
          'middle',
          chart.annotation.text,
          600,
        );
  const hatch = !chart.bars.some(({ state }) => state === 'missing')
    ? ''
    : `<defs><pattern id="missing" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6" fill="${ink}" fill-opacity="0.35"/></pattern></defs>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${hatch}${grid.join('')}${bars.join('')}${labels.join('')}${annotation}</svg>`;
};
