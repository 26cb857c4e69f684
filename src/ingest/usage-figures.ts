import { usageTime } from './usage-time.ts';
import type { UsageLayout, UsageRecord } from './usage-layout.ts';

/** One number of the export, before totals and rests are told apart. */
export type Figure = {
  readonly time: string;
  readonly entry: string;
  readonly cell: string;
  readonly line: number;
};

const wideFigures = (header: UsageRecord, rows: readonly UsageRecord[]): readonly Figure[] =>
  rows.flatMap(({ cells, line }) =>
    header.cells
      .slice(1)
      .map((entry, at) => ({ time: cells[0] ?? '', entry, cell: cells[at + 1] ?? '', line })),
  );

const transposedFigures = (header: UsageRecord, rows: readonly UsageRecord[]): readonly Figure[] =>
  rows.flatMap(({ cells, line }) =>
    header.cells
      .slice(1)
      .map((time, at) => ({ time, entry: cells[0] ?? '', cell: cells[at + 1] ?? '', line })),
  );

const longFigures = (header: UsageRecord, rows: readonly UsageRecord[], zone: string): readonly Figure[] => {
  const timeAt = Math.max(0, rows[0]?.cells.findIndex((cell) => usageTime(cell, zone) !== undefined) ?? 0);
  const valueAt = header.cells.length - 1 === timeAt ? header.cells.length - 2 : header.cells.length - 1;
  const entryAt = [0, 1, 2].find((at) => at !== timeAt && at !== valueAt) ?? 1;
  return rows.map(({ cells, line }) => ({
    time: cells[timeAt] ?? '',
    entry: cells[entryAt] ?? '',
    cell: cells[valueAt] ?? '',
    line,
  }));
};

/** The numbers of an export, whatever its layout. */
export const figuresOf = (
  layout: UsageLayout,
  header: UsageRecord,
  rows: readonly UsageRecord[],
  zone: string,
): readonly Figure[] => {
  if (layout === 'long') return longFigures(header, rows, zone);
  return layout === 'wide' ? wideFigures(header, rows) : transposedFigures(header, rows);
};
