import { fault, isFault, type Log, type Money } from '../../core/index.ts';
import type { LandedWindow, LogBatch, SeenKinds, Warehouse } from '../../warehouse/index.ts';
import { explainRows } from './explain-rows.ts';
import type { FetchedLogs } from './fetch-logs.ts';
import { logBatch } from './log-batch.ts';
import type { LogWindow } from './log-windows.ts';
import { isRowProblem, quarantineRows } from './quarantine-rows.ts';
import { openSpoolFile, type OpenSpoolFile } from './spool-file.ts';

/** What happens to a window with unreadable rows: it fails, or lands without them. */
export type BadRows = 'fail' | 'quarantine';

type LandDeps = {
  readonly warehouse: { readonly logs: Pick<Warehouse['logs'], 'landWindow'> };
  readonly log: Log;
  readonly openFile?: OpenSpoolFile | undefined;
  readonly badRows?: BadRows | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type LandedLogs = {
  readonly rows: number;
  readonly quota: Money;
  readonly restated: number;
  /** Unreadable rows, which were quarantined. */
  readonly quarantined: number;
  /** Kinds of the rows; omitted when no column contains them. */
  readonly kinds: SeenKinds | undefined;
};

/**
 * Lands a window whose export is on disk, all or nothing. The error for a rejected one names its first bad row; with
 * quarantine, it lands without its bad rows. @throws faults export-* and those of the warehouse.
 */
export const landFetched = async (
  window: LogWindow,
  { ask, received }: Pick<FetchedLogs, 'ask' | 'received'>,
  pull: Parameters<typeof logBatch>[3],
  deps: LandDeps,
): Promise<LandedLogs & { readonly replaced: number }> => {
  const { warehouse, log, signal, openFile = openSpoolFile } = deps;
  const batch = logBatch(window, ask, received, pull);
  const linesBefore = received?.header.lines ?? 0;
  const land = async (): Promise<LandedWindow> => {
    if (received?.oddRecord !== undefined)
      throw fault(
        'export-row-invalid',
        `row ${received.oddRecord} differs in width from the header, or contains an unexpected quote`,
      );
    return warehouse.logs.landWindow(batch, signal);
  };
  const landWithout = async (error: unknown): Promise<LandedWindow> => {
    if (!isFault(error) || !error.code.startsWith('export-') || received === undefined) throw error;
    const accepted: LogBatch | undefined =
      deps.badRows === 'quarantine' && isRowProblem(error.code)
        ? await quarantineRows(batch, { linesBefore, openFile, signal })
        : undefined;
    if (accepted === undefined) throw (await explainRows(batch, linesBefore)) ?? error;
    const [first] = accepted.quarantined ?? [];
    log.warn('some rows of the export cannot be read; they are in quarantine and not included in any total', {
      rows: accepted.quarantined?.length,
      line: first?.line,
      reason: first?.reason,
    });
    return warehouse.logs.landWindow(accepted, signal);
  };
  const landed = await land().catch(landWithout);
  return {
    rows: landed.rows,
    quota: landed.quota,
    replaced: landed.replaced,
    restated: landed.restated ?? 0,
    quarantined: landed.quarantined ?? 0,
    kinds: landed.kinds,
  };
};
