import { fault, type FaultCode } from '../../core/index.ts';
import type { BadRow, LogBatch } from '../../warehouse/index.ts';
import { checkRows, knownOf, rowFault, type CheckedRow, type Problem } from './explain-rows.ts';
import { writeBeside, type OpenSpoolFile } from './spool-file.ts';

/** More bad rows than this mean that the export is misread, and the window fails. */
const maxBad = 1000;

/** Problems of a single row; any other concerns the whole export. */
const ofRow: ReadonlySet<FaultCode> = new Set([
  'export-row-invalid',
  'export-timestamp-unreadable',
  'export-amount-inexact',
]);

export const isRowProblem = (code: FaultCode): boolean => ofRow.has(code);

type QuarantineDeps = {
  readonly linesBefore: number;
  readonly openFile: OpenSpoolFile;
  readonly signal?: AbortSignal | undefined;
};

/** @throws the row's fault when omitting the row would hide more than the row. */
const refuseHiding = (row: CheckedRow, problem: Problem, bad: number, linesBefore: number): void => {
  const line = linesBefore + row.line;
  if (!row.ended)
    throw fault(
      'export-truncated',
      `the export ended early in its last row, line ${line}: ${problem.reason}`,
    );
  if (!isRowProblem(problem.code) || row.tangled) throw rowFault(row, problem, linesBefore);
  if (bad >= maxBad)
    throw fault(
      'export-row-invalid',
      `more than ${maxBad} rows cannot be read, the last one at line ${line} of the export: ${problem.reason}`,
    );
};

/**
 * Quarantines the bad rows of a rejected export, and writes the good ones unchanged to a file beside it. Undefined when
 * no row is bad. @throws faults export-*, when more than single rows is broken, and those of the spool.
 */
export const quarantineRows = async (
  batch: LogBatch,
  deps: QuarantineDeps,
): Promise<LogBatch | undefined> => {
  const { linesBefore, signal, openFile } = deps;
  const quarantined: BadRow[] = [];
  const { path, outcome: served } = await writeBeside(batch, 'good-rows.csv', openFile, async (file) => {
    let good = 0;
    for await (const row of checkRows(batch)) {
      signal?.throwIfAborted();
      if (row.problem === undefined) {
        await file.append(row.ended ? Buffer.concat([row.bytes, Buffer.from('\n')]) : row.bytes);
        good += 1;
        continue;
      }
      refuseHiding(row, row.problem, quarantined.length, linesBefore);
      const text = row.bytes.toString('utf8');
      const line = linesBefore + row.line;
      quarantined.push({ line, text, reason: row.problem.reason, ...knownOf(row, batch) });
    }
    return good;
  });
  return quarantined.length === 0 ? undefined : { ...batch, file: path, served, quarantined };
};
