export {
  neverAgain,
  outboxStates,
  type OutboxEntry,
  type OutboxFilter,
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
  OutageChange,
  RunBegin,
  RunClosing,
  RunEvent,
  RunKey,
  RunLedger,
  RunOutcomes,
  RunState,
  RunTrigger,
} from './run-ledger.ts';
export { createMemoryLedger } from './memory/run-ledger.ts';
export { createMemoryOutbox, type MemoryOutbox } from './memory/outbox.ts';
