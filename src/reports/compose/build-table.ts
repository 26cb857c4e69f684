import { compareMoney, moneyAsShare, subtractMoney, zero, type Money } from '../../core/index.ts';
import type { Context } from './context.ts';
import { compare } from './change.ts';
import { comparedOf, quotientOf, type QueryTable, type Row } from './query-table.ts';
import { show } from './show-value.ts';
import type { ColumnShape, TableShape } from '../definition/section-shapes.ts';
import { formatDifference, formatPercent } from '../../messages/index.ts';
import type { CellModel, ColumnModel, DataState, RowModel, TableModel } from './model.ts';
import { showName } from './names.ts';
import { otherColour } from './palette.ts';
import { divideRows, hasFigures } from './table-rows.ts';
import { sharesOf } from './apportion.ts';

type Entry = {
  readonly role: RowModel['role'] | 'apart';
  readonly row: Row;
  readonly state: DataState;
  readonly name: string | undefined;
};

const roleOf = (column: ColumnShape): ColumnModel['role'] => {
  if (column.share_of !== undefined) return 'share';
  if (column.change_of !== undefined) return 'change';
  if (column.bar_of !== undefined) return 'bar';
  if (column.only_in_report) return 'trend';
  return column.format === 'text' || column.format === 'date' ? 'name' : 'figure';
};

export const stateOf = (shape: TableShape, table: QueryTable, row: Row, context: Context): DataState => {
  if (shape.day === undefined) return 'complete';
  const date = table.text(row, shape.day).slice(0, 10);
  const day = context.period.days.find((candidate) => candidate.date === date);
  const state = day === undefined ? 'complete' : context.covers(day);
  // Existing figures are shown, whatever the watermark.
  return state === 'missing' && hasFigures(shape, table, row) ? 'partial' : state;
};

const blank: CellModel = { exact: null, text: '' };

/** Values whose sums have no meaning. */
const addless: ReadonlySet<string> = new Set(['moment', 'duration', 'rate', 'percent']);

/** Shares of all shown rows except the row of sums, in the order of the entries. */
const sharesByEntry = (
  column: string,
  entries: readonly Entry[],
  table: QueryTable,
): ReadonlyMap<Entry, Money> => {
  const parts = entries.filter(({ role }) => role !== 'total');
  const shares = sharesOf(parts.map(({ row }) => table.figure(row, column) ?? zero));
  return new Map(
    parts.flatMap((entry, at) => (shares?.[at] === undefined ? [] : [[entry, shares[at]] as const])),
  );
};

const cellMaker = (
  column: ColumnShape,
  entries: readonly Entry[],
  table: QueryTable,
  context: Context,
): ((entry: Entry) => CellModel) => {
  const { name, share_of: shareOf, change_of: changeOf, difference_of: differenceOf } = column;
  const { bar_of: barOf, quotient, format = 'text' } = column;
  if (shareOf !== undefined) {
    const shares = sharesByEntry(shareOf, entries, table);
    return (entry) => {
      const share = shares.get(entry);
      if (share === undefined) return entry.role === 'total' ? blank : { exact: null, text: '–' };
      return { exact: share, text: formatPercent(share, context.locale) };
    };
  }
  if (changeOf !== undefined)
    return ({ row }) => {
      const before = () => table.figure(row, `${changeOf}_before`);
      const change = compare(table.figure(row, changeOf), before, column.good, context);
      return { exact: change.ratio, text: change.text, change };
    };
  if (differenceOf !== undefined)
    return ({ row }) => {
      const compared = comparedOf(table, row, differenceOf);
      if (compared === undefined) return { exact: null, text: '–' };
      const exact = subtractMoney(compared.now, compared.before);
      return { exact, text: formatDifference(exact, context.currency, context.locale) };
    };
  if (barOf !== undefined) {
    const values = entries
      .filter(({ role }) => role === 'row')
      .map(({ row }) => table.figure(row, barOf) ?? zero);
    const longest = values.reduce((most, value) => (compareMoney(value, most) > 0 ? value : most), zero);
    return ({ row, role }) =>
      role === 'row'
        ? { ...blank, length: Math.max(0, moneyAsShare(table.figure(row, barOf) ?? zero, longest)) }
        : blank;
  }
  if (quotient !== undefined) return ({ row }) => show(quotientOf(table, row, quotient), format, context);
  if (name === undefined) return () => blank;
  const named = new Map(Object.entries(column.names ?? {}));
  if (format === 'text' || format === 'date')
    return ({ row, role, state, name: given }) => {
      if (role !== 'row') return { exact: null, text: given ?? '' };
      // A day without data has no value to name.
      if (state === 'missing' && column.names !== undefined) return { exact: null, text: '–' };
      const raw = table.text(row, name);
      const shown =
        format === 'date' ? context.locale.shortDay(raw.slice(0, 10)) : (named.get(raw) ?? showName(raw));
      const { unnamed, incomplete } = context.locale.messages;
      const text = shown === '' ? (column.empty ?? unnamed) : shown;
      // The mark belongs to the cell with the date, not to a cell with a named value.
      const isMarked = state === 'partial' && column.names === undefined;
      return { exact: null, text: isMarked ? `${text} (${incomplete})` : text };
    };
  return ({ row, role }) => {
    if (role !== 'row' && (addless.has(format) || !table.isFigure(name))) return blank;
    const value = table.figure(row, name);
    if (value === null && role === 'row' && column.empty !== undefined)
      return { exact: null, text: column.empty };
    return show(value, format, context);
  };
};

