import { drawable } from './chart-glyphs.ts';
import { mailChart, type ChartShape } from './chart-shape.ts';
import { chartShapes, type DrawnChart } from './chart-shapes.ts';
import { escapeHtml } from '../render/markup.ts';
import type { ReportModel } from '../compose/model.ts';

/** A mid grey that is readable on white and on black. */
const ink = '#808690';

const number = (value: number): string => String(Math.round(value * 100) / 100);

const svgOf = (shape: ChartShape): string => {
  switch (shape.kind) {
    case 'grid':
      return `<line x1="${number(shape.from)}" x2="${shape.to}" y1="${number(shape.y)}" y2="${number(shape.y)}" stroke="${ink}" stroke-opacity="${shape.isZero ? 0.9 : 0.25}"/>`;
    case 'bar':
    case 'missing': {
      const fill = shape.kind === 'bar' ? shape.colour : 'url(#missing)';
      return `<rect x="${number(shape.x)}" y="${number(shape.y)}" width="${number(shape.width)}" height="${number(shape.height)}" fill="${fill}"/>`;
    }
    case 'line': {
      const path = shape.points.map(({ x, y }) => `${number(x)},${number(y)}`).join(' ');
      return `<polyline points="${path}" fill="none" stroke="${shape.colour}" stroke-width="2.5" stroke-linejoin="round" stroke-linecap="round"/>`;
    }
    case 'area': {
      const corners = shape.points.map(({ x, y }) => `${number(x)},${number(y)}`).join(' ');
      return `<polygon points="${corners}" fill="${shape.colour}" fill-opacity="0.25"/>`;
    }
    case 'dot':
      return `<circle cx="${number(shape.x)}" cy="${number(shape.y)}" r="2.5" fill="${shape.colour}"/>`;
    case 'text':
      return `<text x="${number(shape.x)}" y="${number(shape.y)}" font-family="Inter" font-size="${mailChart.label}" font-weight="${shape.isBold ? 600 : 400}" fill="${ink}" text-anchor="${shape.anchor}">${escapeHtml(drawable(shape.text))}</text>`;
    default:
      return shape satisfies never;
  }
};

const hatch = `<defs><pattern id="missing" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6" fill="${ink}" fill-opacity="0.35"/></pattern></defs>`;

/** A chart on a transparent background; days without data are hatched. */
export const chartSvg = (chart: DrawnChart, model: Pick<ReportModel, 'currency' | 'locale'>): string => {
  const { width, height } = mailChart;
  const shapes = chartShapes(chart, model);
  const needed = shapes.some(({ kind }) => kind === 'missing') ? hatch : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${needed}${shapes.map(svgOf).join('')}</svg>`;
};
