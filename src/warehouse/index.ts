import { lazy } from '../core/index.ts';

export { clearSpool, spoolPrefix } from './spool-prefix.ts';
export type { Warehouse, WarehouseOptions } from './tables.ts';
export type { CopiedTables } from './copies/copy-from-file.ts';
export type { DatabaseCopy } from './backup/database-copy.ts';
export type { Drilled } from './backup/backup-log.ts';
export { needsAmount, timeSlack } from './logs/checked-cells.ts';
export type { LandedWindow, LogBatch, LogColumn, SeenKinds, TimeForm, ZoneOffset } from './logs/log-batch.ts';
export type { BookedCall } from './calls.ts';
export type {
  AlertAcknowledgement,
  AlertLogEntry,
  ExpectedEntry,
  AlertMute,
  AlertStatus,
  StoredAlert,
} from './alerts/alert-table.ts';
export { countedClasses, sumTokens, type ClassPrices, type TokenClass } from './tokens/class-names.ts';
export type { SegmentSums, SumsBy, SumsRequest } from './cube/read-sums.ts';
export { isProven, storedCurrency, type AccountAmounts } from './logs/amounts.ts';
export type { BadRow } from './quarantine/quarantined-row.ts';
export type { Restated } from './restatements/restatements.ts';
export type { LearnedChange } from './profile/learned-changes.ts';
export type { KnownPoint, LearnedPoint, PastPoint } from './profile/learned-point.ts';
export type { UsageValue } from './usage/usage-batch.ts';
export { bindWith, type BindQueries } from './queries/bind-queries.ts';
export type { QueryRequest } from './queries/protocol.ts';
export type {
  AccountSpend,
  CubeFacts,
  CubeQuery,
  CubeRequest,
  CubeTeam,
  ModelPrice,
  Journal,
  JournalLine,
} from './cube/cube-request.ts';
export { tagsOf, type TagRule, type Tags } from './cube/tags.ts';
export { isKeyLeft, isModelLeft } from './cube/teams.ts';
export type { ClosedCorrection, ClosedMonth, ClosedRow } from './closed/closed-rows.ts';
export type { ForecastSubject, StoredForecast } from './forecasts/forecast-table.ts';
export type { LogPrices, PricedQuarter } from './prices/fit-log.ts';
export { configuredFor } from './closed/month-prices.ts';
export type { Growth, HoursQuery, HourSums, SeriesQuery } from './cube/read-hours.ts';
export type { ParquetColumn } from './write-parquet.ts';
export type { Closing } from './closed/close-month.ts';
export type { KnownNames } from './known-names.ts';
export { teamOf } from './cube/teams.ts';
export type { Cell, ColumnType, ResultTable } from './cube/result-table.ts';
export { reportRelations } from './report-views/registry.ts';
export { maxLateTries } from './comparisons/comparison.ts';
export type {
  Comparison,
  ComparisonGap,
  ComparisonSource,
  EntryTotals,
  KnownGap,
  LaggingWindow,
  LogCheck,
  SourceUnit,
  StoredComparison,
} from './comparisons/comparison.ts';
export type { KeyJournalRow, KeyTable, LineageRow } from './keys/key-table.ts';
export type { ArchiveOutcome, ArchivePlan } from './archive/archive-table.ts';
export type { ModelConvention } from './tokens/decide.ts';
export {
  isSameName,
  matches as matchesPattern,
  type OutputRules,
  type TokenRules,
} from './tokens/match-rule.ts';
export type { AccountSnapshot, Inventory, KeyState, LandedSnapshot, Snapshot } from './snapshots/snapshot.ts';
export type { KindLabel } from './kinds/kind-labels.ts';

/** Loaded on demand by code that opens a database: the rest of the program starts without it. */
export const openWarehouse = lazy(async () => (await import('./warehouse.ts')).openWarehouse);
export const openDatabase = lazy(async () => (await import('./open-shared.ts')).openDatabase);
export const openSharedWarehouse = lazy(async () => (await import('./open-shared.ts')).openSharedWarehouse);
export const copyFromFile = lazy(async () => (await import('./copies/copy-from-file.ts')).copyFromFile);
export const copyToFile = lazy(async () => (await import('./copies/copy-to-file.ts')).copyToFile);
export const filledTable = lazy(async () => (await import('./copies/filled-table.ts')).filledTable);
export const requireEmpty = lazy(async () => (await import('./copies/filled-table.ts')).requireEmpty);
export const factsOfFile = lazy(async () => (await import('./backup/database-facts.ts')).factsOfFile);
export const answerQueries = lazy(async () => (await import('./queries/answer-queries.ts')).createAnswers);
export const openQueries = lazy(async () => (await import('./queries/open-queries.ts')).openQueries);
