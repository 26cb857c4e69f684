import type { Deps } from '../../core/index.ts';
import { listReports, type ReportList } from '../../jobs/index.ts';
import { readConfig } from '../../settings.ts';
import { databaseOf } from '../good-config.ts';
import { pathsOf } from '../paths.ts';

/**
 * The reports kept beside the database of a config. They are files, so that neither a daemon nor the database is asked.
 * @throws Fault `config-invalid` where not even the database is known, `report-damaged`
 */
export const reportsKept = async (
  deps: Deps,
  folder: string,
  query: { readonly job?: string | undefined; readonly limit: number },
): Promise<ReportList> => {
  const loaded = await readConfig(folder, deps);
  const { reportsDirectory } = pathsOf(deps, {
    path: databaseOf(loaded),
  });
  return listReports(reportsDirectory, query);
};
