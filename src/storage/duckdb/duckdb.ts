export type { DuckDBInstance, DuckDBResultReader, DuckDBTypeId, Json } from '@duckdb/node-api';

type DuckDB = typeof import('@duckdb/node-api');

let loaded: Promise<DuckDB> | undefined;

/** The engine, loaded when the first database is opened, so that other commands start faster. */
export const loadDuckDB = (): Promise<DuckDB> => (loaded ??= import('@duckdb/node-api'));
