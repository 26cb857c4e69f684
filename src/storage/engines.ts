import { createRunLedger } from './ledger/create-run-ledger.ts';
import { createMemoryOutbox } from './memory/outbox.ts';
import { createMemoryLedger } from './memory/run-ledger.ts';
import { createOutbox } from './outbox-table.ts';
import type { OutboxTable } from './outbox.ts';
import type { RunLedger } from './run-ledger.ts';
import type { StateEngine } from './sql.ts';

export type StateTables = { readonly runs: RunLedger; readonly outbox: OutboxTable };

/** The run ledger and the outbox in each engine, by its name; each passes the suites of test/storage. */
export const stateEngines = {
  memory: (): StateTables => {
    const outbox = createMemoryOutbox();
    return { runs: createMemoryLedger(outbox), outbox };
  },
  sql: (engine: StateEngine): StateTables => ({
    runs: createRunLedger(engine),
    outbox: createOutbox(engine),
  }),
};
