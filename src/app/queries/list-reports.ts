import type { Deps } from '../../core/index.ts';
import { folderOfJob, listReports, namesIn, type ReportList } from '../../jobs/index.ts';
import { readConfig } from '../../settings.ts';
import { databaseOf, unknownJob } from '../accounts/good-config.ts';
import { pathsOf } from '../data-folder/paths.ts';

/**
 * Reads the files of the archive, without a daemon or the database.
 * @throws Fault `config-invalid` when the database path is unknown, `job-unknown` for a job that is neither configured nor has
 *   stored reports, `report-damaged`
 */
export const reportsKept = async (
  deps: Deps,
  folder: string,
  query: { readonly job?: string | undefined; readonly limit: number },
): Promise<ReportList> => {
  const loaded = await readConfig(folder, deps);
  const warehouse = loaded.config?.settings.warehouse ?? { path: databaseOf(loaded) };
  const { reportsDirectory } = pathsOf(deps, warehouse);
  const job = query.job?.normalize('NFC');
  if (job !== undefined && loaded.config !== undefined) {
    // A job that was removed keeps its reports.
    const names = [...new Set([...Object.keys(loaded.config.jobs), ...(await namesIn(reportsDirectory))])];
    if (!names.includes(job) && !names.includes(folderOfJob(job)))
      throw unknownJob(job, Object.keys(loaded.config.jobs));
  }
  return listReports(reportsDirectory, { ...query, job });
};
