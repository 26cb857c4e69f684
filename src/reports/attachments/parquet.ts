import { isDate } from '../../core/index.ts';
import type { DataCell, DataColumn, DataTable } from './data.ts';

/** What a table is written as by an engine that knows Parquet; all values are exact text. */
export type ParquetTable = readonly {
  readonly name: string;
  readonly type: 'text' | 'date' | 'moment' | 'integer' | { readonly scale: number };
  readonly values: readonly DataCell[];
}[];

/** Digits of a decimal type in all. */
const maxDigits = 38;
/** Digits that every 64-bit integer has room for. */
const longDigits = 18;

/** Places are taken by steps, so that files of one report have the same types as long as they can. */
const scales = [0, 12, 18, 24, 38];

const typeOf = ({ format }: DataColumn, values: readonly DataCell[]): ParquetTable[number]['type'] => {
  const known = values.filter((value) => value !== null);
  if (format === 'text' || format === 'moment') return format;
  if (format === 'date') return known.every(isDate) ? 'date' : 'text';
  if (!known.every((value) => /^-?\d+(\.\d+)?$/.test(value))) return 'text';
  let whole = 0;
  let decimals = 0;
  for (const value of known) {
    const [digits = '', fraction = ''] = value.replace('-', '').split('.');
    whole = Math.max(whole, digits.length);
    decimals = Math.max(decimals, fraction.length);
  }
  const least = format === 'number' ? 0 : 12;
  const scale = scales.find((step) => step >= Math.max(least, decimals));
  if (scale === undefined || whole + scale > maxDigits) return 'text';
  return scale === 0 && whole <= longDigits ? 'integer' : { scale };
};

/**
 * The columns of a table with their types: amounts and ratios are DECIMAL(38, 12), whole numbers BIGINT, and wider where the
 * values need it; what no decimal type can hold stays exact as text.
 */
export const parquetTableOf = ({ columns, rows }: DataTable): ParquetTable =>
  columns.map((column, at) => {
    const values = rows.map((row) => row[at] ?? null);
    return { name: column.name, type: typeOf(column, values), values };
  });
