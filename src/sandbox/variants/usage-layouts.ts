import { BYTE_ORDER_MARK, cell, line } from '../admin/csv.ts';

export type Entry = { readonly name: string; readonly values: ReadonlyMap<number, bigint> };

export type Pivot = {
  /** Largest first; Other, if shown, last. */
  readonly entries: readonly Entry[];
  /** Starts of the buckets, Unix seconds. */
  readonly times: readonly number[];
  /** Whether cells without a value are left out. */
  readonly hasGaps: boolean;
  /** Headers of the entry and of its value. */
  readonly headers: readonly [string, string];
  readonly time: (start: number) => string;
  readonly text: (value: bigint) => string;
};

const valueAt = ({ values }: Entry, start: number): bigint => values.get(start) ?? 0n;

const totalAt = ({ entries }: Pivot, start: number): bigint =>
  entries.reduce((sum, entry) => sum + valueAt(entry, start), 0n);

/** The pivot as CSV lines, by layout (docs/gateway.md G7.5). */
export const layouts = {
  *long({ entries, times, hasGaps, headers, time, text }: Pivot): Generator<string, void> {
    yield BYTE_ORDER_MARK + line(['time', ...headers]);
    for (const start of times) {
      for (const entry of entries) {
        if (hasGaps && !entry.values.has(start)) continue;
        yield line([time(start), cell(entry.name), text(valueAt(entry, start))]);
      }
    }
  },
  *wide(pivot: Pivot): Generator<string, void> {
    const { entries, times, time, text } = pivot;
    yield BYTE_ORDER_MARK + line(['time', ...entries.map(({ name }) => cell(name)), 'Total']);
    for (const start of times) {
      const values = entries.map((entry) => text(valueAt(entry, start)));
      yield line([time(start), ...values, text(totalAt(pivot, start))]);
    }
  },
  *transposed(pivot: Pivot): Generator<string, void> {
    const { entries, times, headers, time, text } = pivot;
    yield BYTE_ORDER_MARK + line([headers[0], ...times.map(time)]);
    for (const entry of entries)
      yield line([cell(entry.name), ...times.map((start) => text(valueAt(entry, start)))]);
    yield line(['Total', ...times.map((start) => text(totalAt(pivot, start)))]);
  },
};
