import { parse } from 'csv-parse';
import { fault, isFault, messageOf } from '../../core/index.ts';
import type { SeriesNames, UsageRecord } from './usage-layout.ts';
import { readUsageTable, type UsageTable } from './usage-table.ts';
import { beginningOf, isForeign } from '../format/find-header.ts';

/** Cells of an export: 300,000 sums in the long layout. A longer export is requested in parts. */
const maxCells = 1_000_000;

/** Characters of a record. */
const maxRecord = 2_000_000;

export type ReceivedUsage = {
  /** Undefined for an empty body. */
  readonly table: UsageTable | undefined;
  /** The last line has a line end. */
  readonly ended: boolean;
  readonly bytes: number;
};

/** @throws faults export-not-csv, usage-layout-unknown, export-row-invalid, export-timestamp-unreadable, gateway-answer-too-large. */
export const receiveUsage = async (
  body: AsyncIterable<Uint8Array>,
  series: SeriesNames,
): Promise<ReceivedUsage> => {
  let bytes = 0;
  let lastByte: number | undefined;
  let start: Buffer = Buffer.alloc(0);
  const parser = parse({
    bom: true,
    // Its own search for the delimiter takes seconds for a long header.
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    info: true,
    skip_empty_lines: true,
    max_record_size: maxRecord,
  });
  const records: UsageRecord[] = [];
  let line = 1;
  let cells = 0;
  parser.on('data', ({ record, info }: { record: readonly string[]; info: { lines: number } }) => {
    cells += record.length;
    if (cells <= maxCells) records.push({ line, cells: record });
    line = info.lines + 1;
  });
  const checkCells = (): void => {
    if (cells > maxCells)
      throw fault('gateway-answer-too-large', `the usage export has more than ${maxCells} cells`);
  };
  const done = new Promise<void>((resolve, reject) => {
    parser.on('end', resolve);
    parser.on('error', reject);
  });
  // Awaited below; until then the stream may throw first.
  done.catch(() => undefined);
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      lastByte = chunk.at(-1) ?? lastByte;
      if (start.length < 256) start = Buffer.concat([start, chunk.subarray(0, 256)]);
      checkCells();
      if (!parser.write(chunk) && !parser.errored)
        await Promise.race([new Promise((resolve) => parser.once('drain', resolve)), done]);
    }
    parser.end();
    await done;
    checkCells();
  } catch (error) {
    parser.destroy();
    if (isFault(error)) throw error;
    if (isForeign(start)) throw foreign(start);
    throw fault('export-row-invalid', `line ${line} of the usage export: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (isForeign(start)) throw foreign(start);
  const ended = lastByte === 10;
  try {
    return { table: records.length === 0 ? undefined : readUsageTable(records, series), ended, bytes };
  } catch (error) {
    if (ended || !isFault(error) || !error.code.startsWith('export-')) throw error;
    throw fault('export-truncated', `the usage export ended early: ${error.message}`, { cause: error });
  }
};

const foreign = (start: Buffer) =>
  fault('export-not-csv', `the gateway answered ${JSON.stringify(beginningOf(start))} instead of CSV`);
