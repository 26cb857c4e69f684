import { countColumns, type CountColumn } from '../../core/index.ts';
import type { LogColumn } from './log-batch.ts';

/** The bit of a token column in `served_columns`; stored, so the order of `countColumns` must stay. */
const bitOf = (role: CountColumn): number => 2 ** countColumns.indexOf(role);

/** The token columns of an export, as they are stored with its rows. */
export const servedColumns = (columns: readonly LogColumn[]): number =>
  countColumns
    .filter((name) => columns.some(({ role }) => role === name))
    .reduce((sum, role) => sum + bitOf(role), 0);

/** Whether the export that brought a row had the column, given the SQL of the row's served columns. */
export const isServedSql = (role: CountColumn, served: string): string => `(${served} & ${bitOf(role)}) > 0`;

/** Of rows that landed before their columns were stored: a column with a value on a UTC day was served on that day. */
export const servedByDaySql = (relation: string): string => `
  SELECT account, created_at // 86400 AS day,
    bit_or(${countColumns.map((role) => `CASE WHEN ${role} IS NULL THEN 0 ELSE ${bitOf(role)} END`).join(' + ')}) AS served
  FROM ${relation} AS earlier
  WHERE served_columns IS NULL
  GROUP BY ALL`;
