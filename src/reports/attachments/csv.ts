import { isDate, usualCsv, type CsvForm } from '../../core/index.ts';
import { labelled, type DataCell, type DataFormat, type DataTable } from './data.ts';

const unlessComma = /(?<=^|[;\t\r\n])(?=[=+\-@'\t\r\n＝＋－＠])/g;
/** In a file with another delimiter, a spreadsheet that splits at commas splits texts, too. */
const anySplit = /(?<=^|[,;\t\r\n])(?=[=+\-@'\t\r\n＝＋－＠])/g;

/**
 * Prefixes a `'` to whatever a spreadsheet might read as a formula, at the start of the text and after characters where
 * some spreadsheets split cells. An existing `'` there gets one too, so that removing one restores the name.
 */
const guarded = (text: string, { delimiter }: CsvForm): string =>
  text.replaceAll(delimiter === ',' ? unlessComma : anySplit, "'");

/** UTF-8 cannot encode half surrogate pairs. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, '\uFFFD');

const quoted = (text: string): string =>
  /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const isDecimal = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

const fieldOf = (cell: DataCell, format: DataFormat, form: CsvForm): string => {
  if (cell === null) return '';
  if (format === 'date' ? isDate(cell) : format === 'moment') return cell;
  return format !== 'text' && format !== 'date' && isDecimal(cell)
    ? cell.replace('.', form.decimal)
    : quoted(guarded(wellFormed(cell), form));
};

const line = (cells: readonly DataCell[], formats: readonly DataFormat[], form: CsvForm): string =>
  `${cells.map((cell, at) => fieldOf(cell, formats[at] ?? 'text', form)).join(form.delimiter)}\r\n`;

/**
 * A table as CSV (RFC 4180): UTF-8 with a byte-order mark for spreadsheets, CRLF, a header of labels. Numbers are exact
 * decimals with a point, unless the form says otherwise; unknown is empty; no row of sums.
 */
export const csvOf = (table: DataTable, form: CsvForm = usualCsv): Buffer => {
  const { columns, rows } = labelled(table);
  const formats = columns.map(({ format }) => format);
  const header = line(
    columns.map(({ label }) => label),
    formats.map(() => 'text'),
    form,
  );
  return Buffer.from(`\uFEFF${header}${rows.map((row) => line(row, formats, form)).join('')}`, 'utf8');
};
