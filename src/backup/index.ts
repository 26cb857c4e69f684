import { lazy } from '../core/index.ts';

export { copyBackup } from './copy-backup.ts';
export { differencesOf } from './compare-facts.ts';
export { nameOf, type Facts, type Manifest } from './manifest.ts';
export { databaseIn, openBackup, readManifests } from './open-backup.ts';
export { restoreFiles, verifyFiles, type OpenBackup } from './restore-files.ts';
export { listSources } from './list-sources.ts';
export { backupsToKeep, type Keep } from './retention.ts';
export { checkTarget, isFileTarget, isWithin } from './target.ts';
export { openStore, type BackupStore } from './store.ts';
export { takeBackup, type BackupSubject, type TakenBackup } from './take-backup.ts';
export { storeFiles } from './write-backup.ts';

/** Loaded on demand, with the package that writes tar files. */
export const packBackup = lazy(async () => (await import('./pack-backup.ts')).packBackup);
