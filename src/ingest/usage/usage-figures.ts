import { usageTime } from './usage-time.ts';
import { isTimeName, isValueName, type UsageLayout, type UsageRecord } from './usage-layout.ts';

/** One number of the export, before totals and rests are identified. */
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

/** The columns of time, entry and value in a long layout: by name, else by their content. */
const placesOf = (header: UsageRecord, rows: readonly UsageRecord[], zone: string) => {
  const columns = [0, 1, 2];
  const isTimeIn = (at: number): boolean =>
    rows.length > 0 && rows.every(({ cells }) => usageTime(cells[at] ?? '', zone) !== undefined);
  const timeAt =
    columns.find((at) => isTimeName(header.cells[at] ?? '')) ?? columns.find((at) => isTimeIn(at)) ?? 0;
  const rest = columns.filter((at) => at !== timeAt);
  const valueAt = rest.findLast((at) => isValueName(header.cells[at] ?? '')) ?? rest[1] ?? 2;
  return { timeAt, valueAt, entryAt: rest.find((at) => at !== valueAt) ?? 1 };
};

const longFigures = (header: UsageRecord, rows: readonly UsageRecord[], zone: string): readonly Figure[] => {
  const { timeAt, valueAt, entryAt } = placesOf(header, rows, zone);
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
