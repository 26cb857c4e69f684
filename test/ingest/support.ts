import { noProgress, silentLog, systemClock, unknownGateway } from '../../src/core/index.ts';
import type { LogPull, LogPullDeps } from '../../src/ingest/index.ts';
import type { Warehouse } from '../../src/warehouse/index.ts';
import {
  openInMemory,
  openNew as openNewWarehouse,
  testFolder,
  type TestFolder,
} from '../warehouse/support.ts';
import {
  logSource,
  seconds,
  type LogSource,
  type SourceRow,
  type SourceStyle,
} from './call-log/log-source.ts';

export { openInMemory as openIn, testFolder };

/** A folder, and a warehouse in memory; both go with the test. */
export const openNew = () => openNewWarehouse(openInMemory);

export const base = 1_767_225_600; // 2026-01-01T00:00:00Z

export const pullOf = (
  folder: TestFolder,
  warehouse: Warehouse,
  source: Pick<LogSource, 'fetchLogs'>,
  change: Partial<LogPull & LogPullDeps> = {},
): LogPull & LogPullDeps => ({
  account: 'main',
  since: seconds(base),
  until: seconds(base + 86_400),
  windowSeconds: 21_600,
  columns: 'detailed',
  currency: 'USD',
  profile: unknownGateway,
  fetchLogs: source.fetchLogs,
  warehouse,
  spoolDirectory: folder.spool,
  clock: systemClock,
  log: silentLog,
  progress: noProgress,
  ...change,
});

/** A warehouse and a gateway of the test, together. */
export const setUp = async (rows: readonly SourceRow[], style: Partial<SourceStyle> = {}) => {
  const folder = await testFolder();
  const warehouse = await openInMemory(folder);
  return {
    folder,
    warehouse,
    source: logSource(rows, style),
    [Symbol.asyncDispose]: async () => {
      await warehouse[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};
