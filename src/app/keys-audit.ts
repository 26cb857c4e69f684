import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { fault, systemCode } from '../base/index.ts';
import type { Means } from '../base/index.ts';
import { verifyAudit } from '../keys/index.ts';
import type { AuditVerdict } from '../keys/index.ts';
import { readConfig } from '../settings.ts';
import { goodConfig } from './commands.ts';
import { placesOf } from './places.ts';

export type AuditView = AuditVerdict & { readonly file: string };

const fileOf = async (means: Means, folder: string): Promise<string> => {
  const loaded = await readConfig(folder, means);
  return placesOf(means, {
    path: loaded.warehousePath ?? goodConfig(loaded).settings.warehouse.path,
  }).auditFile;
};

/**
 * Checks an audit file, or the one beside the database of a config. It is a file, so that neither a daemon nor the
 * database is asked. @throws Fault `config-invalid` where not even the database is known, `wrong-use` where there is no file
 */
export const auditKeys = async (
  means: Means,
  which: { readonly folder: string } | { readonly file: string },
): Promise<AuditView> => {
  const file = 'file' in which ? which.file : await fileOf(means, which.folder);
  const stream = createReadStream(file, 'utf8');
  try {
    const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
    return { file, ...(await verifyAudit(lines)) };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw fault('wrong-use', `${file} cannot be read (${systemCode(error) ?? 'unknown'})`, {
      cause: error,
      advice: 'it is written with the first step on a key; name another file with --verify FILE',
    });
  } finally {
    stream.destroy();
  }
};
