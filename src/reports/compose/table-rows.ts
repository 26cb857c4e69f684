import { absoluteMoney, compareMoney, subtractMoney, sumMoney, zero, type Money } from '../../core/index.ts';
import type { ColumnShape, TableShape } from '../definition/section-shapes.ts';
import { comparedOf, type QueryTable, type Row } from './query-table.ts';

/** The parts of a table's rows; together they are all rows of its query. */
type DividedRows = {
  readonly shown: readonly Row[];
  /** Aggregated in one row. */
  readonly rest: readonly Row[];
  /** Shown under the label of `apart`. */
  readonly apart: readonly Row[];
};

/** The column whose values are parts of a whole: a negative sum of a few of them is misleading. */
const partOf = (columns: readonly ColumnShape[]): string | undefined =>
  columns.find(({ share_of: shareOf }) => shareOf !== undefined)?.share_of;

/** The most negative rows, until the sum of the others is not negative. */
const deductions = (rows: readonly Row[], valueOf: (row: Row) => Money): ReadonlySet<Row> => {
  const taken = new Set<Row>();
  const negative = rows
    .map((row) => ({ row, value: valueOf(row) }))
    .filter(({ value }) => compareMoney(value, zero) < 0)
    .toSorted((left, right) => compareMoney(left.value, right.value));
  let left = sumMoney(rows.map(valueOf));
  for (const { row, value } of negative) {
    if (compareMoney(left, zero) >= 0) break;
    taken.add(row);
    left = subtractMoney(left, value);
  }
  return taken;
};

/** Whether any figure of the row is known and not zero. */
export const hasFigures = (shape: TableShape, table: QueryTable, row: Row): boolean => {
  const figure = (column: string): Money => table.figure(row, column) ?? zero;
  return shape.columns.some(({ name, difference_of: differenceOf }) => {
    if (differenceOf !== undefined) return figure(differenceOf) !== figure(`${differenceOf}_before`);
    return name !== undefined && table.isFigure(name) && compareMoney(figure(name), zero) !== 0;
  });
};

/** The rows in the order of the query, or the one that changed most first. */
const sorted = ({ by_change_of: column }: TableShape, table: QueryTable): readonly Row[] => {
  if (column === undefined) return table.rows;
  const sizes = new Map(
    table.rows.map((row) => {
      const { now, before } = comparedOf(table, row, column) ?? { now: zero, before: zero };
      return [row, absoluteMoney(subtractMoney(now, before))];
    }),
  );
  return table.rows.toSorted((left, right) =>
    compareMoney(sizes.get(right) ?? zero, sizes.get(left) ?? zero),
  );
};

/** Rows up to the limit and those that a sentence names, the rest, and separate rows that have figures. */
export const divideRows = (
  shape: TableShape,
  table: QueryTable,
  limit: number,
  { isWhole, named }: { readonly isWhole: boolean; readonly named: ReadonlySet<string> },
): DividedRows => {
  const when = shape.apart?.when;
  const isApart = (row: Row): boolean => when !== undefined && table.cell(row, when) === true;
  const rows = sorted(shape, table).filter((row) => !isApart(row));
  const apart = table.rows.filter((row) => isApart(row) && hasFigures(shape, table, row));
  const name = shape.columns.find(({ format }) => format === 'text')?.name;
  const isNamed = (row: Row): boolean =>
    name !== undefined && named.has(table.text(row, name)) && hasFigures(shape, table, row);
  const unnamed = rows.slice(limit).filter((row) => !isNamed(row));
  // A single remaining row is shown itself: a sum of one contains less in the same space.
  const rest = unnamed.length === 1 && isWhole ? [] : unnamed;
  const part = partOf(shape.columns);
  const deducted =
    part === undefined ? new Set<Row>() : deductions(rest, (row) => table.figure(row, part) ?? zero);
  const folded = new Set(rest.filter((row) => !deducted.has(row)));
  return { shown: rows.filter((row) => !folded.has(row)), rest: [...folded], apart };
};
