import { fault } from '../../core/index.ts';
import {
  beginningOf,
  findHeader,
  headerLimit,
  headerProblem,
  isForeign,
  otherFormat,
  type FoundHeader,
  type IsHeader,
} from '../format/find-header.ts';
import { createRowScanner, type RowScanner, type Scan } from './row-scanner.ts';
import type { SpoolFile } from './spool-file.ts';

/** An export on disk: only rows, with LF line ends; header and title lines are kept separately. */
export type SpooledExport = {
  readonly header: FoundHeader;
  readonly scan: Scan;
  /** The first rows, from which the format of cells is derived. */
  readonly sample: Buffer;
  /** There are more rows than the sample contains. */
  readonly sampleCut: boolean;
  /** Bytes received. */
  readonly received: number;
};

const sampleBytes = 65_536;

/** Exports have about 60 columns; the engine takes seconds for thousands. */
const maxColumns = 1000;

/** Bytes of a row: DuckDB reads no longer ones, and an endless one would fill the disk. */
const maxRow = 2_000_000;

const noHeader = (start: Buffer): never => {
  const message = JSON.stringify(beginningOf(start));
  if (isForeign(start)) throw fault('export-not-csv', `the gateway answered ${message} instead of CSV`);
  const other = otherFormat(start);
  if (other !== undefined)
    throw fault('export-not-csv', `the export cannot be read as CSV: ${other}; it begins with ${message}`, {
      advice: 'ask the operator of the gateway for exports as CSV with commas, in UTF-8; nothing was stored',
    });
  throw fault('export-column-missing', `the export has no header with created_at; it begins with ${message}`);
};

/**
 * Writes the rows of an export to the file while counting them, in bounded memory. Undefined for an empty body. @throws
 * faults export-not-csv, export-column-missing, and whatever the stream or the disk throws.
 */
export const spoolExport = async (
  body: AsyncIterable<Uint8Array>,
  file: SpoolFile,
  isHeader: IsHeader,
  onBytes: (received: number) => void,
): Promise<SpooledExport | undefined> => {
  let start: Buffer = Buffer.alloc(0);
  let header: FoundHeader | undefined;
  let scanner: RowScanner | undefined;
  let received = 0;
  let sample: Buffer = Buffer.alloc(0);

  const takeRows = async (chunk: Buffer): Promise<void> => {
    if (chunk.length === 0 || scanner === undefined) return;
    const kept = scanner.scan(chunk);
    if (scanner.unfinished() > maxRow)
      throw fault('export-row-invalid', `the export has a row of more than ${maxRow} bytes`);
    if (sample.length < sampleBytes)
      sample = Buffer.concat([sample, kept.subarray(0, sampleBytes - sample.length)]);
    await file.append(kept);
  };
  const lookForHeader = async (ended: boolean): Promise<void> => {
    header = findHeader(start, ended, isHeader);
    if (header === undefined) {
      if ((ended && start.length > 0) || start.length > headerLimit) noHeader(start);
      return;
    }
    const problem = headerProblem(header);
    if (problem !== undefined)
      throw fault('export-not-csv', `the export cannot be read as CSV: ${problem}`, {
        advice:
          'look at the export of the gateway; nothing was stored, and the window is pulled again by the next run',
      });
    const { length } = header.cells;
    if (length > maxColumns)
      throw fault('export-not-csv', `the export has ${length} columns, more than ${maxColumns}`);
    scanner = createRowScanner(length);
    await takeRows(start.subarray(header.bytes));
  };

  for await (const bytes of body) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    received += chunk.length;
    onBytes(chunk.length);
    if (scanner === undefined) {
      start = Buffer.concat([start, chunk]);
      await lookForHeader(false);
    } else await takeRows(chunk);
  }
  if (scanner === undefined && start.toString('utf8').replace('\uFEFF', '').trim() !== '')
    await lookForHeader(true);
  if (scanner === undefined || header === undefined) return undefined;
  const scan = scanner.finish();
  return { header, scan, sample, sampleCut: scan.bytes > sample.length, received };
};
