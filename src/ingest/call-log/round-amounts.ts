import { isUtf8 } from 'node:buffer';
import { csvCell, money, withDecimals, type Money } from '../../core/index.ts';
import type { LogBatch } from '../../warehouse/index.ts';
import { columnAt } from '../format/learn-cells.ts';
import { amountPattern, unguarded } from './explain-rows.ts';
import { readRecords, type ReadRecord } from './read-records.ts';
import { writeBeside, type OpenSpoolFile } from './spool-file.ts';

type RoundDeps = {
  readonly openFile: OpenSpoolFile;
  readonly signal?: AbortSignal | undefined;
};

/** Rounded half to even; undefined when the cell is no number, or has no more decimals. */
const roundedAmount = (cell: string, decimals: number): Money | undefined => {
  const written = unguarded(cell);
  if (!amountPattern.test(written)) return undefined;
  const amount = money(written);
  const rounded = withDecimals(amount, decimals);
  return rounded === amount ? undefined : rounded;
};

/** The row with its amount rounded; undefined when it stays as it is. */
const roundedRow = (record: ReadRecord, at: number, { columns }: LogBatch, decimals: number) => {
  if (!('cells' in record) || record.cells.length !== columns.length || !isUtf8(record.bytes))
    return undefined;
  const amount = roundedAmount(record.cells[at] ?? '', decimals);
  return amount === undefined
    ? undefined
    : Buffer.from(record.cells.map((cell, index) => (index === at ? amount : csvCell(cell))).join(','));
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
  const { path, outcome: rounded } = await writeBeside(batch, 'rounded-rows.csv', openFile, async (file) => {
    let changed = 0;
    let line = 1;
    for await (const record of readRecords(batch.file)) {
      signal?.throwIfAborted();
      const row = roundedRow(record, at, batch, decimals);
      if (row !== undefined) changed += 1;
      // Blank lines stay, so that an error names the line of the export.
      const skipped = Buffer.from('\n'.repeat(Math.max(0, record.line - line)));
      await file.append(Buffer.concat([skipped, row ?? record.bytes, Buffer.from(record.ended ? '\n' : '')]));
      line = record.line + record.bytes.filter((byte) => byte === 10).length + 1;
    }
    return changed;
  });
  return rounded === 0 ? undefined : { ...batch, file: path, rounded };
};
