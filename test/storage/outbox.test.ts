import { createMemoryOutbox } from '../support/memory-outbox.ts';
import { openIn, testFolder } from '../warehouse/support.ts';
import { describeOutbox, type OpenOutbox } from './support/outbox-suite.ts';

const openMemory = async (): Promise<OpenOutbox> => {
  const outbox = createMemoryOutbox();
  return { outbox, reopen: async () => outbox, [Symbol.asyncDispose]: async () => undefined };
};

const openDuckDB = async (): Promise<OpenOutbox> => {
  const folder = await testFolder();
  let warehouse = await openIn(folder);
  return {
    outbox: warehouse.outbox,
    reopen: async () => {
      await warehouse[Symbol.asyncDispose]();
      warehouse = await openIn(folder);
      return warehouse.outbox;
    },
    [Symbol.asyncDispose]: async () => {
      await warehouse[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};

describeOutbox('in memory', openMemory);
describeOutbox('in DuckDB', openDuckDB);
