import type {
  DuckDBConnection,
  DuckDBMaterializedResult,
  DuckDBResultReader,
  DuckDBType,
  DuckDBTypeId,
  DuckDBValue,
  Json,
} from '@duckdb/node-api';
import type { Bindings, Bound, BoundColumns, BoundRow, Row, RowChunk, RowSource } from '../sql.ts';
import { loadDuckDB } from './duckdb.ts';

/** The statements of an SQL text, which are not run. `only` is undefined unless there is exactly one statement. */
type Described = {
  readonly statements: number;
  readonly only:
    | {
        readonly isSelect: boolean;
        readonly columns: readonly { readonly name: string; readonly type: DuckDBTypeId }[];
      }
    | undefined;
};

/** A connection to DuckDB, with what only this engine can do. */
export type Connection = RowSource & {
  /** Adds the rows that a connection to the same engine streams to a table. Returns their number. */
  readonly append: (table: string, chunks: AsyncIterable<RowChunk>) => Promise<number>;
  /** Runs a statement and reads at least `rows` of its rows, if it returns that many. */
  readonly readSome: (sql: string, rows: number) => Promise<DuckDBResultReader>;
  /** @throws the engine's error where the statement cannot be planned */
  readonly describe: (sql: string) => Promise<Described>;
  /** The tables that the statements of a text name. */
  readonly tablesIn: (sql: string) => readonly string[];
  readonly close: () => void;
  /** For use by the modules of this folder only. */
  readonly native: DuckDBConnection;
};

const bound = (bindings: Bindings): [Record<string, DuckDBValue>, Record<string, DuckDBType>] => {
  const { BIGINT, BOOLEAN, LIST, SQLNULL, VARCHAR, listValue } = loadDuckDB();
  const typeOf = (value: Bound): DuckDBType => {
    if (value === null) return SQLNULL;
    if (typeof value === 'number') return BIGINT;
    if (typeof value === 'boolean') return BOOLEAN;
    return typeof value === 'string' ? VARCHAR : LIST(VARCHAR);
  };
  const valueOf = (value: Bound): DuckDBValue => {
    if (typeof value === 'number') return BigInt(value);
    return value === null || typeof value === 'string' || typeof value === 'boolean'
      ? value
      : listValue([...value]);
  };
  const entries = Object.entries(bindings);
  return [
    Object.fromEntries(entries.map(([name, value]) => [name, valueOf(value)])),
    Object.fromEntries(entries.map(([name, value]) => [name, typeOf(value)])),
  ];
};

const cellOf = (value: Json | undefined): Row[string] => {
  if (typeof value === 'number') return String(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null);
};

/**
 * A text that is cut in the middle of a character ends with half a surrogate pair, which the engine rejects in JSON.
 */
const wellFormed = (value: string | number | null | undefined): string | number | null =>
  typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\uFFFD') : (value ?? null);

/** Each column is bound as one JSON text, four times faster than a list. */
const table = <C extends BoundColumns>(
  columns: C,
  rows: readonly BoundRow<C>[],
): { readonly sql: string; readonly bindings: Bindings } => {
  const cells = Object.entries(columns).map(
    ([name, type]) => `unnest(from_json($${name}, '["${type}"]')) AS ${name}`,
  );
  return {
    sql: `(SELECT ${cells.join(', ')})`,
    bindings: Object.fromEntries(
      Object.keys(columns).map((name) => [name, JSON.stringify(rows.map((row) => wellFormed(row[name])))]),
    ),
  };
};

export const connectionOf = (native: DuckDBConnection): Connection => {
  /**
   * With values, `native.run` would parse the statement twice. A prepared statement is not reused: DuckDB plans it with the value
   * ranges that a table has when it is prepared, and would miss rows that are added later.
   */
  const run = async (sql: string, bindings: Bindings | undefined): Promise<DuckDBMaterializedResult> => {
    if (bindings === undefined) return native.run(sql);
    const [values, types] = bound(bindings);
    const statement = await native.prepare(sql);
    try {
      statement.bind(values, types);
      return await statement.run();
    } finally {
      statement.destroySync();
    }
  };
  return {
    native,
    table,
    execute: (sql, bindings) => run(sql, bindings).then(({ rowsChanged }) => rowsChanged),
    rows: async (sql, bindings) => {
      const result = await run(sql, bindings);
      const { JsonDuckDBValueConverter } = loadDuckDB();
      const names = result.deduplicatedColumnNames();
      const rows: Row[] = [];
      for (let chunk = 0; chunk < result.chunkCount; chunk += 1)
        for (const cells of result.getChunk(chunk).convertRows(JsonDuckDBValueConverter)) {
          // A loop: budgets read a hundred thousand rows.
          const row: Record<string, Row[string]> = {};
          for (const [column, name] of names.entries()) row[name] = cellOf(cells[column]);
          rows.push(row);
        }
      return rows;
    },
    stream: async function* (sql, bindings = {}) {
      const result = await native.stream(sql, ...bound(bindings));
      for (
        let chunk = await result.fetchChunk();
        chunk !== null && chunk.rowCount > 0;
        chunk = await result.fetchChunk()
      )
        yield chunk;
    },
    append: async (into, chunks) => {
      const { DuckDBDataChunk } = loadDuckDB();
      const appender = await native.createAppender(into);
      let rows = 0;
      for await (const chunk of chunks) {
        if (!(chunk instanceof DuckDBDataChunk)) throw new TypeError('rows of another engine');
        appender.appendDataChunk(chunk);
        rows += chunk.rowCount;
      }
      appender.closeSync();
      return rows;
    },
    readSome: (sql, rows) => native.streamAndReadUntil(sql, rows),
    describe: async (sql) => {
      const { StatementType } = loadDuckDB();
      const statements = await native.extractStatements(sql);
      if (statements.count !== 1) return { statements: statements.count, only: undefined };
      const statement = await statements.prepare(0);
      const columns = Array.from({ length: statement.columnCount }, (_, at) => ({
        name: statement.columnName(at),
        type: statement.columnTypeId(at),
      }));
      return {
        statements: 1,
        only: { isSelect: statement.statementType === StatementType.SELECT, columns },
      };
    },
    tablesIn: (sql) => [...native.getTableNames(sql, false)],
    close: () => native.closeSync(),
  };
};
