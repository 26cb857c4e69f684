import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  createGate,
  unixMillis,
  type Cipher,
  type Clock,
  type Progress,
  type Secret,
} from '../../core/index.ts';
import {
  backupsToKeep,
  checkTarget,
  copyBackup,
  isFileTarget,
  openStore,
  packBackup,
  takeBackup,
  type TakenBackup,
} from '../../backup/index.ts';
import type { Backups } from '../../jobs/index.ts';
import { createCipher, createDecipher } from '../../keys/index.ts';
import { spoolPrefix, type Drilled, type Warehouse } from '../../warehouse/index.ts';
import { version } from '../../version.ts';
import type { Paths } from '../data-folder/paths.ts';
import { drillBackup, requireSpace } from './drill.ts';
import { openSubject, sizeOf, type OpenSubject } from './subject.ts';

export type BackupsDeps = {
  readonly warehouse: Pick<Warehouse, 'exclusive' | 'copyToFile' | 'backups'>;
  readonly paths: Paths;
  readonly clock: Clock;
  /** Relative targets start here. */
  readonly cwd: string;
  /** The identity file for encrypted backups, if the config has one. */
  readonly identity: () => Secret | undefined;
};

type Stored = Pick<TakenBackup, 'name' | 'draft' | 'bytes' | 'newBytes' | 'heldFor'> & {
  readonly drill?: Drilled;
};

type Taking = {
  readonly target: string;
  readonly opened: Pick<OpenSubject, 'subject' | 'path'>;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

export const createBackups = (deps: BackupsDeps): Backups => {
  const { warehouse, paths, clock, cwd } = deps;
  const oneAtATime = createGate(1);

  /** Straight into the folder, which needs no other space. */
  const takeInto = async ({ target, opened, progress, signal }: Taking): Promise<Stored> => {
    const store = await openStore(target);
    return takeBackup(store, opened.subject, { clock, version, progress, signal });
  };

  /** By way of a temporary folder beside the data: encryption and one whole file take longer than the rest can wait. */
  const takeByCopy = async (
    { target, opened, progress, signal }: Taking,
    isFile: boolean,
    cipher: Cipher | undefined,
  ): Promise<Stored> => {
    // An encrypted backup is drilled before, since Tollkeeper cannot decrypt it: that takes a second copy.
    await requireSpace(paths.spoolDirectory, (await sizeOf(opened)) * (cipher === undefined ? 1 : 2));
    const folder = await mkdtemp(join(paths.spoolDirectory, spoolPrefix));
    try {
      const store = await openStore(folder);
      const taken = await takeBackup(store, opened.subject, { clock, version, progress, signal });
      const drilled =
        cipher === undefined
          ? {}
          : { drill: (await drillBackup({ from: folder, paths, progress, signal })).drill };
      let done = 0;
      const onBytes = (bytes: number): void => {
        done += bytes;
        progress({ step: 'encrypting the backup', bytes: done });
      };
      if (isFile) progress({ step: 'writing and reading the file', bytes: taken.bytes });
      const { newBytes } = isFile
        ? {
            newBytes: (await packBackup(store, await store.read(taken.name), target, { cipher, signal }))
              .bytes,
          }
        : await copyBackup(
            store,
            await openStore(target, { cipher }),
            taken.draft,
            cipher?.recipients,
            signal,
            onBytes,
          );
      return { ...taken, newBytes, ...drilled };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  return {
    take: async (request, progress, signal) =>
      oneAtATime(async () => {
        const target = resolve(cwd, request.target);
        await checkTarget(target, [dirname(paths.path), paths.archiveDirectory]);
        const { recipients = [] } = request;
        const cipher = recipients.length === 0 ? undefined : await createCipher(recipients);
        const isFile = await isFileTarget(target);
        await using opened = await openSubject(warehouse, paths, progress, signal);
        const taking = { target, opened, progress, signal };
        const stored =
          isFile || cipher !== undefined ? await takeByCopy(taking, isFile, cipher) : await takeInto(taking);
        const { name, draft, bytes, newBytes, heldFor, drill } = stored;
        const takenAt = unixMillis(Date.parse(draft.at));
        await warehouse.backups.note({ target, name, takenAt, bytes, newBytes });
        if (drill !== undefined) await warehouse.backups.noteDrill({ target, name }, drill, clock.now());
        return {
          target,
          isFile,
          isEncrypted: cipher !== undefined,
          name,
          at: draft.at,
          files: draft.files.length,
          bytes,
          newBytes,
          heldFor,
          ...(drill === undefined ? {} : { drill }),
        };
      }),
    prune: async (to, keep, zone) =>
      oneAtATime(async () => {
        const target = resolve(cwd, to);
        const store = await openStore(target);
        const names = await store.list();
        const kept = new Set(backupsToKeep(names, keep, zone));
        const removed = names.filter((name) => !kept.has(name));
        const { bytes: freedBytes, faults } = await store.remove(removed);
        await warehouse.backups.forget(target, removed);
        const [damage] = faults;
        if (damage !== undefined) throw damage;
        return { removed, freedBytes };
      }),
    drill: async (from, progress, signal) =>
      oneAtATime(async () => {
        const target = resolve(cwd, from);
        const identity = deps.identity();
        const decipher = identity === undefined ? undefined : await createDecipher(identity.reveal());
        const drilled = await drillBackup({ from: target, paths, decipher, progress, signal });
        await warehouse.backups.noteDrill({ target, name: drilled.name }, drilled.drill, clock.now());
        return { target, ...drilled };
      }),
  };
};
