import { resolve } from 'node:path';
import { fault, readReason, readText, type Decipher, type Deps, type Progress } from '../../core/index.ts';
import { openBackup, readManifests } from '../../backup/index.ts';
import { createDecipher } from '../../keys/index.ts';
import { sizeOf } from './restore-proven.ts';

export type BackupSource = {
  /** A folder of backups, or a file. */
  readonly from: string;
  /** The newest backup if omitted. */
  readonly name?: string | undefined;
  /** A file with an age identity, for an encrypted backup. */
  readonly identity?: string | undefined;
};

const readIdentity = async (file: string): Promise<string> => {
  try {
    return await readText(file);
  } catch (error) {
    throw fault('backup-identity', `${file} cannot be read (${readReason(error)})`, {
      advice: 'pass the file that age-keygen has written',
    });
  }
};

const decipherOf = async (deps: Deps, identity: string | undefined): Promise<Decipher | undefined> =>
  identity === undefined ? undefined : createDecipher(await readIdentity(resolve(deps.cwd, identity)));

/** @throws faults of a store, backup-identity */
export const openFrom = async (deps: Deps, { from, name, identity }: BackupSource) =>
  openBackup(resolve(deps.cwd, from), {
    name,
    decipher: await decipherOf(deps, identity),
    signal: deps.signal,
  });

export type VerifiedBackup = {
  readonly from: string;
  readonly name: string;
  readonly at: string;
  readonly files: number;
  readonly bytes: number;
  /** Every damage, as a sentence. */
  readonly damage: readonly string[];
};

/** Reads every byte of a backup, and writes nothing. @throws faults of a store, backup-identity */
export const verifyBackup = async (
  deps: Deps,
  source: BackupSource,
  progress: Progress,
): Promise<VerifiedBackup> => {
  const { name, manifest, verify } = await openFrom(deps, source);
  const bytes = sizeOf(manifest.files);
  progress({ step: 'reading the backup', bytes });
  const damage = (await verify(deps.signal)).map(({ message }) => message);
  const from = resolve(deps.cwd, source.from);
  return { from, name, at: manifest.at, files: manifest.files.length, bytes, damage };
};

export type ListedBackup = {
  readonly name: string;
  readonly program?: string;
  readonly encrypted?: boolean;
  readonly files?: number;
  readonly bytes?: number;
  /** Why its manifest cannot be read. */
  readonly damage?: string;
};

/** The complete backups, oldest first. @throws faults of a store, backup-identity */
export const listBackups = async (
  deps: Deps,
  { from, identity }: BackupSource,
): Promise<readonly ListedBackup[]> => {
  const decipher = await decipherOf(deps, identity);
  const backups = await readManifests(resolve(deps.cwd, from), decipher);
  return backups.map((backup) => {
    if ('damage' in backup) return backup;
    const { program, encrypted, files } = backup.manifest;
    return { name: backup.name, program, encrypted, files: files.length, bytes: sizeOf(files) };
  });
};
