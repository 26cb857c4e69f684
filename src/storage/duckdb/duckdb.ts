import { createRequire } from 'node:module';

export type { DuckDBInstance, DuckDBResultReader, DuckDBTypeId, Json } from '@duckdb/node-api';

type DuckDB = typeof import('@duckdb/node-api');

const require = createRequire(import.meta.url);

/**
 * The engine, loaded when the first database is opened, so that other commands start faster. It is required: to import a
 * CommonJS package, Node searches all its files for the names of exports, which takes twice the time of loading them.
 */
export const loadDuckDB = (): DuckDB => require('@duckdb/node-api');
