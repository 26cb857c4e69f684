import { parse } from 'csv-parse/sync';
import { fault, timeFormOf, type GatewayProfile, type Interval, type UnixSeconds } from '../../core/index.ts';
import type { LogColumn, TimeForm } from '../../warehouse/index.ts';
import { offsetsOf } from './dst-overlaps.ts';

/**
 * Cells of one column in the first rows, without guards and blank cells. `cut` means that the sample may end anywhere:
 * only then its last line is omitted, which otherwise may be an unterminated row.
 */
export const sampleCells = (sample: Buffer, cut: boolean, at: number, width: number): readonly string[] => {
  const end = cut ? sample.lastIndexOf(10) : -1;
  const text = sample.toString('utf8', 0, end === -1 ? sample.length : end + 1);
  const rows: string[][] = parse(text, {
    to: 200,
    record_delimiter: '\n',
    relax_quotes: true,
    relax_column_count: true,
    skip_records_with_error: true,
  });
  return rows
    .filter((cells) => cells.length === width)
    .map((cells) => (cells[at] ?? '').replace(/^'/, '').trim())
    .filter((cell) => cell !== '');
};

/** The format of most cells: one of them may be broken. */
const commonForm = (cells: readonly string[]): TimeForm['form'] | undefined => {
  const found = cells.map(timeFormOf).filter((form) => form !== undefined);
  const times = (form: TimeForm['form']): number => found.filter((one) => one === form).length;
  return found.toSorted((left, right) => times(right) - times(left))[0];
};

/**
 * The form of `created_at`: as configured, else as in the first rows. Landing checks every row against it.
 * @throws fault export-timestamp-unreadable.
 */
export const learnTimeForm = (
  cells: readonly string[],
  profile: GatewayProfile,
  asked: Interval<UnixSeconds>,
): TimeForm => {
  const known = profile.timestamps === 'auto' ? undefined : profile.timestamps;
  const form = known ?? commonForm(cells);
  if (form === undefined && cells.length > 0)
    throw fault(
      'export-timestamp-unreadable',
      `created_at is written ${JSON.stringify((cells[0] ?? '').slice(0, 60))}, which is not a known time format`,
    );
  return form === 'naive'
    ? { form, offsets: offsetsOf(profile.naiveZone, asked) }
    : { form: form ?? 'seconds' };
};

/** Amounts with two or more decimals are no integer units; `1.0` may be one that was written as a float. */
export const decimalsWritten = (cells: readonly string[]): boolean =>
  cells.some((cell) => /^[+-]?\d*\.\d{2,}$/.test(cell));

export const columnAt = (columns: readonly LogColumn[], role: LogColumn['role']): number =>
  columns.findIndex((column) => column.role === role);
