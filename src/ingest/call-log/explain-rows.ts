import { isUtf8 } from 'node:buffer';
import {
  fault,
  money,
  secondsOfTime,
  timeFormOf,
  unixSeconds,
  zero,
  type Fault,
  type FaultCode,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import { needsAmount, timeSlack, type LogBatch, type TimeForm } from '../../warehouse/index.ts';
import { columnAt } from '../format/learn-cells.ts';
import { readRecords, type ReadRecord } from './read-records.ts';

export type Problem = { readonly code: FaultCode; readonly reason: string };

const shown = (cell: string): string => JSON.stringify(cell.slice(0, 60));

const tokens = /^-?\d{1,18}(\.0+)?$/;
/** A number as an amount may be written. */
export const amountPattern = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/;

const invalid = (reason: string): Problem => ({ code: 'export-row-invalid', reason });

const amountProblem = (cell: string, inUnits: boolean): Problem | undefined => {
  if (!amountPattern.test(cell)) return invalid(`the amount ${shown(cell)} is not a decimal number`);
  const [whole = '', fraction = ''] = money(cell).replace('-', '').split('.');
  if (inUnits && fraction !== '')
    return {
      code: 'export-amounts-changed',
      reason: `the amount ${shown(cell)} is not a whole number of units`,
    };
  if (fraction.length > 12)
    return { code: 'export-amount-inexact', reason: `the amount ${shown(cell)} has more than 12 decimals` };
  if (whole.length > 16) return invalid(`the amount ${shown(cell)} is too large`);
  return undefined;
};

/** Seconds UTC; undefined when the text is not a valid time. */
const secondsOf = (cell: string, time: TimeForm): number | undefined =>
  secondsOfTime(cell, time.form, (local) => {
    if (time.form !== 'naive') return 0;
    const [first] = time.offsets;
    const valid = time.offsets.findLast(({ fromLocal }) => local >= fromLocal) ?? first;
    return valid?.seconds ?? 0;
  });

/** A cell without the apostrophe that protects spreadsheets. */
export const unguarded = (cell: string | undefined): string => (cell ?? '').replace(/^'/, '');

const timeProblem = (name: string, cell: string, { time, asked }: LogBatch): Problem | undefined => {
  const code = 'export-timestamp-unreadable';
  if (timeFormOf(cell) !== time.form)
    return { code, reason: `${name} is ${shown(cell)}; the export uses ${time.form}` };
  const moment = secondsOf(cell, time);
  if (moment === undefined) return { code, reason: `${name} is ${shown(cell)}, which is not a valid time` };
  return moment < asked.start - timeSlack || moment > asked.end + timeSlack
    ? { code, reason: `${name} is ${shown(cell)}, far outside the requested range` }
    : undefined;
};

const rowProblem = (cells: readonly string[], batch: LogBatch): Problem | undefined => {
  const kindAt = columnAt(batch.columns, 'kind');
  for (const [index, { name, role }] of batch.columns.entries()) {
    const cell = unguarded(cells[index]);
    const problem = role === 'created_at' ? timeProblem(name, cell, batch) : undefined;
    if (problem !== undefined) return problem;
    if (role?.endsWith('_tokens') && cell !== '' && !tokens.test(cell))
      return invalid(`${name} is ${shown(cell)}, which is not a count`);
    if (role !== 'quota') continue;
    if (
      cell === '' &&
      needsAmount(kindAt === -1 ? '' : (cells[kindAt] ?? ''), kindAt === -1 ? {} : batch.kinds)
    )
      return invalid('a charged row has no amount');
    const wrong = cell === '' ? undefined : amountProblem(cell, batch.amounts.form === 'units');
    if (wrong !== undefined) return wrong;
  }
  return undefined;
};

/** A checked row, with its problem as text for people; the checks equal those of the landing statement. */
export type CheckedRow = ReadRecord & {
  readonly problem: Problem | undefined;
  /** Broken quotes or another width, over several lines: which rows it contains is unknown. */
  readonly tangled: boolean;
};

const check = (record: ReadRecord, batch: LogBatch): CheckedRow => {
  const misshapen = (problem: Problem): CheckedRow => ({
    ...record,
    problem,
    tangled: record.bytes.includes(10),
  });
  if ('broken' in record) return misshapen(invalid(record.broken));
  const { length } = record.cells;
  if (length !== batch.columns.length)
    return misshapen(invalid(`${length} cells where the header has ${batch.columns.length}`));
  const problem = isUtf8(record.bytes)
    ? rowProblem(record.cells, batch)
    : invalid('the row is not valid UTF-8');
  return { ...record, problem, tangled: false };
};

/** All rows of a spooled export. */
export async function* checkRows(batch: LogBatch): AsyncGenerator<CheckedRow> {
  for await (const record of readRecords(batch.file)) yield check(record, batch);
}

/** For a row with another problem: its second and its amount, as far as they are readable. */
export const knownOf = (
  row: CheckedRow,
  batch: LogBatch,
): { readonly at?: UnixSeconds | undefined; readonly amount?: Money | undefined } => {
  if (!('cells' in row) || row.cells.length !== batch.columns.length) return {};
  const time = unguarded(row.cells[columnAt(batch.columns, 'created_at')]);
  const quota = unguarded(row.cells[columnAt(batch.columns, 'quota')]);
  const at = timeProblem('', time, batch) === undefined ? secondsOf(time, batch.time) : undefined;
  const amount = quota === '' ? zero : amountPattern.test(quota) ? money(quota) : undefined;
  return {
    ...(at === undefined ? {} : { at: unixSeconds(at) }),
    amount,
  };
};

const shownRow = 200;

/** `line 5 of the export: 8 cells where the header has 7: "1767225600,gpt-4o…"`. */
export const rowFault = (row: CheckedRow, { code, reason }: Problem, linesBefore: number): Fault => {
  const text = row.bytes.toString('utf8', 0, 4 * shownRow);
  const message = JSON.stringify(text.length > shownRow ? `${text.slice(0, shownRow)}…` : text);
  return fault(code, `line ${linesBefore + row.line} of the export: ${reason}: ${message}`);
};

/** The first bad row of a spooled export, by its line in the export; undefined when every row passes the checks. */
export const explainRows = async (batch: LogBatch, linesBefore: number): Promise<Fault | undefined> => {
  for await (const row of checkRows(batch))
    if (row.problem !== undefined) return rowFault(row, row.problem, linesBefore);
  return undefined;
};
