import { createNamedGates, errorFields, type Log, type NamedGates } from '../../core/index.ts';
import {
  openReopenableJournal,
  type KeyJournal,
  type Plaintexts,
  type ReopenableJournal,
} from '../../keys/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';

/** State that outlives a config: the journal, plaintexts not yet delivered, and the locks on keys. */
export type KeyRuntime = {
  /** Reads the journal that is open at the time of the call. */
  readonly journal: Pick<KeyJournal, 'state'>;
  readonly journals: ReopenableJournal;
  readonly plaintexts: Plaintexts;
  readonly gates: NamedGates;
};

/** An invalid journal stops the work on keys, and nothing else. */
export const openKeyRuntime = async (
  warehouse: Warehouse,
  auditFile: string,
  log: Log,
  isShared: boolean,
): Promise<KeyRuntime> => {
  const journals = await openReopenableJournal({ table: warehouse.keys, path: auditFile, log, isShared });
  const problem = journals.now().problem();
  if (problem !== undefined)
    log.error('key operations are suspended: the key journal cannot be opened', errorFields(problem));
  return {
    journal: { state: (account) => journals.now().state(account) },
    journals,
    plaintexts: new Map(),
    gates: createNamedGates(),
  };
};
