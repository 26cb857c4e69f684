export type { Facts, Manifest } from './manifest.ts';
export { restoreFiles, verifyFiles } from './restore-files.ts';
export { openStore } from './store.ts';
export { storeFiles } from './write-backup.ts';
