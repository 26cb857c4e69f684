import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fault, isThere } from '../../core/index.ts';
import type { Facts } from '../../backup/index.ts';
import { verifyAudit } from '../../keys/index.ts';
import { factsOfFile } from '../../warehouse/index.ts';

/** Of the engine that opens the copy beside the one of the daemon: counts and sums stream. */
const memoryLimit = '64MB';

/** The first lines of a file; all of them if `most` is omitted. */
async function* linesOf(path: string, most = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
  const input = createReadStream(path, { encoding: 'utf8' });
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (number === most) return;
      number += 1;
      yield line;
    }
  } finally {
    input.destroy();
  }
}

/**
 * Opens a restored data folder and returns what it amounts to. The audit log may hold lines that the database does not have
 * yet: each step is written to the file first. @throws faults of the warehouse, backup-damaged
 */
export const inspectRestored = async (folder: string, database: string): Promise<Facts> => {
  const { schema: _, ...facts } = await factsOfFile(join(folder, database), {
    memoryLimit,
    spoolDirectory: join(folder, 'spool'),
  });
  const file = join(folder, 'audit', 'keys.jsonl');
  if (!(await isThere(file)) && facts.audit.entries === 0) return facts;
  const { broken } = await verifyAudit(linesOf(file));
  if (broken !== undefined)
    throw fault('backup-damaged', `the restored audit log is broken in line ${broken.line}: ${broken.why}`);
  const { lines: entries, head } = await verifyAudit(linesOf(file, facts.audit.entries));
  return { ...facts, audit: entries === 0 ? facts.audit : { entries, head } };
};
