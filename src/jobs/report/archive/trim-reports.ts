import { rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { UnixMillis } from '../../../core/index.ts';
import { draftPrefix, readManifest } from './manifest.ts';
import { namesIn } from './read-report.ts';

/** Milliseconds after which no process can still be writing a draft. */
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
    // An unreadable report is kept for a person to check.
    return false;
  }
};

/** Deletes reports built before the time, and drafts that a crash left. Returns the number of reports. */
export const trimReports = async (root: string, before: UnixMillis, now: UnixMillis): Promise<number> => {
  let removed = 0;
  for (const job of await namesIn(root)) {
    for (const name of await namesIn(join(root, job))) {
      const folder = join(root, job, name);
      const isDraft = name.startsWith(draftPrefix);
      if (!(await isOld(folder, isDraft, before, now))) continue;
      // Renamed first, so that a crash during deletion leaves no partial report.
      const draft = isDraft ? folder : join(root, job, `${draftPrefix}${name}`);
      if (!isDraft) await rename(folder, draft);
      await rm(draft, { recursive: true, force: true });
      if (!isDraft) removed += 1;
    }
    // Fails, as intended, while the folder is not empty.
    await rmdir(join(root, job)).catch(() => undefined);
  }
  return removed;
};
