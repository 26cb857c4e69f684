import type { ManifestDraft } from './manifest.ts';
import { discardIfFull, type BackupStore } from './store.ts';

/**
 * Copies a backup into another store, chunk by chunk, and reads each new chunk back before it counts as complete.
 * `recipients` are those of the cipher of that store.
 * @throws faults of both stores; the signal's reason
 */
export const copyBackup = async (
  from: Pick<BackupStore, 'get'>,
  to: BackupStore,
  draft: ManifestDraft,
  recipients: string | undefined,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<{ readonly newBytes: number }> => {
  return discardIfFull(to, async () => {
    const added: string[] = [];
    let newBytes = 0;
    for (const { chunks } of draft.files)
      for (const name of chunks) {
        signal.throwIfAborted();
        const chunk = await from.get(name);
        onBytes(chunk.byteLength);
        if (!(await to.put(chunk)).isNew) continue;
        added.push(name);
        newBytes += chunk.byteLength;
      }
    for (const name of added) {
      signal.throwIfAborted();
      await to.check(name, recipients);
    }
    await to.complete(draft);
    return { newBytes };
  });
};
