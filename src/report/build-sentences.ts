import type { Context } from './context.ts';
import { fieldsOfSentence } from './definition.ts';
import type { Format, TextShape, WorthALookShape } from './definition.ts';
import type { NotesModel, TextModel } from './model.ts';
import { showName } from './names.ts';
import type { QueryTable, Row } from './query-table.ts';
import { showFigure } from './show-value.ts';

/** What a row says in a column; nothing where it is unknown. */
const said = (
  table: QueryTable,
  row: Row,
  column: string,
  format: Format,
  context: Context,
): string | undefined => {
  const text = table.text(row, column);
  if (format === 'text') {
    const name = showName(text, 60);
    return name === '' ? context.locale.words.unnamed : name;
  }
  if (format === 'date') return text === '' ? undefined : context.locale.shortDay(text.slice(0, 10));
  const value = table.figure(row, column);
  return value === null ? undefined : showFigure(value, format, context);
};

/** The sentence with what the row says; nothing where it names something unknown. */
const filled = (sentence: string, table: QueryTable, row: Row, context: Context): string | undefined => {
  let text = '';
  let from = 0;
  for (const { written, column, format } of fieldsOfSentence(sentence)) {
    const at = sentence.indexOf(written, from);
    const value = said(table, row, column, format as Format, context);
    if (value === undefined) return undefined;
    text += sentence.slice(from, at) + value;
    from = at + written.length;
  }
  return text + sentence.slice(from);
};

/** Nothing where the SQL has no row, or no paragraph has all that it names. */
export const buildText = (shape: TextShape, context: Context): TextModel | undefined => {
  const paragraphs = shape.text
    .trim()
    .split(/\n\s*\n/)
    .map((text) => text.replaceAll(/\s+/g, ' '));
  if (shape.sql === undefined) return { kind: 'text', title: shape.title, paragraphs };
  const table = context.table(shape.sql);
  if (table.rows.length === 0) return undefined;
  const row = table.only();
  const told = paragraphs.flatMap((text) => filled(text, table, row, context) ?? []);
  return told.length === 0 ? undefined : { kind: 'text', title: shape.title, paragraphs: told };
};

/** A note for each row whose kind the report has a sentence for. */
export const buildLooks = (shape: WorthALookShape, context: Context): NotesModel => {
  const table = context.table(shape.sql);
  const notes = table.rows.flatMap((row): NotesModel['notes'] => {
    const item = shape.items.find(({ what }) => what === table.text(row, 'what'));
    const text = item === undefined ? undefined : filled(item.text, table, row, context);
    return text === undefined ? [] : [{ tone: item?.warning === true ? 'warning' : 'look', text }];
  });
  const more = notes.length - shape.limit;
  if (more <= 0) return { kind: 'notes', title: shape.title, notes };
  const words = shape.other?.replaceAll('{count}', String(more)) ?? context.locale.words.moreLooks(more);
  return {
    kind: 'notes',
    title: shape.title,
    notes: [...notes.slice(0, shape.limit), { tone: 'look', text: words }],
  };
};
