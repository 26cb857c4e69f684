export { neverAgain, outboxStates } from './outbox.ts';
export type { OutboxEntry, OutboxFilter, OutboxRow, OutboxState, OutboxTable } from './outbox.ts';
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
} from './run-ledger.ts';
export { createMemoryLedger } from './memory/run-ledger.ts';
export { createMemoryOutbox } from './memory/outbox.ts';
export type { MemoryOutbox } from './memory/outbox.ts';
