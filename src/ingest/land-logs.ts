import { fault, isFault } from '../base/index.ts';
import type { Log, Money } from '../base/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import { explainRows } from './explain-rows.ts';
import type { FetchedLogs } from './fetch-logs.ts';
import { logBatch } from './log-batch.ts';
import type { LogWindow } from './log-windows.ts';

type LandMeans = {
  readonly warehouse: { readonly logs: Pick<Warehouse['logs'], 'landWindow'> };
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
};

export type LandedLogs = { readonly rows: number; readonly quota: Money; readonly restated: number };

/**
 * Lands a window whose export is on disk, whole or not at all; a refused one is told by its first bad row.
 * @throws faults export-* and those of the warehouse.
 */
export const landFetched = async (
  window: LogWindow,
  { ask, received }: Pick<FetchedLogs, 'ask' | 'received'>,
  pull: Parameters<typeof logBatch>[3],
  means: LandMeans,
): Promise<LandedLogs & { readonly replaced: number }> => {
  const batch = logBatch(window, ask, received, pull);
  const explain = async (error: unknown): Promise<never> => {
    if (!isFault(error) || !error.code.startsWith('export-') || received === undefined) throw error;
    throw (await explainRows(batch, received.header.lines)) ?? error;
  };
  if (received?.oddRecord !== undefined)
    await explain(fault('export-row-invalid', `row ${received.oddRecord} has another width than the header`));
  const landed = await means.warehouse.logs.landWindow(batch, means.signal).catch(explain);
  return {
    rows: landed.rows,
    quota: landed.quota,
    replaced: landed.replaced,
    restated: landed.restated ?? 0,
  };
};
