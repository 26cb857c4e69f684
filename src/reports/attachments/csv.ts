import { isDate } from '../../core/index.ts';
import { labelled, type DataCell, type DataFormat, type DataTable } from './data.ts';

/**
 * Prefixes a `'` to whatever a spreadsheet might read as a formula, at the start of the text and after characters where
 * some spreadsheets split cells. An existing `'` there gets one too, so that removing one restores the name.
 */
const guarded = (text: string): string => text.replaceAll(/(?<=^|[;\t\r\n])(?=[=+\-@'\t\r\n＝＋－＠])/g, "'");

/** UTF-8 cannot encode half surrogate pairs. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, '\uFFFD');

const quoted = (text: string): string =>
  /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const isDecimal = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

const fieldOf = (cell: DataCell, format: DataFormat): string => {
  if (cell === null) return '';
  const isPlain =
    format === 'date' ? isDate(cell) : format === 'moment' || (format !== 'text' && isDecimal(cell));
  return isPlain ? cell : quoted(guarded(wellFormed(cell)));
};

const line = (cells: readonly DataCell[], formats: readonly DataFormat[]): string =>
  `${cells.map((cell, at) => fieldOf(cell, formats[at] ?? 'text')).join(',')}\r\n`;

/**
 * A table as CSV (RFC 4180): UTF-8 with a byte-order mark for spreadsheets, CRLF, a header of labels. Numbers are exact
 * decimals with a point; unknown is empty; no row of sums.
 */
export const csvOf = (table: DataTable): Buffer => {
  const { columns, rows } = labelled(table);
  const formats = columns.map(({ format }) => format);
  const header = line(
    columns.map(({ label }) => label),
    formats.map(() => 'text'),
  );
  return Buffer.from(`\uFEFF${header}${rows.map((row) => line(row, formats)).join('')}`, 'utf8');
};
