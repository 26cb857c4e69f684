import { formatMoment, jsonText } from '../../core/index.ts';
import type { QueryAnswer } from '../../app/index.ts';
import { noPaint } from '../ui/paint.ts';
import { tableLines } from '../ui/table.ts';
import { oneLine, widthOf } from '../ui/text.ts';

export const queryFormats = ['table', 'csv', 'json', 'parquet'] as const;
export type QueryFormat = (typeof queryFormats)[number];

const isNumber = (type: string): boolean => type === 'decimal' || type === 'integer';

const asTable = ({ columns, rows }: QueryAnswer): string => {
  const texts = rows.map((row) => row.map((cell) => (cell === null ? '–' : oneLine(String(cell)))));
  const widths = columns.map(({ name }, at) =>
    Math.max(name.length, ...texts.map((row) => widthOf(row[at] ?? ''))),
  );
  const right = (text: string, at: number): string =>
    isNumber(columns[at]?.type ?? '') ? text.padStart(widths[at] ?? 0) : text;
  return tableLines(
    columns.map(({ name }, at) => ({ title: right(oneLine(name), at) })),
    texts.map((cells) => ({ cells: cells.map(right) })),
    { paint: noPaint },
  )
    .map((line) => `${line}\n`)
    .join('');
};

/** An object for each row; exact numbers stay text, because a JSON number would be rounded. */
export const recordsOf = ({ columns, rows }: QueryAnswer) =>
  rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])));

/** The rows in the format. */
export const renderQuery = (answer: QueryAnswer, format: QueryFormat): string | Buffer => {
  switch (format) {
    case 'table':
      return asTable(answer);
    case 'json':
      return jsonText(recordsOf(answer));
    case 'csv':
    case 'parquet':
      return Buffer.from(answer.file ?? '', 'base64');
    default:
      return format satisfies never;
  }
};

/** What the figures are based on, in one line. */
export const basisOf = ({ rows, period, currency, through }: QueryAnswer, zone: string): string =>
  [
    `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`,
    period,
    ...(currency === undefined ? [] : [`amounts in ${currency}`]),
    through === undefined ? 'no data yet' : `data through ${formatMoment(through, zone)}`,
  ].join('; ');
