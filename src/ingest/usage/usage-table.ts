import { fault, money, zero, type Money, type UnixMillis } from '../../core/index.ts';
import type { UsageValue } from '../../warehouse/index.ts';
import { figuresOf } from './usage-figures.ts';
import {
  amountText,
  isOther,
  isTotal,
  layoutOf,
  type SeriesNames,
  type UsageLayout,
  type UsageRecord,
} from './usage-layout.ts';
import { splitTotals, type UsageCell } from './usage-totals.ts';
import { usageTime } from './usage-time.ts';

export type UsageTable = {
  readonly layout: UsageLayout;
  /** Lines after the header, including totals. */
  readonly rows: number;
  readonly values: readonly UsageValue[];
  /** Non-zero remainders that the gateway summed up, if any. */
  readonly rests: readonly UsageValue[];
  /** Buckets whose own total exceeds the sum of their entries. */
  readonly shortBuckets: readonly number[];
};

/** Maximum number of title lines before the header. */
const deepest = 10;

const refuse = (line: number, reason: string) =>
  fault('export-row-invalid', `line ${line} of the usage export: ${reason}`);

const shown = (cell: string): string => JSON.stringify(cell.slice(0, 60));

const amount = (cell: string, line: number): Money => {
  const written = cell.trim().replace(/^'/, '');
  if (!amountText.test(written)) throw refuse(line, `${shown(cell)} is not an amount`);
  return money(written);
};

const plainValue = ({ bucket, entry, value }: UsageCell): UsageValue => ({ bucket, entry, value });

/**
 * Reads a usage export in any layout. Blank cells are zero and omitted; totals are checked and omitted.
 * @throws faults usage-layout-unknown, export-row-invalid, export-timestamp-unreadable.
 */
export const readUsageTable = (records: readonly UsageRecord[], series: SeriesNames): UsageTable => {
  const at = records
    .slice(0, deepest)
    .findIndex((record, index) => layoutOf(record, records.slice(index + 1), series) !== undefined);
  const header = records[at];
  const rows = records.slice(at + 1);
  const layout = header === undefined ? undefined : layoutOf(header, rows, series);
  if (header === undefined || layout === undefined)
    throw fault(
      'usage-layout-unknown',
      `the usage export begins with ${shown(records[0]?.cells.join(',') ?? '')}, which is not a known layout`,
    );
  const odd = rows.find(({ cells }) => cells.length !== header.cells.length);
  if (odd !== undefined)
    throw refuse(odd.line, `${odd.cells.length} cells where the header has ${header.cells.length}`);

  const moments = new Map<string, UnixMillis | undefined>();
  const momentAt = (time: string): UnixMillis | undefined => {
    if (!moments.has(time)) moments.set(time, usageTime(time, series.zone));
    return moments.get(time);
  };
  const cells = figuresOf(layout, header, rows, series.zone)
    // Blank is zero; a total over all buckets is no bucket.
    .filter(({ cell, time }) => cell.trim() !== '' && !isTotal(time))
    .map(({ time, entry, cell, line }): UsageCell => {
      const bucket = momentAt(time);
      if (bucket === undefined)
        throw fault(
          'export-timestamp-unreadable',
          `line ${line} of the usage export: ${shown(time)} is not a time`,
        );
      const name = entry.trim().replace(/^'(?=[=+\-@\t\r])/, '');
      return { bucket, entry: name, value: amount(cell, line), written: cell };
    });
  const { parts, shortBuckets } = splitTotals(cells, layout);
  const rests = parts.filter(({ entry, value }) => isOther(entry) && value !== zero);
  return {
    layout,
    rows: rows.length,
    values: parts.filter(({ entry }) => !isOther(entry)).map(plainValue),
    rests: rests.map(plainValue),
    shortBuckets,
  };
};
