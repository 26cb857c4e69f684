export { openWarehouse, spoolPrefix } from './warehouse.ts';
export type { Warehouse, WarehouseOptions } from './warehouse.ts';
export { holdLock } from './hold-lock.ts';
export type { HeldLock } from './hold-lock.ts';
export { needsAmount, timeSlack } from './logs/checked-cells.ts';
export type { LandedWindow, LogBatch, LogColumn, LogRole, TimeForm, ZoneOffset } from './logs/log-batch.ts';
export type { BadRow, QuarantinedRow } from './quarantine/quarantined-row.ts';
export type { Landing } from './logs/log-ledger.ts';
export type {
  KindSums,
  Restated,
  RestatedQuarter,
  RestatedSums,
  Restatements,
} from './restatements/restatements.ts';
export type { KnownColumn, SeenColumns } from './profile/column-changes.ts';
export type { LearnedNews } from './profile/learned-news.ts';
export type { KnownPoint, LearnedPoint, PastPoint } from './profile/learned-point.ts';
export type { ProfileTable } from './profile/profile-table.ts';
export type { UsageValue } from './usage/usage-batch.ts';
export type { OutboxEntry, OutboxRow, OutboxTable } from './outbox.ts';
export type { CubeQuery, CubeRequest } from './cube/cube-request.ts';
export type {
  Comparison,
  ComparisonSource,
  LandingMoment,
  LogTotals,
  SourceUnit,
  StoredComparison,
} from './comparisons/comparison.ts';
export type { Spend } from './spend.ts';
export type { ArchiveOutcome, ArchivePlan } from './archive/archive-table.ts';
export type { ModelConvention } from './tokens/decide.ts';
export type { TokenRules } from './tokens/match-rule.ts';
export type {
  AccountSnapshot,
  Inventory,
  KeyChange,
  KeyState,
  LandedSnapshot,
  Snapshot,
  SnapshotTable,
  StatisticsSnapshot,
} from './snapshots/snapshot.ts';
export type {
  AttemptEnd,
  Claim,
  JobCursor,
  JobOutage,
  LedgerAttempt,
  LedgerRun,
  RunClosing,
  RunKey,
  RunLedger,
  RunState,
  RunTrigger,
} from './ledger/run-ledger.ts';
