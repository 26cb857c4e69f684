import { createMemoryLedger } from '../support/memory-ledger.ts';
import { createMemoryOutbox } from '../support/memory-outbox.ts';
import { openInMemory, testFolder } from '../warehouse/support.ts';
import { describeLedger, type OpenLedger } from './support/run-ledger-suite.ts';

const openMemory = async (): Promise<OpenLedger> => {
  const outbox = createMemoryOutbox();
  return { runs: createMemoryLedger(outbox), outbox, [Symbol.asyncDispose]: async () => undefined };
};

const openDuckDB = async (): Promise<OpenLedger> => {
  const folder = await testFolder();
  const warehouse = await openInMemory(folder);
  return {
    runs: warehouse.runs,
    outbox: warehouse.outbox,
    [Symbol.asyncDispose]: async () => {
      await warehouse[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};

describeLedger('in memory', openMemory);
describeLedger('in DuckDB', openDuckDB);
