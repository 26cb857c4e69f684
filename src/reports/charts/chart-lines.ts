import { zero, type Money } from '../../core/index.ts';
import type { BarModel, ChartModel } from '../compose/model.ts';
import { isAdditive } from '../compose/show-value.ts';

const number = (value: number): string => String(Math.round(value * 100) / 100);

type Point = { readonly x: number; readonly y: number };

/** A sum without rows is zero; a share or a price without rows is unknown. */
const valueAt = (bar: BarModel, colour: string, isSum: boolean): Money | undefined => {
  if (bar.state === 'missing') return undefined;
  return bar.parts.find((part) => part.colour === colour)?.value ?? (isSum ? zero : undefined);
};

const stroke = (points: readonly Point[], colour: string): string => {
  const [first] = points;
  if (first === undefined) return '';
  // An isolated point makes no line.
  if (points.length === 1)
    return `<circle cx="${number(first.x)}" cy="${number(first.y)}" r="2.5" fill="${colour}"/>`;
  const path = points.map(({ x, y }) => `${number(x)},${number(y)}`).join(' ');
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2.5" stroke-linejoin="round" stroke-linecap="round"/>`;
};

/** A line for each colour, the largest series on top; it is interrupted where its value is unknown. */
export const lines = (
  chart: Pick<ChartModel, 'bars' | 'format' | 'isCumulative'>,
  x: (at: number) => number,
  y: (value: Money) => number,
): string => {
  const isSum = isAdditive(chart.format) && chart.isCumulative !== true;
  const colours = [...new Set(chart.bars.flatMap(({ parts }) => parts.map(({ colour }) => colour)))];
  return colours
    .toReversed()
    .map((colour) => {
      const runs: Point[][] = [[]];
      for (const [at, bar] of chart.bars.entries()) {
        const value = valueAt(bar, colour, isSum);
        if (value === undefined) runs.push([]);
        else runs.at(-1)?.push({ x: x(at), y: y(value) });
      }
      return runs.map((points) => stroke(points, colour)).join('');
    })
    .join('');
};
