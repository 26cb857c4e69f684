import { fault, isFault, type Fault, type Log, type Money } from '../../core/index.ts';
import type { LandedWindow, LogBatch, SeenKinds, Warehouse } from '../../warehouse/index.ts';
import { explainRows } from './explain-rows.ts';
import type { FetchedLogs } from './fetch-logs.ts';
import { logBatch } from './log-batch.ts';
import type { LogWindow } from './log-windows.ts';
import { isRowProblem, quarantineRows } from './quarantine-rows.ts';
import { roundAmounts } from './round-amounts.ts';
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
 * `roundAmounts`, amounts with more decimals are rounded, and with quarantine, it lands without its bad rows. @throws faults export-* and those of the warehouse.
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
  const land = async (one: LogBatch): Promise<LandedWindow> => {
    if (received?.oddRecord !== undefined && one.quarantined === undefined)
      throw fault(
        'export-row-invalid',
        `row ${received.oddRecord} differs in width from the header, or contains an unexpected quote`,
      );
    return warehouse.logs.landWindow(one, signal);
  };
  const isRefused = (error: unknown): error is Fault =>
    isFault(error) && error.code.startsWith('export-') && received !== undefined;
  const landWithout = async (error: unknown, refused: LogBatch): Promise<LandedWindow> => {
    if (!isRefused(error)) throw error;
    const accepted =
      deps.badRows === 'quarantine' && isRowProblem(error.code)
        ? await quarantineRows(refused, { linesBefore, openFile, signal })
        : undefined;
    if (accepted === undefined) throw (await explainRows(refused, linesBefore)) ?? error;
    const [first] = accepted.quarantined ?? [];
    log.warn('some rows of the export cannot be read; they are in quarantine and not included in any total', {
      rows: accepted.quarantined?.length,
      line: first?.line,
      reason: first?.reason,
    });
    return land(accepted);
  };
  const landRounded = async (error: unknown): Promise<LandedWindow> => {
    const { roundAmounts: decimals } = pull.profile;
    const rounded =
      decimals !== undefined && isRefused(error) && isRowProblem(error.code)
        ? await roundAmounts(batch, decimals, { openFile, signal })
        : undefined;
    if (rounded === undefined) return landWithout(error, batch);
    log.info('amounts of the export were rounded', { rows: rounded.rounded, decimals });
    return land(rounded).catch(async (next: unknown) => landWithout(next, rounded));
  };
  const landed = await land(batch).catch(landRounded);
  return {
    rows: landed.rows,
    quota: landed.quota,
    replaced: landed.replaced,
    restated: landed.restated ?? 0,
    quarantined: landed.quarantined ?? 0,
    kinds: landed.kinds,
  };
};
