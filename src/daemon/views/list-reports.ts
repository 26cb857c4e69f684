import type { Deps } from '../../core/index.ts';
import { listReports, type ReportList } from '../../jobs/index.ts';
import { readConfig } from '../../settings.ts';
import { databaseOf } from '../good-config.ts';
import { pathsOf } from '../paths.ts';

/**
 * Reads the files of the archive, without a daemon or the database.
 * @throws Fault `config-invalid` when the database path is unknown, `report-damaged`
 */
export const reportsKept = async (
  deps: Deps,
  folder: string,
  query: { readonly job?: string | undefined; readonly limit: number },
): Promise<ReportList> => {
  const loaded = await readConfig(folder, deps);
  const warehouse = loaded.config?.settings.warehouse ?? { path: databaseOf(loaded) };
  const { reportsDirectory } = pathsOf(deps, warehouse);
  return listReports(reportsDirectory, query);
};
