import { createNamedGates, errorFields, type Log, type NamedGates } from '../../core/index.ts';
import {
  openReopenableJournal,
  type KeyJournal,
  type Plaintexts,
  type ReopenableJournal,
} from '../../keys/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';

/** What outlives a config: the journal, the plaintexts that are on their way to a sink, and the locks on keys. */
export type KeyRuntime = {
  /** As it is whenever it is asked. */
  readonly journal: Pick<KeyJournal, 'lineage'>;
  readonly journals: ReopenableJournal;
  readonly plaintexts: Plaintexts;
  readonly gates: NamedGates;
};

/** A journal that does not hold stops the work on keys, and nothing else. */
export const openKeyRuntime = async (
  warehouse: Warehouse,
  auditFile: string,
  log: Log,
): Promise<KeyRuntime> => {
  const journals = await openReopenableJournal({ table: warehouse.keys, path: auditFile, log });
  const problem = journals.now().problem();
  if (problem !== undefined)
    log.error('key operations are suspended: the key journal cannot be opened', errorFields(problem));
  return {
    journal: { lineage: (account) => journals.now().lineage(account) },
    journals,
    plaintexts: new Map(),
    gates: createNamedGates(),
  };
};
