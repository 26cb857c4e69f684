export { differencesOf } from './compare-facts.ts';
export type { Facts, Manifest } from './manifest.ts';
export { databaseIn, openBackup } from './open-backup.ts';
export { restoreFiles, verifyFiles } from './restore-files.ts';
export { openStore } from './store.ts';
export { takeBackup, type BackupSubject } from './take-backup.ts';
export { storeFiles } from './write-backup.ts';
