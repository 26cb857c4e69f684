import { lazy } from '../core/index.ts';

export {
  neverAgain,
  outboxStates,
  type OutboxEntry,
  type OutboxRow,
  type OutboxState,
  type OutboxTable,
} from './outbox.ts';
export type {
  AttemptEnd,
  Claim,
  JobCursor,
  JobOutage,
  LedgerAttempt,
  LedgerRun,
  RunClosing,
  RunEvent,
  RunKey,
  RunLedger,
  RunState,
  RunTrigger,
  UnrecordedEnd,
} from './run-ledger.ts';
export * from './sql.ts';
export { cellsBySpan } from './row-store.ts';
export type {
  AccountRows,
  CellsIn,
  CellTable,
  Relation,
  RollupSpan,
  RowChange,
  RowsIn,
  RowStore,
} from './row-store.ts';
export * from './row-reader.ts';
export { boundRows, type BoundRows } from './bound-rows.ts';
export { createRunLedger } from './ledger/create-run-ledger.ts';
export { createMailTable, intactMail, mailName, type MailStore } from './mail-store.ts';
export { createOutbox, putEntries } from './outbox-table.ts';
export { connectionOf, type Connection } from './duckdb/connection.ts';
export {
  loadDuckDB,
  type DuckDBInstance,
  type DuckDBResultReader,
  type DuckDBTypeId,
  type Json,
} from './duckdb/duckdb.ts';
export { archiveFolderOf, openEngine, type Engine, type EngineOptions } from './duckdb/engine.ts';
export type { PostgresConnection } from './postgres/connection.ts';
export { postgresStatements, tablesOf } from './postgres/schema.ts';
export { readServer, type ServerState } from './postgres/server-state.ts';
export { copyToDuckDB, copyToPostgres, requireSame, writeRows } from './postgres/rows/copied-rows.ts';
export { readColumns, storableCell, type Column } from './postgres/rows/csv-rows.ts';
export { createPartition, partitionsOf } from './postgres/rows/partitions.ts';
export { createPostgresRows, inSnapshot } from './postgres/rows/row-store.ts';
export type { PostgresEngine } from './postgres/engine.ts';
export type { DatabaseOptions, SharedDatabase } from './postgres/open-database.ts';
export type { LeaseState } from './postgres/leases.ts';
export { serverNow } from './postgres/server-now.ts';
export { engineFault, withoutErrorClass } from './duckdb/engine-faults.ts';
export { interruptOn } from './duckdb/interrupt.ts';
export { ownFolder } from './duckdb/own-folder.ts';
export type { AcquiredLock } from './duckdb/hold-lock.ts';

/** Loaded on demand: commands on a file start without the driver. */
export const openSharedDatabase = lazy(
  async () => (await import('./postgres/open-database.ts')).openDatabase,
);

/** Loaded on demand: the rest of the program starts without it. */
export const acquireLock = lazy(async () => (await import('./duckdb/hold-lock.ts')).acquireLock);
