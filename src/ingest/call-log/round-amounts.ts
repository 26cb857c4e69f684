import { isUtf8 } from 'node:buffer';
import { dirname, join } from 'node:path';
import { decimalPlaces, money, roundMoney, type Money } from '../../core/index.ts';
import type { LogBatch } from '../../warehouse/index.ts';
import { columnAt } from '../format/learn-cells.ts';
import { readRecords, type ReadRecord } from './read-records.ts';
import { spoolFault, type OpenSpoolFile } from './spool-file.ts';

type RoundDeps = {
  readonly openFile: OpenSpoolFile;
  readonly signal?: AbortSignal | undefined;
};

/** Rounded half to even; undefined when the text is no number, or has no more decimals. */
export const roundedAmount = (written: string, decimals: number): Money | undefined => {
  if (!/^'?[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/.test(written)) return undefined;
  const amount = money(written.replace(/^'/, ''));
  return decimalPlaces(amount) <= decimals ? undefined : money(roundMoney(amount, decimals));
};

const cellText = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** The row with its amount rounded; undefined when it stays as it is. */
const roundedRow = (record: ReadRecord, at: number, { columns }: LogBatch, decimals: number) => {
  if (!('cells' in record) || record.cells.length !== columns.length || !isUtf8(record.bytes))
    return undefined;
  const amount = roundedAmount(record.cells[at] ?? '', decimals);
  return amount === undefined
    ? undefined
    : Buffer.from(record.cells.map((cell, index) => (index === at ? amount : cellText(cell))).join(','));
};

/**
 * Rounds the amounts of a rejected export that have more decimals, such as the floating-point number
 * `0.0016150000000000001`, row by row and half to even, into a file beside it with the same lines. Undefined when no
 * amount is rounded. @throws faults of the spool
 */
export const roundAmounts = async (
  batch: LogBatch,
  decimals: number,
  { openFile, signal }: RoundDeps,
): Promise<LogBatch | undefined> => {
  const at = columnAt(batch.columns, 'quota');
  if (at === -1) return undefined;
  const folder = dirname(batch.file);
  let rounded = 0;
  let line = 1;
  try {
    const file = await openFile(join(folder, 'rounded-rows.csv'));
    try {
      for await (const record of readRecords(batch.file)) {
        signal?.throwIfAborted();
        const row = roundedRow(record, at, batch, decimals);
        if (row !== undefined) rounded += 1;
        const bytes = row ?? record.bytes;
        // Blank lines stay, so that an error names the line of the export.
        const skipped = '\n'.repeat(Math.max(0, record.line - line));
        await file.append(
          Buffer.concat([Buffer.from(skipped), bytes, Buffer.from(record.ended ? '\n' : '')]),
        );
        line = record.line + record.bytes.filter((byte) => byte === 10).length + 1;
      }
    } finally {
      await file.close();
    }
    return rounded === 0 ? undefined : { ...batch, file: file.path, rounded };
  } catch (error) {
    throw spoolFault(error, folder);
  }
};
