import { join } from 'node:path';
import { fault, type Progress } from '../../core/index.ts';
import { databaseIn, differencesOf, type Facts, type OpenBackup } from '../../backup/index.ts';
import { readAuditLines, verifyAudit } from '../../keys/index.ts';
import { factsOfFile } from '../../warehouse/index.ts';

/** Of the engine that opens the copy beside the one of the daemon: counts and sums stream. */
const memoryLimit = '64MB';

async function* firstOf(lines: AsyncIterable<string>, most: number): AsyncGenerator<string> {
  let number = 0;
  for await (const line of lines) {
    if (number === most) return;
    number += 1;
    yield line;
  }
}

/**
 * Opens a restored data folder and returns what it amounts to. The audit log may hold lines that the database does not have
 * yet: each step is written to the file first. @throws faults of the warehouse, backup-damaged
 */
const inspectRestored = async (folder: string, database: string): Promise<Facts> => {
  const { schema: _, ...facts } = await factsOfFile(join(folder, database), {
    memoryLimit,
    spoolDirectory: join(folder, 'spool'),
  });
  const file = join(folder, 'audit', 'keys.jsonl');
  const { broken } = await verifyAudit(readAuditLines(file));
  if (broken !== undefined)
    throw fault('backup-damaged', `the restored audit log is broken in line ${broken.line}: ${broken.why}`);
  const { lines: entries, head } = await verifyAudit(firstOf(readAuditLines(file), facts.audit.entries));
  return { ...facts, audit: { entries, head: entries === 0 ? '' : head } };
};

/** @throws fault backup-damaged where a restored data folder differs from the facts; `what` names it */
export const requireEqual = async (
  folder: string,
  database: string,
  facts: Facts,
  what: string,
): Promise<void> => {
  const differences = differencesOf(facts, await inspectRestored(folder, database));
  if (differences.length > 0) throw fault('backup-damaged', `${what} differs: ${differences.join('; ')}`);
};

/**
 * Restores a backup below an empty folder, opens it, and compares it with its manifest. `from` is where the backup is.
 * @throws fault backup-damaged where both differ; faults of a store and of the warehouse
 */
export const restoreProven = async (
  { name, manifest, restore }: OpenBackup,
  { from, folder }: { readonly from: string; readonly folder: string },
  progress: Progress,
  signal: AbortSignal,
): Promise<void> => {
  progress({ step: 'restoring the backup', bytes: sizeOf(manifest.files) });
  await restore(folder, signal);
  progress({ step: 'comparing the restored data with the manifest' });
  const found = await inspectRestored(folder, databaseIn(manifest));
  const differences = manifest.facts === undefined ? [] : differencesOf(manifest.facts, found);
  if (differences.length > 0)
    throw fault(
      'backup-damaged',
      `backup ${name} of ${from} differs from its manifest: ${differences.join('; ')}`,
    );
};

/** Bytes of all files. */
export const sizeOf = (files: readonly { readonly size: number }[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);
