import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fault, sizeText, type Decipher, type Progress } from '../../core/index.ts';
import { openBackup } from '../../backup/index.ts';
import { spoolPrefix, type Drilled } from '../../warehouse/index.ts';
import type { Paths } from '../data-folder/paths.ts';
import { restoreProven, sizeOf } from './restore-proven.ts';

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
  const total = sizeOf(files);
  if (facts === undefined) {
    progress({ step: 'comparing the checksums of the backup', bytes: total });
    const [damage] = await backup.verify(signal);
    if (damage !== undefined) throw damage;
    return { name, drill: 'compared', files: files.length };
  }
  await requireSpace(paths.spoolDirectory, total);
  const folder = await mkdtemp(join(paths.spoolDirectory, spoolPrefix));
  try {
    await restoreProven(backup, { from, folder }, progress, signal);
    return { name, drill: 'restored', files: files.length };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
