import { z } from 'zod';
import { countText, fault, sizeText } from '../../core/index.ts';
import { defineJobKind, type JobContext } from '../job-kind.ts';
import type { Backups } from './backups.ts';

const folder = z
  .string()
  .min(1)
  .refine((value) => !value.includes('\0'), { error: 'must be a path' });

const backupShape = z.strictObject({
  to: folder.describe(
    'Folder of the backups, outside of the data folder and best on another volume. Use one folder for each data folder. Relative paths start at the working directory.',
  ),
});

const drillShape = z.strictObject({
  from: folder.describe('Folder of the backups, as in `to` of the backup job.'),
});

const backupsOf = ({ backups }: JobContext): Backups => {
  if (backups === undefined) throw fault('wrong-use', 'a database in memory cannot be backed up');
  return backups;
};

/** Backs up everything that is stored, of all accounts, as of one moment. */
export const backupKind = defineJobKind({
  kind: 'backup',
  onlyForbid: true,
  description: 'Backs up all stored data into a folder, and stores only what earlier backups do not have.',
  shape: backupShape,
  run: async ({ to }, context) => {
    const { progress, signal } = context;
    const { name, files, bytes, newBytes, heldFor } = await backupsOf(context).take(
      { target: to },
      progress,
      signal,
    );
    return {
      summary: `${countText(files, 'file')}, ${sizeText(bytes)}, of which ${sizeText(newBytes)} are new; read back and equal`,
      figures: { backup: name, files, bytes, newBytes, heldFor },
    };
  },
  plan: ({ to }) => Promise.resolve([`back up all stored data into ${to}`]),
});

/** Proves that the newest backup restores. */
export const restoreDrillKind = defineJobKind({
  kind: 'restore-drill',
  onlyForbid: true,
  description:
    'Restores the newest backup into a temporary folder, opens it, and compares rows, charges and the audit log with its manifest.',
  shape: drillShape,
  run: async ({ from }, context) => {
    const { progress, signal } = context;
    const { name, drill, files } = await backupsOf(context).drill(from, progress, signal);
    return {
      summary:
        drill === 'restored'
          ? `backup ${name} was restored and is equal`
          : `backup ${name} matches its checksums; it is encrypted, and backup.identity is not set`,
      figures: { backup: name, drill, files },
    };
  },
  plan: ({ from }) =>
    Promise.resolve([`restore the newest backup of ${from} into a temporary folder, and compare it`]),
});
