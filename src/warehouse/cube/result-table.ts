import { money } from '../../core/index.ts';
import { loadDuckDB, type DuckDBResultReader, type DuckDBTypeId, type Json } from '../../storage/index.ts';

export type Cell = string | boolean | null;

export type ColumnType = 'decimal' | 'integer' | 'text' | 'date' | 'boolean' | 'other';

/** Every number is exact decimal text; dates are `YYYY-MM-DD`. DOUBLE is `other`: it is not exact. */
export type ResultTable = {
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  readonly rows: readonly (readonly Cell[])[];
};

const types: ReadonlyMap<keyof typeof DuckDBTypeId, ColumnType> = new Map([
  ['DECIMAL', 'decimal'],
  ['TINYINT', 'integer'],
  ['SMALLINT', 'integer'],
  ['INTEGER', 'integer'],
  ['BIGINT', 'integer'],
  ['HUGEINT', 'integer'],
  ['UTINYINT', 'integer'],
  ['USMALLINT', 'integer'],
  ['UINTEGER', 'integer'],
  ['UBIGINT', 'integer'],
  ['UHUGEINT', 'integer'],
  ['VARCHAR', 'text'],
  ['DATE', 'date'],
  ['BOOLEAN', 'boolean'],
]);

/** The column type for an engine type ID. */
export const columnTypes = (): ((id: DuckDBTypeId) => ColumnType) => {
  const { DuckDBTypeId: ids } = loadDuckDB();
  const byId = new Map([...types].map(([name, type]) => [ids[name], type]));
  return (id) => byId.get(id) ?? 'other';
};

const cell = (value: Json, type: ColumnType): Cell => {
  if (value === null) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'object') return JSON.stringify(value);
  return type === 'decimal' ? money(String(value)) : String(value);
};

export const resultTable = (reader: DuckDBResultReader, rowLimit: number): ResultTable => {
  const typeOf = columnTypes();
  const columns = reader.columnNames().map((name, index) => ({
    name,
    type: typeOf(reader.columnTypeId(index)),
  }));
  const rows = reader
    .getRowsJson()
    .slice(0, rowLimit)
    .map((row) => row.map((value, index) => cell(value, columns[index]?.type ?? 'other')));
  return { columns, rows };
};