/** Marks missing data in the first figure of the row. */
const withoutData = (row: RowModel, columns: readonly ColumnModel[], noData: string): RowModel => {
  const first = columns.findIndex(({ role }) => role === 'figure');
  return {
    ...row,
    cells: row.cells.map((cell, at) => {
      if (columns[at]?.role === 'name') return cell;
      return { exact: null, text: at === first ? noData : '' };
    }),
  };
};

/**
 * Rows up to the limit, then one that aggregates the rest, then the total; sums are exact, derived columns are computed
 * from them.
 */
export const buildTable = (
  given: TableShape,
  context: Context,
  colours: ReadonlyMap<string, string>,
  scale: number,
): TableModel => {
  // Without a comparison, the column would contain only dashes.
  const table = context.table(given.sql);
  const isKnown = ({ name, quotient }: ColumnShape): boolean =>
    table.rows.some((row) =>
      quotient === undefined
        ? name === undefined || table.cell(row, name) !== null
        : quotientOf(table, row, quotient) !== null,
    );
  const isTold = (column: ColumnShape): boolean =>
    !column.only_in_files &&
    (context.comparable || (column.change_of ?? column.difference_of) === undefined) &&
    (!column.optional || isKnown(column));
  const shape: TableShape = { ...given, columns: given.columns.filter(isTold) };
  const limit = Math.max(1, Math.floor(shape.limit * scale));
  const { shown, rest, apart } = divideRows(shape, table, limit, {
    isWhole: scale === 1,
    named: context.named,
  });
  const { messages } = context.locale;
  const otherName =
    shape.other?.replaceAll('{count}', String(rest.length)) ?? messages.otherRows(rest.length);
  const sumEntry = (role: 'other' | 'total', rows: readonly Row[], name: string): Entry => ({
    role,
    row: table.sum(rows),
    state: 'complete',
    name,
  });
  const entries: readonly Entry[] = [
    ...shown.map((row): Entry => ({
      role: 'row',
      row,
      state: stateOf(shape, table, row, context),
      name: undefined,
    })),
    ...(rest.length === 0 ? [] : [sumEntry('other', rest, otherName)]),
    ...apart.map((row): Entry => ({ role: 'apart', row, state: 'complete', name: shape.apart?.label })),
    ...(shape.total ? [sumEntry('total', table.rows, messages.total)] : []),
  ];
  const columns = shape.columns.map((column, at): ColumnModel => {
    const role = roleOf(column);
    const align = role === 'name' || role === 'bar' || role === 'trend' ? 'left' : 'right';
    return {
      label: column.label,
      role,
      align,
      ...(column.names === undefined || at === 0 ? {} : { isFixed: true }),
      ...(column.wide_only ? { isWideOnly: true } : {}),
    };
  });
  const nameAt = columns.findIndex(({ role }) => role === 'name');
  const makers = shape.columns.map((column) => cellMaker(column, entries, table, context));
  const swatch = shape.columns.find((column) => column.swatch)?.name;
  const colourOf = (entry: Entry): string | undefined => {
    if (swatch === undefined || colours.size === 0 || entry.role === 'total') return undefined;
    return (entry.role === 'row' ? colours.get(table.text(entry.row, swatch)) : undefined) ?? otherColour;
  };
  const rows = entries.map((entry): RowModel => {
    const cells = makers.map((make, at) =>
      entry.role !== 'row' &&
      (columns[at]?.role === 'trend' || (columns[at]?.role === 'name' && at !== nameAt))
        ? blank
        : make(entry),
    );
    const role = entry.role === 'apart' ? 'row' : entry.role;
    const row: RowModel = { role, state: entry.state, colour: colourOf(entry), cells };
    return entry.state === 'missing' ? withoutData(row, columns, messages.noData) : row;
  });
  return { kind: 'table', title: shape.title, columns, rows };
};
