import type { KeyJournalRow } from '../../warehouse/index.ts';
import { readLine } from './audit-line.ts';

export type AuditComparison = {
  readonly steps: number;
  /** The first difference; undefined if lines and steps match one to one. */
  readonly differs?: string;
};

export const compareAudit = async (
  lines: AsyncIterable<string>,
  rows: readonly Pick<KeyJournalRow, 'seq' | 'hash' | 'event'>[],
): Promise<AuditComparison> => {
  const steps = rows.length;
  const differs = (why: string): AuditComparison => ({ steps, differs: why });
  let number = 0;
  for await (const text of lines) {
    const row = rows[number];
    number += 1;
    const line = readLine(text);
    if (typeof line === 'string') return differs(`line ${number}: ${line}`);
    if (row === undefined)
      return differs(`the file has a line ${number}, and the database ends with step ${steps}`);
    if (line.seq !== row.seq || line.hash !== row.hash)
      return differs(`line ${number} is not step ${row.seq} of the database: its hash differs`);
    if (line.written !== row.event)
      return differs(`step ${row.seq} of the database was changed: its content does not match its hash`);
  }
  return number < steps
    ? differs(`the file ends with step ${number}, and the database with step ${steps}: lines were removed`)
    : { steps };
};
