import { isUtf8 } from 'node:buffer';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fault, type LogExportFormat } from '../../core/index.ts';
import type { LogColumn } from '../../warehouse/index.ts';
import { columnAt } from '../format/learn-cells.ts';
import { isLogHeader, logColumns } from './log-header.ts';
import { spoolExport, type SpooledExport } from './spool-export.ts';
import { spoolFault, type OpenSpoolFile, type SpoolFile } from './spool-file.ts';
import { totalLine, type TotalLine } from './total-line.ts';

/** One log export on disk, without its total line. */
export type ReceivedLogs = SpooledExport & {
  readonly file: string;
  readonly columns: readonly LogColumn[];
  /** Rows, without the total line. */
  readonly served: number;
  readonly total: TotalLine | undefined;
  /** Whether the body's last line, header or row, ends with a line end. */
  readonly ended: boolean;
  /** The first row with another width, counted from 1. */
  readonly oddRecord: number | undefined;
};

const takeTotal = async (
  spooled: SpooledExport,
  columns: readonly LogColumn[],
  file: SpoolFile,
  { totalLine: comes }: LogExportFormat,
): Promise<TotalLine | undefined> => {
  const { lastRecord } = spooled.scan;
  // No row or total is longer than this.
  if (comes === false || lastRecord === undefined || lastRecord.end - lastRecord.start > 65_536)
    return undefined;
  const line = await file.read(lastRecord.start, lastRecord.end);
  // Damaged bytes prove nothing: as a row, the line is rejected or quarantined.
  if (!isUtf8(line)) return undefined;
  const quotaAt = columnAt(columns, 'quota');
  const total = totalLine(line.toString('utf8'), columns.length, quotaAt, columnAt(columns, 'created_at'));
  if (total !== undefined) await file.truncate(lastRecord.start);
  return total;
};

/**
 * Writes an export to the folder; `format` is what is already known about it. Undefined for an empty body.
 * @throws faults export-not-csv, export-column-missing, disk-full, path-unwritable, and those of the stream.
 */
export const receiveLogs = async (
  body: AsyncIterable<Uint8Array>,
  folder: string,
  openFile: OpenSpoolFile,
  onBytes: (bytes: number) => void,
  format: LogExportFormat = {},
): Promise<ReceivedLogs | undefined> => {
  try {
    const path = join(folder, 'rows.csv');
    await rm(path, { force: true });
    const file = await openFile(path);
    const isHeader = (cells: readonly string[], before: number): boolean =>
      before === (format.titleLines ?? before) && isLogHeader(cells, format.columns);
    try {
      const spooled = await spoolExport(body, file, isHeader, onBytes);
      if (spooled === undefined) return undefined;
      const columns = logColumns(spooled.header.cells, format.columns);
      const total = await takeTotal(spooled, columns, file, format);
      const { rows, firstOddRecord, endedWithNewline, lastRecord } = spooled.scan;
      const totalIsOdd = total !== undefined && firstOddRecord === rows;
      return {
        ...spooled,
        file: file.path,
        columns,
        total,
        served: total === undefined ? rows : rows - 1,
        ended: lastRecord === undefined ? spooled.header.complete : endedWithNewline,
        oddRecord: totalIsOdd ? undefined : firstOddRecord,
      };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw spoolFault(error, folder);
  }
};

/** What is known about a gateway's exports; every further export must match it. */
export type ExportFormat = {
  readonly columns: readonly LogColumn[];
  /** The last line has a line end like all others: an export without one is truncated. */
  readonly endsLines: boolean;
  readonly totalLine: boolean;
  /** An export without rows has no header either. */
  readonly emptyWithoutRows: boolean;
};

/** @throws fault export-truncated when the export breaks off, judged by the gateway's own export format. */
const checkWhole = (received: ReceivedLogs | undefined, exportFormat: ExportFormat): void => {
  const cut = (reason: string): never => {
    throw fault('export-truncated', `the export ended early: ${reason}`);
  };
  if (received === undefined) {
    if (!exportFormat.emptyWithoutRows) cut('it does not contain a header');
    return;
  }
  if (received.scan.openQuote) cut('it ends inside a quoted cell');
  if (exportFormat.endsLines && !received.ended) cut('its last line has no line ending');
  if (!received.ended && !exportFormat.totalLine && received.total?.odd === true)
    cut('its last line is incomplete');
  if (exportFormat.totalLine && received.total === undefined) cut('its total line is missing');
};

/** Whether nothing proves that it is complete: it is empty, or its last cell could be a truncated number. */
const lacksProof = (received: ReceivedLogs | undefined): boolean =>
  received === undefined ||
  (!received.ended &&
    received.served > 0 &&
    received.total === undefined &&
    // A time proves it by the form of the others; a single `…T08:00:00+08:00` may be cut before its zone.
    (received.served === 1 || received.columns.at(-1)?.role !== 'created_at'));

/**
 * Receives an export that is provably complete; one without proof is accepted when two requests return the same.
 * @throws fault export-truncated when it breaks off, judged by the gateway's own export format, and those of `receive`.
 */
export const receiveProven = async (
  receive: () => Promise<ReceivedLogs | undefined>,
  exportFormat: ExportFormat,
): Promise<ReceivedLogs | undefined> => {
  const received = await receive();
  checkWhole(received, exportFormat);
  if (!lacksProof(received)) return received;
  const again = await receive();
  checkWhole(again, exportFormat);
  if (lacksProof(again) && again?.received !== received?.received)
    throw fault(
      'export-truncated',
      'the export may have ended early: its end is not recognizable, and two downloads differ',
    );
  return again;
};
