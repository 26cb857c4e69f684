export { openWarehouse, spoolPrefix } from './warehouse.ts';
export type { Warehouse, WarehouseOptions } from './warehouse.ts';
export type { AccountAmounts } from './logs/amounts.ts';
export { timeSlack } from './logs/checked-cells.ts';
export { logRoles } from './logs/log-batch.ts';
export type {
  AmountForm,
  LandedWindow,
  LogBatch,
  LogColumn,
  LogRole,
  TimeForm,
  ZoneOffset,
} from './logs/log-batch.ts';
export type { LedgerWindow } from './logs/log-ledger.ts';
export type { LogsTable } from './logs/logs-table.ts';
export type { LandedUsage, UsageBatch, UsageSeries, UsageValue } from './usage/usage-batch.ts';
export type { UsageTable } from './usage/usage-table.ts';
export type { OutboxEntry, OutboxOutcome, OutboxRow, OutboxState, OutboxTable } from './outbox.ts';
export type { CubePeriod, CubeQuery, CubeRequest } from './cube/cube-request.ts';
export type { Cell, ColumnType, ResultTable } from './cube/result-table.ts';
export type { Spend } from './spend.ts';
