import type { CellObject, SheetData } from 'write-excel-file/node';
import { isDate } from '../../core/index.ts';
import { widthOf as textWidth } from '../render/text-width.ts';
import {
  labelled,
  type DataCell,
  type DataColumn,
  type DataFormat,
  type DataTable,
  type ReportData,
} from './data.ts';
import { moneyFormat, numberFormat, ratioFormat, spreadsheetNumber } from './xlsx-number.ts';
import { cellText, sheetNames } from './xlsx-text.ts';

/** The workbook's facts about the whole report. */
export type WorkbookAbout = {
  readonly title: string;
  readonly account: string;
  readonly period: string;
  readonly currency: string;
  readonly headline: { readonly compared: string; readonly cause: string | undefined };
  readonly footer: readonly string[];
};

/** Maximum rows of a sheet. */
const maxRows = 1_048_576;

type Sheet = {
  readonly data: SheetData;
  readonly columns: { width: number }[];
  readonly rowsLeftOut: number;
};

const bold = { fontWeight: 'bold' } as const;
const above = { ...bold, topBorderStyle: 'thin' } as const;
const below = { ...bold, bottomBorderStyle: 'thin' } as const;

/** Typed and formatted as text: it stays text even when a user edits it. */
const textCell = (text: string, style: Partial<CellObject> = {}): CellObject => ({
  value: cellText(text),
  type: String,
  format: '@',
  ...style,
});

/** Spreadsheets count days from 1900, and differ before 1 March of that year. */
const dayOf = (text: string): Date | undefined =>
  isDate(text) && text >= '1900-03-01' ? new Date(`${text}T00:00:00Z`) : undefined;

const isNumber = (format: DataFormat): boolean =>
  format === 'money' || format === 'number' || format === 'ratio';

const formatOf = (format: DataFormat, decimal: string, currency: string): string => {
  if (format === 'ratio') return ratioFormat;
  return format === 'money' ? moneyFormat(currency, decimal) : numberFormat(decimal);
};

const cellOf = (
  cell: DataCell,
  format: DataFormat,
  currency: string,
  style: Partial<CellObject> = {},
): CellObject | null => {
  if (cell === null) return style === above ? { value: '', type: String, ...style } : null;
  if (isNumber(format)) {
    const { value } = spreadsheetNumber(cell);
    return { value, type: Number, format: formatOf(format, cell, currency), align: 'right', ...style };
  }
  if (format === 'moment')
    return { value: new Date(cell), type: Date, format: 'yyyy-mm-dd hh:mm', align: 'left', ...style };
  const day = format === 'date' ? dayOf(cell) : undefined;
  return day === undefined
    ? textCell(cell, style)
    : { value: day, type: Date, format: 'yyyy-mm-dd', align: 'left', ...style };
};

type SheetColumn = { readonly from: number; readonly column: DataColumn; readonly exactText: boolean };

/**
 * A column with numbers that a spreadsheet cannot represent exactly gets a second one with the exact decimals as text.
 */
const sheetColumns = ({ columns, rows, total }: DataTable): readonly SheetColumn[] =>
  columns.flatMap((column, from): readonly SheetColumn[] => {
    const plain = { from, column, exactText: false };
    if (column.format !== 'money' && column.format !== 'number') return [plain];
    const isExact = [...rows, ...(total === undefined ? [] : [total])].every((row) => {
      const cell = row[from] ?? null;
      return cell === null || spreadsheetNumber(cell).exact;
    });
    return isExact ? [plain] : [plain, { ...plain, exactText: true }];
  });

const widthOf = (texts: readonly string[]): { width: number } => ({
  width: Math.min(60, Math.max(10, ...texts.map((text) => textWidth(text.slice(0, 60)) + 2))),
});

/** Rows that determine a column's width. */
const measured = 100;

