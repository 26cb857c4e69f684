import { chartShapes } from '../charts/chart-shapes.ts';
import type { ChartShape, ChartSize } from '../charts/chart-shape.ts';
import type { ChartModel, ReportModel } from '../compose/model.ts';
import { contentWidth, type PdfFile } from './pdf-page.ts';
import type { PdfText } from './pdf-text.ts';

const ink = '#6b717c';

/** On a page, in points. */
export const paperChart: ChartSize = { width: contentWidth, height: 150, label: 8.5 };

/** Diagonal lines in a box. */
const hatch = (
  document: PdfFile,
  { x, y, width, height }: Extract<ChartShape, { kind: 'missing' }>,
): void => {
  document.save().rect(x, y, width, height).clip();
  for (let at = x - height; at < x + width; at += 5) document.moveTo(at, y + height).lineTo(at + height, y);
  document.lineWidth(1.4).strokeOpacity(0.35).stroke(ink).restore();
};

const drawShape = (document: PdfFile, text: PdfText, shape: ChartShape): void => {
  switch (shape.kind) {
    case 'grid':
      document
        .save()
        .moveTo(shape.from, shape.y)
        .lineTo(shape.to, shape.y)
        .lineWidth(1)
        .strokeOpacity(shape.isZero ? 0.9 : 0.25)
        .stroke(ink)
        .restore();
      return;
    case 'bar':
      document.rect(shape.x, shape.y, shape.width, shape.height).fill(shape.colour);
      return;
    case 'missing':
      hatch(document, shape);
      return;
    case 'line': {
      const [first, ...others] = shape.points;
      if (first === undefined) return;
      document.save().moveTo(first.x, first.y);
      for (const { x, y } of others) document.lineTo(x, y);
      document.lineWidth(2.5).lineJoin('round').lineCap('round').stroke(shape.colour).restore();
      return;
    }
    case 'area':
      document
        .save()
        .polygon(...shape.points.map(({ x, y }): [number, number] => [x, y]))
        .fillOpacity(0.25)
        .fill(shape.colour)
        .restore();
      return;
    case 'dot':
      document.circle(shape.x, shape.y, 2.5).fill(shape.colour);
      return;
    case 'text': {
      const align = ({ start: 'left', middle: 'middle', end: 'right' } as const)[shape.anchor];
      const { label: size } = paperChart;
      // `y` is that of the baseline.
      text.draw(shape.text, shape.x, shape.y - size * 0.95, {
        size,
        colour: ink,
        align,
        isBold: shape.isBold,
      });
      return;
    }
    default:
      shape satisfies never;
  }
};

/** Draws a chart whose upper left corner is at the point, as vectors. */
export const drawChart = (
  document: PdfFile,
  text: PdfText,
  chart: ChartModel,
  model: ReportModel,
  { x, y }: { readonly x: number; readonly y: number },
): void => {
  document.save().translate(x, y);
  for (const shape of chartShapes(chart, model, paperChart)) drawShape(document, text, shape);
  document.restore();
};
