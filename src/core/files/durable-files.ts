import { open } from 'node:fs/promises';

/** Flushes a file or a folder; the entries of a folder are on disk only once the folder itself is flushed. */
export const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Written to disk when it resolves, 0600; its folder still needs to be synced. */
export const writeThrough = async (path: string, content: Uint8Array | string): Promise<void> => {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
};
