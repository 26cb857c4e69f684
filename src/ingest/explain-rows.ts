import { createReadStream } from 'node:fs';
import { CsvError, parse } from 'csv-parse';
import { fault, money } from '../base/index.ts';
import type { Fault, FaultCode } from '../base/index.ts';
import { timeSlack } from '../warehouse/index.ts';
import type { LogBatch } from '../warehouse/index.ts';
import { timeFormOf } from './learn-cells.ts';

type Trouble = { readonly code: FaultCode; readonly reason: string };

const shown = (cell: string): string => JSON.stringify(cell.slice(0, 60));

const tokens = /^-?\d{1,18}(\.0+)?$/;
const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;

const amountTrouble = (cell: string, inUnits: boolean): Trouble | undefined => {
  if (!number.test(cell))
    return { code: 'export-row-invalid', reason: `the amount ${shown(cell)} is no decimal number` };
  const [whole = '', fraction = ''] = money(cell).replace('-', '').split('.');
  if (inUnits && fraction !== '')
    return {
      code: 'export-amounts-changed',
      reason: `the amount ${shown(cell)} is no whole number of units`,
    };
  if (fraction.length > 12)
    return { code: 'export-amount-inexact', reason: `the amount ${shown(cell)} has more than 12 decimals` };
  if (whole.length > 16 || cell.replace(/\D.*/, '').length > 16)
    return { code: 'export-row-invalid', reason: `the amount ${shown(cell)} is too large` };
  return undefined;
};

/** Seconds UTC; nothing for naive times, whose zone only the landing statement knows. */
const secondsOf = (cell: string, form: LogBatch['time']['form']): number | undefined => {
  if (form === 'naive') return undefined;
  if (form === 'rfc3339') return Math.floor(Date.parse(cell.replace(' ', 'T')) / 1000);
  return form === 'seconds' ? Number(cell) : Math.floor(Number(cell) / 1000);
};

const timeTrouble = (name: string, cell: string, { time, asked }: LogBatch): Trouble | undefined => {
  const code = 'export-timestamp-unreadable';
  if (timeFormOf(cell) !== time.form)
    return { code, reason: `${name} is ${shown(cell)}, where the export writes ${time.form}` };
  const moment = secondsOf(cell, time.form);
  return moment !== undefined && (moment < asked.start - timeSlack || moment > asked.end + timeSlack)
    ? { code, reason: `${name} is ${shown(cell)}, far outside what was asked for` }
    : undefined;
};

/** What is wrong with one row, in the words a person needs; the same checks as the landing statement makes. */
export const rowTrouble = (cells: readonly string[], batch: LogBatch): Trouble | undefined => {
  if (cells.length !== batch.columns.length)
    return {
      code: 'export-row-invalid',
      reason: `${cells.length} cells where the header has ${batch.columns.length}`,
    };
  if (cells.some((cell) => cell.includes('\uFFFD')))
    return { code: 'export-row-invalid', reason: 'the text is not UTF-8' };
  for (const [index, { name, role }] of batch.columns.entries()) {
    const cell = (cells[index] ?? '').replace(/^'/, '');
    const trouble = role === 'created_at' ? timeTrouble(name, cell, batch) : undefined;
    if (trouble !== undefined) return trouble;
    if (role?.endsWith('_tokens') && cell !== '' && !tokens.test(cell))
      return { code: 'export-row-invalid', reason: `${name} is ${shown(cell)}, which is no count` };
    if (role === 'quota' && cell !== '') {
      const trouble = amountTrouble(cell, batch.amounts.form === 'units');
      if (trouble !== undefined) return trouble;
    }
  }
  return undefined;
};

/** The first bad row of a spooled export, by the line it had in the export; nothing when every row looks right. */
export const explainRows = async (batch: LogBatch, linesBefore: number): Promise<Fault | undefined> => {
  const rows = createReadStream(batch.file).pipe(parse({ relax_column_count: true, info: true }));
  let line = linesBefore + 1;
  try {
    for await (const { record, info } of rows as AsyncIterable<{
      readonly record: readonly string[];
      readonly info: { readonly lines: number };
    }>) {
      const trouble = rowTrouble(record, batch);
      if (trouble !== undefined) return fault(trouble.code, `line ${line} of the export: ${trouble.reason}`);
      line = linesBefore + info.lines + 1;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // It reads ahead of the rows it has handed out: its own count of lines is the one to tell.
    const at = linesBefore + Number(error['lines'] ?? line - linesBefore);
    const words = error.message.replace(/ (at|on) line \d+/, '');
    return fault('export-row-invalid', `line ${at} of the export: ${words}`, { cause: error });
  }
  return undefined;
};
