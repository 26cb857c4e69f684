import { compareMoney, zero } from '../../core/index.ts';
import { fillSentence } from './build-sentences.ts';
import { nameOfFigure, type FiguresShape, type Format } from '../definition/section-shapes.ts';
import type { Context } from './context.ts';
import { compare } from './change.ts';
import { quotientOf } from './query-table.ts';
import { show } from './show-value.ts';
import type { FigureModel, FiguresModel } from './model.ts';
import { showName } from './names.ts';

const textOf = (text: string, format: Format, { locale }: Context): string => {
  if (text === '') return '–';
  return format === 'date' ? locale.shortDay(text.slice(0, 10)) : showName(text, 40);
};

type FigureShape = FiguresShape['figures'][number];

/** The first note whose fields are all known. */
const noteOf = ({ notes }: FigureShape, file: string, context: Context): FigureModel['note'] => {
  const table = context.table(file);
  const row = table.only();
  for (const { text, bad } of notes) {
    const filled = fillSentence(text, table, row, context);
    if (filled === undefined) continue;
    const isBad = bad !== undefined && compareMoney(table.figure(row, bad) ?? zero, zero) > 0;
    return { text: filled, tone: isBad ? 'bad' : 'neutral' };
  }
  return undefined;
};

const figureOf = (shape: FigureShape, file: string, context: Context): FigureModel => {
  const table = context.table(file);
  const row = table.only();
  const { name, quotient } = shape;
  const read = (suffix: '' | '_before') => {
    if (quotient !== undefined) return quotientOf(table, row, quotient, suffix);
    return name === undefined ? null : table.figure(row, name + suffix);
  };
  const isText = name !== undefined && (shape.format === 'text' || shape.format === 'date');
  const value = isText
    ? { exact: null, text: textOf(table.text(row, name), shape.format, context) }
    : show(read(''), shape.format, context);
  const note = noteOf(shape, file, context);
  const bound = shape.lower_bound === undefined ? null : table.figure(row, shape.lower_bound);
  return {
    name: nameOfFigure(shape),
    label: shape.label,
    format: shape.format,
    value,
    change:
      shape.change && context.comparable
        ? compare(value.exact, () => read('_before'), shape.good, context)
        : undefined,
    note,
    ...(bound === null ? {} : { isLowerBound: true as const }),
  };
};

export const buildFigures = (shape: FiguresShape, context: Context): FiguresModel => ({
  kind: 'figures',
  title: shape.title,
  figures: shape.figures
    .map((figure) => ({ figure, model: figureOf(figure, shape.sql, context) }))
    .filter(({ figure, model: { value } }) => !figure.optional || value.exact !== null || value.text !== '–')
    .map(({ model }) => model),
});
