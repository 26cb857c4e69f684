import type { Spike } from './build-chart.ts';
import { describeSpike } from './build-notes.ts';
import { quotientOf, type QueryTable, type Row } from './query-table.ts';
import { isWithheld, showFigure } from './show-value.ts';
import type { Context } from './context.ts';
import {
  type TextShape,
  type WorthALookShape,
  fieldsOfSentence,
  type Format,
  type SentenceField,
} from '../definition/section-shapes.ts';
import type { NotesModel, TextModel } from './model.ts';
import { formatTimes } from '../../messages/index.ts';
import { showName } from './names.ts';

const textOf = (text: string, { locale }: Context): string => {
  const name = showName(text, 60);
  return name === '' ? locale.messages.unnamed : name;
};

/** The value of a row in a field; undefined when it is unknown. */
const shown = (
  table: QueryTable,
  row: Row,
  { column, by, format }: SentenceField,
  context: Context,
): string | undefined => {
  const as = format as Format;
  if (as === 'text') return textOf(table.text(row, column), context);
  if (as === 'date') {
    const date = table.text(row, column);
    return date === '' ? undefined : context.locale.shortDay(date.slice(0, 10));
  }
  const value =
    by === undefined ? table.figure(row, column) : quotientOf(table, row, { of: column, by, times: 1 });
  if (value === null || isWithheld(as, context)) return undefined;
  // In a sentence, a quotient says how many times as much something is.
  return by !== undefined && as === 'number'
    ? formatTimes(value, context.locale)
    : showFigure(value, as, context);
};

/** The sentence with the values of the row; undefined when a field is unknown. */
export const fillSentence = (
  sentence: string,
  table: QueryTable,
  row: Row,
  context: Context,
): string | undefined => {
  let text = '';
  let from = 0;
  for (const field of fieldsOfSentence(sentence)) {
    const at = sentence.indexOf(field.written, from);
    const value = shown(table, row, field, context);
    if (value === undefined) return undefined;
    text += sentence.slice(from, at) + value;
    from = at + field.written.length;
  }
  return text + sentence.slice(from);
};

/** Undefined when the SQL returns no row, or every paragraph has an unknown field. */
export const buildText = (shape: TextShape, context: Context): TextModel | undefined => {
  const paragraphs = shape.text
    .trim()
    .split(/\n\s*\n/)
    .map((text) => text.replaceAll(/\s+/g, ' '));
  if (shape.sql === undefined) return { kind: 'text', title: shape.title, paragraphs };
  const table = context.table(shape.sql);
  if (table.rows.length === 0) return undefined;
  const row = table.only();
  const filled = paragraphs.flatMap((text) => fillSentence(text, table, row, context) ?? []);
  return filled.length === 0 ? undefined : { kind: 'text', title: shape.title, paragraphs: filled };
};

/** The names of what the section says, as the SQL returns them. */
export const namesInLooks = ({ sql, items, limit }: WorthALookShape, context: Context): readonly string[] => {
  const table = context.table(sql);
  const columns = ['name', 'key_name'].filter((column) => table.has(column));
  return table.rows
    .filter((row) => items.some(({ what }) => what === table.text(row, 'what')))
    .slice(0, limit)
    .flatMap((row) => columns.map((column) => table.text(row, column)));
};

/** Unusual values of the charts, and a note for each row whose kind has a sentence in the report. */
export const buildLooks = (
  shape: WorthALookShape,
  spike: Spike | undefined,
  context: Context,
): NotesModel => {
  const table = context.table(shape.sql);
  const shown = table.rows.flatMap((row): NotesModel['notes'] => {
    const item = shape.items.find(({ what }) => what === table.text(row, 'what'));
    const text = item === undefined ? undefined : fillSentence(item.text, table, row, context);
    return text === undefined ? [] : [{ tone: item?.warning === true ? 'warning' : 'look', text }];
  });
  const warnings = shown.filter(({ tone }) => tone === 'warning');
  const notes: NotesModel['notes'] = [
    ...warnings,
    ...(spike === undefined ? [] : [{ tone: 'look' as const, text: describeSpike(spike, context) }]),
    ...shown.filter(({ tone }) => tone !== 'warning'),
  ];
  const more = notes.length - shape.limit;
  if (more <= 0) return { kind: 'notes', title: shape.title, notes };
  const message = shape.other?.replaceAll('{count}', String(more)) ?? context.locale.messages.moreLooks(more);
  return {
    kind: 'notes',
    title: shape.title,
    notes: [...notes.slice(0, shape.limit), { tone: 'look', text: message }],
  };
};
