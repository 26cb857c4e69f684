export type { Facts, Manifest } from './manifest.ts';
export { openBackup } from './open-backup.ts';
export { packBackup } from './pack-backup.ts';
export { restoreFiles, verifyFiles, type OpenBackup } from './restore-files.ts';
export { backupsToKeep, type Keep } from './retention.ts';
export { openStore } from './store.ts';
export { storeFiles } from './write-backup.ts';
