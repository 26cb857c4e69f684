import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { checkTarget } from '../../backup/index.ts';
import { jobFolder, type Config, type ConfigFault } from '../../config/index.ts';
import { countText, fault, isFault, sizeText } from '../../core/index.ts';
import { defineJobKind, type JobContext } from '../job-kind.ts';
import type { Backups } from './backups.ts';

const count = z.int().min(0).max(10_000);

const backupShape = z.strictObject({
  to: jobFolder.describe(
    'Folder of the backups, outside of the data folder and best on another volume. Use one folder for each data folder. Relative paths start at the working directory.',
  ),
  keep: z
    .strictObject({
      daily: count.default(7).describe('Days of which the newest backup is kept.'),
      weekly: count.default(4).describe('Weeks of which the newest backup is kept; they begin on Monday.'),
      monthly: count.default(12).describe('Months of which the newest backup is kept.'),
    })
    .prefault({})
    .describe(
      'Which backups of the folder are kept; the newest one always is. Backups made by `tollkeeper backup` count as well.',
    ),
  recipients: z
    .array(z.string().regex(/^age1[a-z0-9]+$/, { error: 'must be a recipient such as age1…' }))
    .min(1)
    .optional()
    .describe(
      'age public keys of those who can decrypt the backups. An encrypted backup is restored and compared before it is encrypted, which needs temporary space beside the data of twice its size.',
    ),
});

const drillShape = z.strictObject({
  from: jobFolder.describe('Folder of the backups, as in `to` of the backup job.'),
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
  run: async ({ to, keep, recipients }, context) => {
    const { progress, signal, zone } = context;
    const backups = backupsOf(context);
    const taken = await backups.take({ target: to, recipients }, progress, signal);
    const { name, files, bytes, newBytes, heldFor, drill } = taken;
    const { removed, freedBytes } = await backups.prune(to, keep, zone);
    const parts = [
      `${countText(files, 'file')}, ${sizeText(bytes)}, of which ${sizeText(newBytes)} are new`,
      drill === 'restored' ? 'restored and equal, then encrypted' : 'read back and equal',
      ...(removed.length === 0
        ? []
        : [`${countText(removed.length, 'older backup')} removed, ${sizeText(freedBytes)} freed`]),
    ];
    return {
      summary: parts.join('; '),
      figures: { backup: name, files, bytes, newBytes, heldFor, removed: removed.length, freedBytes },
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

/** Backup jobs whose target would be lost together with the data. Relative paths start at `cwd`. */
export const backupFaults = async (config: Config, cwd: string): Promise<readonly ConfigFault[]> => {
  const { path, archive } = config.settings.warehouse;
  const backedUp = [dirname(path), ...(archive?.path === undefined ? [] : [archive.path])];
  const faults: ConfigFault[] = [];
  for (const job of Object.values(config.jobs)) {
    if (job.kind !== backupKind.kind) continue;
    // The config has parsed the fields with the shape of this kind.
    const { to } = job.fields as z.infer<typeof backupShape>;
    try {
      await checkTarget(
        resolve(cwd, to),
        backedUp.map((folder) => resolve(cwd, folder)),
      );
    } catch (error) {
      // A folder that this user cannot read is found when the job runs.
      if (isFault(error))
        faults.push({ ...job.place, message: `jobs.${job.name}.to: ${error.message}`, advice: error.advice });
    }
  }
  return faults;
};
