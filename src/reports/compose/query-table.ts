import { divideMoney, fault, money, multiplyMoney, sumMoney, zero, type Money } from '../../core/index.ts';
import type { Quotient } from '../definition/section-shapes.ts';
import type { Cell, ResultTable } from '../definition/port.ts';

export type Row = readonly Cell[];

/** The result of a report's SQL, read by column names. Errors name the file. */
export type QueryTable = {
  readonly rows: readonly Row[];
  /** An exact figure; null if the SQL returned null. */
  readonly figure: (row: Row, column: string) => Money | null;
  readonly text: (row: Row, column: string) => string;
  readonly cell: (row: Row, column: string) => Cell;
  /** Reads the cells of one column, which is looked up once. */
  readonly column: (name: string) => (row: Row) => Cell;
  /** A row with the exact sums of the known figures in these rows; other columns are null. */
  readonly sum: (rows: readonly Row[]) => Row;
  /** The first row. @throws Fault when there is not exactly one. */
  readonly only: () => Row;
  readonly isFigure: (column: string) => boolean;
  readonly has: (column: string) => boolean;
};

const sumOf = (cells: readonly (Cell | undefined)[]): Money | null => {
  const known = cells.filter((cell) => typeof cell === 'string').map(money);
  return known.length === 0 ? null : sumMoney(known);
};

/** @throws Fault `report-invalid` when required columns are missing or contain no figures. */
export const queryTable = (file: string, table: ResultTable): QueryTable => {
  const index = new Map(table.columns.map((column, at) => [column.name, at]));
  const additive = table.columns.map(({ type }) => type === 'decimal' || type === 'integer');
  const at = (column: string): number => {
    const found = index.get(column);
    if (found === undefined)
      throw fault(
        'report-invalid',
        `${file} gives no column "${column}"; it gives ${[...index.keys()].join(', ') || 'none'}`,
      );
    return found;
  };
  const cell = (row: Row, column: string): Cell => row[at(column)] ?? null;
  return {
    rows: table.rows,
    cell,
    column: (name) => {
      const found = at(name);
      return (row) => row[found] ?? null;
    },
    text: (row, column) => {
      const value = cell(row, column);
      return value === null ? '' : String(value);
    },
    figure: (row, column) => {
      const value = cell(row, column);
      if (additive[at(column)] !== true)
        throw fault(
          'report-invalid',
          `column "${column}" of ${file} holds no exact numbers; cast it to DECIMAL or a whole number (\`/\` and avg give floats)`,
        );
      return value === null ? null : money(String(value));
    },
    sum: (rows) =>
      additive.map((adds, column) => {
        if (!adds) return null;
        const cells = rows.map((row) => row[column]);
        const total = rows.length === 0 ? zero : sumOf(cells);
        // A sum of zeros and something unknown is unknown.
        return total === zero && cells.includes(null) ? null : total;
      }),
    only: () => {
      const [row] = table.rows;
      if (row === undefined || table.rows.length > 1)
        throw fault('report-invalid', `${file} must give exactly one row; it gave ${table.rows.length}`);
      return row;
    },
    isFigure: (column) => additive[at(column)] === true,
    has: (column) => index.has(column),
  };
};

/** A figure and the one that it is compared with; undefined when either is unknown. */
export const comparedOf = (
  table: QueryTable,
  row: Row,
  column: string,
): { readonly now: Money; readonly before: Money } | undefined => {
  const now = table.figure(row, column);
  const before = table.figure(row, `${column}_before`);
  return now === null || before === null ? undefined : { now, before };
};

/** Far beyond every shown decimal, so that shown parts add up to the shown total. */
const averagePlaces = 30;

/** The result with the sums in columns *_before divided by the number of days. */
export const averaged = (table: ResultTable, days: number): ResultTable => {
  if (days <= 1) return table;
  const isBefore = table.columns.map(
    ({ name, type }) => name.endsWith('_before') && (type === 'decimal' || type === 'integer'),
  );
  return {
    columns: table.columns.map((column, at) =>
      isBefore[at] === true ? { ...column, type: 'decimal' as const } : column,
    ),
    rows: table.rows.map((row) =>
      row.map((cell, at) =>
        isBefore[at] === true && cell !== null
          ? (divideMoney(money(String(cell)), money(String(days)), averagePlaces) ?? null)
          : cell,
      ),
    ),
  };
};

/** `of × times ÷ by` to 18 decimals; unknown when `by` is zero. With a suffix, uses the columns of the comparison. */
export const quotientOf = (
  table: QueryTable,
  row: Row,
  { of, by, times }: Quotient,
  suffix: '' | '_before' = '',
): Money | null => {
  const dividend = table.figure(row, of + suffix);
  const divisor = table.figure(row, by + suffix);
  if (dividend === null || divisor === null) return null;
  return divideMoney(multiplyMoney(dividend, money(String(times))), divisor, 18) ?? null;
};
