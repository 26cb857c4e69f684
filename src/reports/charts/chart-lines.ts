import { zero, type Money } from '../../core/index.ts';
import type { BarModel, ChartModel } from '../compose/model.ts';
import { isAdditive } from '../compose/show-value.ts';
import type { ChartShape, Point } from './chart-shape.ts';

/** A sum without rows is zero; a share or a price without rows is unknown. */
const valueAt = (bar: BarModel, colour: string, isSum: boolean): Money | undefined => {
  if (bar.state === 'missing') return undefined;
  return bar.parts.find((part) => part.colour === colour)?.value ?? (isSum ? zero : undefined);
};

const stroke = (points: readonly Point[], colour: string): readonly ChartShape[] => {
  const [first] = points;
  if (first === undefined) return [];
  // An isolated point makes no line.
  return points.length === 1 ? [{ kind: 'dot', ...first, colour }] : [{ kind: 'line', points, colour }];
};

/** The range of the days that have one, as one area; a single day makes none. */
const areas = (
  bars: readonly BarModel[],
  x: (at: number) => number,
  y: (value: Money) => number,
): readonly ChartShape[] => {
  const days = bars.flatMap(({ range }, at) => (range === undefined ? [] : [{ ...range, at }]));
  const [first] = days;
  if (first === undefined || days.length < 2) return [];
  const upper = days.map(({ at, high }) => ({ x: x(at), y: y(high) }));
  const lower = days.map(({ at, low }) => ({ x: x(at), y: y(low) }));
  return [{ kind: 'area', colour: first.colour, points: [...upper, ...lower.toReversed()] }];
};

/** What marks single days. */
const dots = (
  bars: readonly BarModel[],
  x: (at: number) => number,
  y: (value: Money) => number,
): readonly ChartShape[] =>
  bars.flatMap(({ dot, parts }, at): readonly ChartShape[] => {
    const value = parts.find(({ colour }) => colour === dot?.of)?.value;
    return dot === undefined || value === undefined
      ? []
      : [{ kind: 'dot', x: x(at), y: y(value), colour: dot.colour }];
  });

/** A line for each colour, the largest series on top; it is interrupted where its value is unknown. */
export const lines = (
  chart: Pick<ChartModel, 'bars' | 'format' | 'isCumulative'>,
  x: (at: number) => number,
  y: (value: Money) => number,
): readonly ChartShape[] => {
  const isSum = isAdditive(chart.format) && chart.isCumulative !== true;
  const colours = [...new Set(chart.bars.flatMap(({ parts }) => parts.map(({ colour }) => colour)))];
  const strokes = colours.toReversed().flatMap((colour) => {
    const runs: Point[][] = [[]];
    for (const [at, bar] of chart.bars.entries()) {
      const value = valueAt(bar, colour, isSum);
      if (value === undefined) runs.push([]);
      else runs.at(-1)?.push({ x: x(at), y: y(value) });
    }
    return runs.flatMap((points) => stroke(points, colour));
  });
  return [...areas(chart.bars, x, y), ...strokes, ...dots(chart.bars, x, y)];
};
