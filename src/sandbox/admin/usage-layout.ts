import { BYTE_ORDER_MARK, cell, line } from './csv.ts';
import { dateText, localDay, naiveText, rfc3339Text } from '../time-zone.ts';
import type { Granularity } from './usage-buckets.ts';
import type { Variants } from '../variants.ts';

export type Entry = { readonly name: string; readonly values: ReadonlyMap<number, bigint> };

export type Pivot = {
  /** Largest first. */
  readonly entries: readonly Entry[];
  /** The entries that top_n cut off, if shown. */
  readonly other: ReadonlyMap<number, bigint> | undefined;
  /** Starts of all buckets of the range, Unix seconds. */
  readonly times: readonly number[];
  readonly granularity: Granularity;
  readonly dimension: string;
  readonly metric: string;
  readonly text: (value: bigint) => string;
};

const timeText = (variants: Variants, granularity: Granularity, start: number): string => {
  const zone = variants.usage_zone;
  if (variants.usage_time === 'ms') return String(start * 1000);
  if (variants.usage_time === 's') return String(start);
  if (variants.usage_time === 'rfc3339') return rfc3339Text(zone, start);
  return granularity === 'hour' ? naiveText(zone, start).slice(0, 16) : dateText(localDay(zone, start));
};

/** The pivot as CSV lines in the layout of this gateway (docs/gateway.md G7.5). */
export function* layOut(variants: Variants, pivot: Pivot): Generator<string, void> {
  const named = variants.usage_header === 'named';
  const shown: readonly Entry[] =
    pivot.other === undefined ? pivot.entries : [...pivot.entries, { name: 'Other', values: pivot.other }];
  const gaps = variants.usage_buckets === 'missing';
  const times = gaps
    ? pivot.times.filter((start) => shown.some(({ values }) => values.has(start)))
    : pivot.times;
  const text = (value: bigint): string =>
    value === 0n && variants.usage_zero === 'blank' ? '' : pivot.text(value);
  const time = (start: number): string => timeText(variants, pivot.granularity, start);
  const totalAt = (start: number): bigint =>
    shown.reduce((sum, { values }) => sum + (values.get(start) ?? 0n), 0n);

  if (variants.usage_layout === 'long') {
    yield (
      BYTE_ORDER_MARK + line(['time', ...(named ? [pivot.dimension, pivot.metric] : ['dimension', 'value'])])
    );
    for (const start of times) {
      for (const { name, values } of shown) {
        if (gaps && !values.has(start)) continue;
        yield line([time(start), cell(name), text(values.get(start) ?? 0n)]);
      }
    }
  } else if (variants.usage_layout === 'wide') {
    yield BYTE_ORDER_MARK + line(['time', ...shown.map(({ name }) => cell(name)), 'Total']);
    for (const start of times) {
      const values = shown.map((entry) => text(entry.values.get(start) ?? 0n));
      yield line([time(start), ...values, text(totalAt(start))]);
    }
  } else {
    yield BYTE_ORDER_MARK + line([named ? pivot.dimension : 'dimension', ...times.map(time)]);
    for (const { name, values } of shown) {
      yield line([cell(name), ...times.map((start) => text(values.get(start) ?? 0n))]);
    }
    yield line(['Total', ...times.map((start) => text(totalAt(start)))]);
  }
}
