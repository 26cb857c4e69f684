import { open } from 'node:fs/promises';

/** A file or a folder; what a folder lists is on the disk only once the folder itself is synced. */
export const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** On the disk when it returns, 0600; its folder is still to be synced. */
export const writeThrough = async (path: string, content: Uint8Array | string): Promise<void> => {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
};
