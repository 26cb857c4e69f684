import { dirname, join } from 'node:path';
import { fault } from '../base/index.ts';
import type { FaultCode } from '../base/index.ts';
import type { BadRow, LogBatch } from '../warehouse/index.ts';
import { checkRows, knownOf, rowFault } from './explain-rows.ts';
import type { CheckedRow, Trouble } from './explain-rows.ts';
import { spoolFault } from './spool-file.ts';
import type { OpenSpoolFile } from './spool-file.ts';

/** More bad rows than this are no accident of a row: the export is misread, and the window fails. */
const mostBad = 1000;

/** Trouble of one row alone; anything else is of the whole export. */
const ofRow: ReadonlySet<FaultCode> = new Set([
  'export-row-invalid',
  'export-timestamp-unreadable',
  'export-amount-inexact',
]);

export const isRowTrouble = (code: FaultCode): boolean => ofRow.has(code);

type SiftMeans = {
  readonly linesBefore: number;
  readonly openFile: OpenSpoolFile;
  readonly signal?: AbortSignal | undefined;
};

/** @throws the row's fault where leaving it out would hide more than the row. */
const refuseHiding = (row: CheckedRow, trouble: Trouble, bad: number, linesBefore: number): void => {
  const line = linesBefore + row.line;
  if (!row.ended)
    throw fault('export-truncated', `the export broke off in its last row, line ${line}: ${trouble.reason}`);
  if (!isRowTrouble(trouble.code) || row.tangled) throw rowFault(row, trouble, linesBefore);
  if (bad >= mostBad)
    throw fault(
      'export-row-invalid',
      `more than ${mostBad} rows can’t be read, the last at line ${line} of the export: ${trouble.reason}`,
    );
};

/**
 * Puts the bad rows of a refused export aside and the good ones in a file beside it, as they stand. Nothing when no row is
 * bad. @throws faults export-*, where more than single rows is broken, and those of the spool.
 */
export const siftRows = async (batch: LogBatch, means: SiftMeans): Promise<LogBatch | undefined> => {
  const { linesBefore, signal } = means;
  const folder = dirname(batch.file);
  const quarantined: BadRow[] = [];
  let served = 0;
  try {
    const file = await means.openFile(join(folder, 'good-rows.csv'));
    try {
      for await (const row of checkRows(batch)) {
        signal?.throwIfAborted();
        if (row.trouble === undefined) {
          await file.append(row.ended ? Buffer.concat([row.bytes, Buffer.from('\n')]) : row.bytes);
          served += 1;
          continue;
        }
        refuseHiding(row, row.trouble, quarantined.length, linesBefore);
        const text = row.bytes.toString('utf8');
        const line = linesBefore + row.line;
        quarantined.push({ line, text, reason: row.trouble.reason, ...knownOf(row, batch) });
      }
    } finally {
      await file.close();
    }
    return quarantined.length === 0 ? undefined : { ...batch, file: file.path, served, quarantined };
  } catch (error) {
    throw spoolFault(error, folder);
  }
};
