import type { DuckDBResultReader, Json } from '@duckdb/node-api';
import { DuckDBTypeId } from '@duckdb/node-api';
import { money } from '../../core/index.ts';

export type Cell = string | boolean | null;

export type ColumnType = 'decimal' | 'integer' | 'text' | 'date' | 'boolean' | 'other';

/** Every number is exact decimal text; dates are `YYYY-MM-DD`. DOUBLE is `other`: it is not exact. */
export type ResultTable = {
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  readonly rows: readonly (readonly Cell[])[];
};

const types: ReadonlyMap<DuckDBTypeId, ColumnType> = new Map([
  [DuckDBTypeId.DECIMAL, 'decimal'],
  [DuckDBTypeId.TINYINT, 'integer'],
  [DuckDBTypeId.SMALLINT, 'integer'],
  [DuckDBTypeId.INTEGER, 'integer'],
  [DuckDBTypeId.BIGINT, 'integer'],
  [DuckDBTypeId.HUGEINT, 'integer'],
  [DuckDBTypeId.UTINYINT, 'integer'],
  [DuckDBTypeId.USMALLINT, 'integer'],
  [DuckDBTypeId.UINTEGER, 'integer'],
  [DuckDBTypeId.UBIGINT, 'integer'],
  [DuckDBTypeId.UHUGEINT, 'integer'],
  [DuckDBTypeId.VARCHAR, 'text'],
  [DuckDBTypeId.DATE, 'date'],
  [DuckDBTypeId.BOOLEAN, 'boolean'],
]);

export const columnTypeOf = (id: DuckDBTypeId): ColumnType => types.get(id) ?? 'other';

const cell = (value: Json, type: ColumnType): Cell => {
  if (value === null) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'object') return JSON.stringify(value);
  return type === 'decimal' ? money(String(value)) : String(value);
};

export const resultTable = (reader: DuckDBResultReader, rowLimit: number): ResultTable => {
  const columns = reader.columnNames().map((name, index) => ({
    name,
    type: columnTypeOf(reader.columnTypeId(index)),
  }));
  const rows = reader
    .getRowsJson()
    .slice(0, rowLimit)
    .map((row) => row.map((value, index) => cell(value, columns[index]?.type ?? 'other')));
  return { columns, rows };
};
