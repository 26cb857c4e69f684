import type { FiguresShape } from './definition.ts';
import type { Context } from './context.ts';
import { compare, quotientOf, show } from './context.ts';
import type { FigureModel, FiguresModel } from './model.ts';

const figureOf = (shape: FiguresShape['figures'][number], file: string, context: Context): FigureModel => {
  const table = context.table(file);
  const row = table.only();
  const { name, quotient } = shape;
  const read = (suffix: '' | '_before') => {
    if (quotient !== undefined) return quotientOf(table, row, quotient, suffix);
    return name === undefined ? null : table.figure(row, name + suffix);
  };
  const isText = name !== undefined && (shape.format === 'text' || shape.format === 'date');
  const value = isText ? { exact: null, text: table.text(row, name) } : show(read(''), shape.format, context);
  return {
    label: shape.label,
    value,
    change:
      shape.change && context.comparable
        ? compare(value.exact, () => read('_before'), shape.good, context)
        : undefined,
  };
};

export const buildFigures = (shape: FiguresShape, context: Context): FiguresModel => ({
  kind: 'figures',
  title: shape.title,
  figures: shape.figures.map((figure) => figureOf(figure, shape.sql, context)),
});
