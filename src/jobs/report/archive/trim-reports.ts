import { rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { UnixMillis } from '../../../core/index.ts';
import { draftPrefix, readManifest } from './manifest.ts';
import { namesIn } from './read-report.ts';

/** Milliseconds after which nobody can still be writing a draft. */
const longestWrite = 86_400_000;

const isOld = async (
  folder: string,
  isDraft: boolean,
  before: UnixMillis,
  now: UnixMillis,
): Promise<boolean> => {
  try {
    if (isDraft) return (await stat(folder)).mtimeMs < now - longestWrite;
    return Date.parse((await readManifest(folder)).builtAt) < before;
  } catch {
    // What cannot be read is left for a person to look at.
    return false;
  }
};

/** Removes reports that were built before the moment, and what a crash left of drafts. Gives how many reports there were. */
export const trimReports = async (root: string, before: UnixMillis, now: UnixMillis): Promise<number> => {
  let removed = 0;
  for (const job of await namesIn(root)) {
    for (const name of await namesIn(join(root, job))) {
      const folder = join(root, job, name);
      const isDraft = name.startsWith(draftPrefix);
      if (!(await isOld(folder, isDraft, before, now))) continue;
      // A report is there as a whole or not at all, also while it goes.
      const draft = isDraft ? folder : join(root, job, `${draftPrefix}${name}`);
      if (!isDraft) await rename(folder, draft);
      await rm(draft, { recursive: true, force: true });
      if (!isDraft) removed += 1;
    }
    // Only when nothing is in it any more.
    await rmdir(join(root, job)).catch(() => undefined);
  }
  return removed;
};
