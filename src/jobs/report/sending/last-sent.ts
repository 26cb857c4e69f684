import { join } from 'node:path';
import { unixMillis } from '../../../core/index.ts';
import { folderName, readManifest, slotOfName, type ReportKey } from '../archive/manifest.ts';
import { namesIn } from '../archive/read-report.ts';
import type { SendInput } from './send-when.ts';

/**
 * The report of the same job and part, of an earlier slot, that its recipients have last. `damaged`: a report after it cannot be read, which
 * may be what they have. @throws Fault `report-damaged` when the archive cannot be read
 */
export const lastSent = async (root: string, { job, slot, part }: ReportKey): Promise<SendInput['last']> => {
  const folder = join(root, folderName(job, 'job'));
  const earlier = (await namesIn(folder)).flatMap((name) => {
    const own = slotOfName(name, part);
    return own !== undefined && own < slot ? [{ name, slot: own }] : [];
  });
  for (const { name } of earlier.toSorted((one, other) => other.slot - one.slot)) {
    try {
      const { sending, currency, totals, slot: own } = await readManifest(join(folder, name));
      if (sending?.sent !== false) return { slot: unixMillis(Date.parse(own)), currency, totals };
    } catch {
      return 'damaged';
    }
  }
  return 'none';
};
