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

/** A line for each colour, the largest series on top; it is interrupted where its value is unknown. */
export const lines = (
  chart: Pick<ChartModel, 'bars' | 'format' | 'isCumulative'>,
  x: (at: number) => number,
  y: (value: Money) => number,
): readonly ChartShape[] => {
  const isSum = isAdditive(chart.format) && chart.isCumulative !== true;
  const colours = [...new Set(chart.bars.flatMap(({ parts }) => parts.map(({ colour }) => colour)))];
  return colours.toReversed().flatMap((colour) => {
    const runs: Point[][] = [[]];
    for (const [at, bar] of chart.bars.entries()) {
      const value = valueAt(bar, colour, isSum);
      if (value === undefined) runs.push([]);
      else runs.at(-1)?.push({ x: x(at), y: y(value) });
    }
    return runs.flatMap((points) => stroke(points, colour));
  });
};
