import { basename, dirname, resolve } from 'node:path';
import { createGate, unixMillis, type Clock } from '../../core/index.ts';
import { openStore, takeBackup, type BackupSubject } from '../../backup/index.ts';
import type { Backups } from '../../jobs/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import { version } from '../../version.ts';
import type { Paths } from '../paths.ts';
import { drillBackup } from './drill.ts';
import { checkTarget } from './target.ts';

export type BackupsDeps = {
  readonly warehouse: Pick<Warehouse, 'exclusive' | 'backups'>;
  readonly paths: Paths;
  readonly clock: Clock;
  /** Relative targets start here. */
  readonly cwd: string;
};

const subjectOf = ({ exclusive }: Pick<Warehouse, 'exclusive'>, paths: Paths): BackupSubject => ({
  database: basename(paths.path),
  exclusive,
  growing: { audit: dirname(paths.auditFile) },
  replaced: {
    outbox: paths.outboxDirectory,
    reports: paths.reportsDirectory,
    archive: paths.archiveDirectory,
  },
});

export const createBackups = ({ warehouse, paths, clock, cwd }: BackupsDeps): Backups => {
  const oneAtATime = createGate(1);
  return {
    take: async (request, progress, signal) =>
      oneAtATime(async () => {
        const target = resolve(cwd, request.target);
        await checkTarget(target, paths);
        const store = await openStore(target);
        const subject = subjectOf(warehouse, paths);
        const taken = await takeBackup(store, subject, { clock, version, progress, signal });
        const { name, draft, bytes, newBytes, heldFor } = taken;
        const takenAt = unixMillis(Date.parse(draft.at));
        await warehouse.backups.note({ target, name, takenAt, bytes, newBytes });
        return { target, name, at: draft.at, files: draft.files.length, bytes, newBytes, heldFor };
      }),
    drill: async (from, progress, signal) =>
      oneAtATime(async () => {
        const target = resolve(cwd, from);
        const { name, drill, files } = await drillBackup(target, paths, progress, signal);
        await warehouse.backups.noteDrill({ target, name }, drill, clock.now());
        return { target, name, drill, files };
      }),
  };
};
