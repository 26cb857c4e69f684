import type { Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { refused } from '../sink-faults.ts';
import { createNew, removeIfThere, type SinkFiles } from '../sink-files.ts';

export type Replacement = {
  readonly path: string;
  readonly content: Buffer;
  /** Permission bits. */
  readonly mode: number;
  /** The replaced file, whose owner is kept. */
  readonly stats?: Stats | undefined;
};

/** A fixed name, so that the next delivery finds and removes what a killed process left. */
const besideOf = (path: string): string => join(dirname(path), `.${basename(path)}.tollkeeper`);

/** Removes the temporary file of a killed process, because it holds a key. */
export const removeLeftover = (path: string, files: SinkFiles): Promise<void> =>
  removeIfThere(besideOf(path), files);

type Handle = Awaited<ReturnType<SinkFiles['open']>>;

const keepOwner = async (handle: Handle, { path, stats }: Replacement): Promise<void> => {
  if (stats === undefined) return;
  const made = await handle.stat();
  if (made.uid === stats.uid && made.gid === stats.gid) return;
  try {
    await handle.chown(stats.uid, stats.gid);
  } catch (error) {
    throw refused(
      `${path} belongs to user ${stats.uid}, group ${stats.gid}, and a new file cannot get this owner`,
      {
        cause: error,
        advice:
          'run Tollkeeper as that user, or change the owner of the file to the user and group that Tollkeeper runs as',
      },
    );
  }
};

const write = async (beside: string, wanted: Replacement, files: SinkFiles): Promise<void> => {
  const handle = await files.open(beside, createNew, 0o600);
  try {
    // chown comes first: it clears permission bits, and the new owner must be set before others may read the file.
    await keepOwner(handle, wanted);
    await handle.chmod(wanted.mode);
    await handle.writeFile(wanted.content);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Replaces the file atomically: after any crash readers see either the old or the new content. */
export const replaceFile = async (wanted: Replacement, files: SinkFiles): Promise<void> => {
  const beside = besideOf(wanted.path);
  await removeLeftover(wanted.path, files);
  try {
    await write(beside, wanted, files);
    await files.rename(beside, wanted.path);
  } catch (error) {
    await removeLeftover(wanted.path, files).catch(() => undefined);
    throw error;
  }
  await files.sync(dirname(wanted.path));
};
