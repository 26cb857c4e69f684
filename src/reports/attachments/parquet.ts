import { isDate } from '../../core/index.ts';
import type { DataCell, DataColumn, DataTable } from './data.ts';

/** A table in the form that a Parquet engine writes; all values are exact text. */
export type ParquetTable = readonly {
  readonly name: string;
  readonly type: 'text' | 'date' | 'moment' | 'integer' | { readonly scale: number };
  readonly values: readonly DataCell[];
}[];

/** Maximum digits of a decimal type. */
const maxDigits = 38;
/** Digits that fit any 64-bit integer. */
const longDigits = 18;

/** Scales grow in steps, so that the types in files of one report stay the same as long as possible. */
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
 * The columns of a table with their types: amounts and ratios are DECIMAL(38, 12), whole numbers BIGINT, wider if the
 * values need it; values that fit no decimal type stay exact as text.
 */
export const parquetTableOf = ({ columns, rows }: DataTable): ParquetTable =>
  columns.map((column, at) => {
    const values = rows.map((row) => row[at] ?? null);
    return { name: column.name, type: typeOf(column, values), values };
  });
