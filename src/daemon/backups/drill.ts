import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fault, sizeText, type Decipher, type Progress } from '../../core/index.ts';
import { databaseIn, differencesOf, openBackup } from '../../backup/index.ts';
import { spoolPrefix, type Drilled } from '../../warehouse/index.ts';
import type { Paths } from '../paths.ts';
import { inspectRestored } from './inspect-restored.ts';

/** @throws fault disk-full before anything is written, since a full data volume would stop the daemon's work as well */
export const requireSpace = async (folder: string, bytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes * 1.1)
    throw fault(
      'disk-full',
      `${folder} has ${sizeText(free)} free, and a temporary copy of ${sizeText(bytes)} is needed`,
    );
};

export type DrillRequest = {
  readonly from: string;
  readonly paths: Pick<Paths, 'spoolDirectory'>;
  readonly decipher?: Decipher | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/**
 * Restores the newest backup into a temporary folder of the spool, opens it, and compares it with its manifest.
 * @throws faults backup-damaged, disk-full, those of a store
 */
export const drillBackup = async ({
  from,
  paths,
  decipher,
  progress,
  signal,
}: DrillRequest): Promise<{ readonly name: string; readonly drill: Drilled; readonly files: number }> => {
  const backup = await openBackup(from, { decipher, signal });
  const { manifest, name } = backup;
  const { facts, files } = manifest;
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (facts === undefined) {
    progress({ step: 'comparing the checksums of the backup', bytes: total });
    const [damage] = await backup.verify(signal);
    if (damage !== undefined) throw damage;
    return { name, drill: 'compared', files: files.length };
  }
  await requireSpace(paths.spoolDirectory, total);
  const folder = await mkdtemp(join(paths.spoolDirectory, spoolPrefix));
  try {
    progress({ step: 'restoring the backup into a temporary folder', bytes: total });
    await backup.restore(folder, signal);
    progress({ step: 'comparing the restored data with the manifest' });
    const differences = differencesOf(facts, await inspectRestored(folder, databaseIn(manifest)));
    if (differences.length > 0)
      throw fault(
        'backup-damaged',
        `backup ${name} of ${from} is restored and differs: ${differences.join('; ')}`,
      );
    return { name, drill: 'restored', files: files.length };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