const sheetOf = (table: DataTable, currency: string, totalLabel: string): Sheet => {
  const columns = sheetColumns(table);
  const room = maxRows - 1 - (table.total === undefined ? 0 : 1);
  const shown = table.rows.length > room ? table.rows.slice(0, room) : table.rows;
  const rowOf = (row: readonly DataCell[], style?: Partial<CellObject>) =>
    columns.map(({ from, column, exactText }) => {
      const cell = row[from] ?? null;
      return cellOf(cell, exactText ? 'text' : column.format, currency, style);
    });
  const header = columns.map(({ column, exactText }) =>
    textCell(exactText ? `${column.label} (exact)` : column.label, {
      ...below,
      align: isNumber(column.format) && !exactText ? 'right' : 'left',
    }),
  );
  const firstText = columns.findIndex(({ column }) => !isNumber(column.format));
  const total =
    table.total === undefined
      ? []
      : [
          rowOf(table.total, above).map((cell, at) =>
            at === firstText ? textCell(totalLabel, above) : cell,
          ),
        ];
  return {
    data: [header, ...shown.map((row) => rowOf(row)), ...total],
    columns: columns.map(({ from, column }) =>
      widthOf([column.label, ...shown.slice(0, measured).map((row) => row[from] ?? '')]),
    ),
    rowsLeftOut: table.rows.length - shown.length,
  };
};

const figureFormat = (unit: DataCell, currency: string): DataFormat => {
  if (unit === 'ratio') return 'ratio';
  return unit === currency ? 'money' : 'number';
};

const summaryOf = (about: WorkbookAbout, figures: DataTable, leftOut: readonly string[]): Sheet => {
  const { title, account, period, currency, headline, footer } = about;
  const lines = (texts: readonly (string | undefined)[]): SheetData =>
    texts.flatMap((text) => (text === undefined ? [] : [[textCell(text)]]));
  const rows = figures.rows.map(([figure = null, value = null, unit = null, change = null, shown = null]) => [
    cellOf(figure, 'text', currency),
    value === null ? cellOf(shown, 'text', currency) : cellOf(value, figureFormat(unit, currency), currency),
    cellOf(unit, 'text', currency),
    cellOf(change, 'ratio', currency),
    value === null || spreadsheetNumber(value).exact ? null : textCell(value),
  ]);
  const hasExact = rows.some((row) => row[4] !== null);
  const headers = [
    ...figures.columns
      .slice(0, 4)
      .map(({ label, format }) => textCell(label, { ...below, align: isNumber(format) ? 'right' : 'left' })),
    ...(hasExact ? [textCell('Value (exact)', below)] : []),
  ];
  return {
    data: [
      [textCell(title, { ...bold, fontSize: 14 })],
      ...lines([account, period, headline.compared, headline.cause]),
      [null],
      headers,
      ...rows,
      [null],
      ...lines([...leftOut, ...footer]),
    ],
    columns: [
      widthOf(figures.rows.map(([figure]) => figure ?? '')),
      { width: 20 },
      { width: 10 },
      { width: 10 },
      { width: 32 },
    ],
    rowsLeftOut: 0,
  };
};

/**
 * A workbook: a summary, then one sheet per table with typed columns, a frozen header and, if the report shows one, a
 * last row of sums. Numbers are the nearest that spreadsheets represent; if digits are lost, an extra column contains
 * the exact text. Texts are typed as texts, so that none becomes a formula. @throws Fault `report-invalid` for anything
 * but a finite number
 */
export const xlsxOf = async (data: ReportData, about: WorkbookAbout, totalLabel: string): Promise<Buffer> => {
  const sheets = data.tables.map((table) => sheetOf(labelled(table), about.currency, totalLabel));
  const leftOut = data.tables.flatMap(({ title }, at) => {
    const rows = sheets[at]?.rowsLeftOut ?? 0;
    return rows === 0
      ? []
      : [`${title}: ${rows} rows are left out, more than a sheet can hold; the CSV has all.`];
  });
  const summary = summaryOf(about, data.figures, leftOut);
  const [first = '', ...names] = sheetNames(['Summary', ...data.tables.map(({ title }) => title)]);
  const { default: writeXlsxFile } = await import('write-excel-file/node');
  return writeXlsxFile([
    { sheet: first, data: summary.data, columns: summary.columns },
    ...sheets.map(({ data: rows, columns }, at) => ({
      sheet: names[at] ?? '',
      data: rows,
      columns,
      stickyRowsCount: 1,
    })),
  ]).toBuffer();
};
