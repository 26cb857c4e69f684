import { csv, refused, type Answer } from '../answer.ts';
import { moneyText } from '../decimal.ts';
import { askedRange, badRange, type Range } from './range.ts';
import { wholeParameter, type Request } from '../request.ts';
import { unitAt, type State } from '../state.ts';
import type { Cell } from '../traffic/cells.ts';
import { HOUR } from '../traffic/rhythm.ts';
import { localDay, startOfLocalDay } from '../time-zone.ts';
import type { Choices } from '../variants.ts';
import type { Entry } from '../variants/usage-layouts.ts';

const dimensions: Readonly<Record<string, (cell: Cell) => string>> = {
  model: (cell) => cell.model?.name ?? '',
  token: (cell) => cell.token,
  vendor: (cell) => cell.model?.vendor ?? '',
};

/** Whole numbers: grains for spend, a count for the others. */
const metrics = (variants: Choices): Readonly<Record<string, (cell: Cell) => bigint>> => ({
  spend: variants.usage_refunds,
  count: (cell) => BigInt(cell.calls),
  tokens: (cell) => BigInt(variants.prompt_tokens(cell) + variants.completion_tokens(cell)),
  prompt_tokens: (cell) => BigInt(variants.prompt_tokens(cell)),
  completion_tokens: (cell) => BigInt(variants.completion_tokens(cell)),
});

type Granularity = 'hour' | 'day' | 'week';

/** Monday of the week; 1970-01-01 was a Thursday. */
const monday = (day: number): number => day - ((day + 3) % 7);

/** Maps the start of a UTC hour to the start of its bucket (Unix seconds). */
const bucketOf = (zone: string, granularity: Granularity): ((hour: number) => number) => {
  if (granularity === 'hour') return (hour) => hour;
  const starts = new Map<number, number>();
  return (hour) => {
    const day = localDay(zone, hour);
    const first = granularity === 'day' ? day : monday(day);
    const start = starts.get(first) ?? startOfLocalDay(zone, first);
    starts.set(first, start);
    return start;
  };
};

const granularities: readonly string[] = ['hour', 'day', 'week'] satisfies Granularity[];
const DAY_MILLIS = 86_400_000;
const refusedValue = (variants: Choices, name: string, values: readonly string[]): Answer =>
  refused(variants, {
    en: `${name} must be one of ${values.join(', ')}`,
    zh: `${name} 参数无效：${values.join('、')}`,
  });

/** Hour buckets that start inside the range (milliseconds), as Unix seconds. */
const hoursOf = (range: Range): Range => ({
  start: Math.ceil(range.start / 1000 / HOUR) * HOUR,
  end: Math.ceil(range.end / 1000 / HOUR) * HOUR,
});

const addTo = (sums: Map<number, bigint>, start: number, value: bigint): void => {
  sums.set(start, (sums.get(start) ?? 0n) + value);
};

const pivot = (
  cells: Iterable<Cell>,
  entryOf: (cell: Cell) => string,
  valueOf: (cell: Cell) => bigint,
  bucket: (hour: number) => number,
): Map<string, Map<number, bigint>> => {
  const entries = new Map<string, Map<number, bigint>>();
  for (const cell of cells) {
    const name = entryOf(cell);
    const entry = entries.get(name) ?? new Map<number, bigint>();
    entries.set(name, entry);
    addTo(entry, bucket(cell.hour), valueOf(cell));
  }
  return entries;
};

/** The largest entries over the whole range; the rest becomes Other. */
const keepTop = (
  variants: Choices,
  entries: Map<string, Map<number, bigint>>,
  top: number,
): readonly Entry[] => {
  const bySize = [...entries]
    .map(([name, values]) => ({
      name,
      values,
      sum: [...values.values()].reduce((sum, value) => sum + value, 0n),
    }))
    .sort((a, b) => (a.sum === b.sum ? (a.name < b.name ? -1 : 1) : a.sum < b.sum ? 1 : -1));
  const tail = bySize.slice(top);
  const shown = bySize.slice(0, top);
  if (!variants.usage_other(tail.length > 0)) return shown;
  const other = new Map<number, bigint>();
  for (const { values } of tail) for (const [start, value] of values) addTo(other, start, value);
  return [...shown, { name: 'Other', values: other }];
};

/** GET /api/data/self/pivot/stream-export (docs/gateway.md G7.1). Timestamps are milliseconds. */
export const usageExport = (state: State, { query }: Request): Answer => {
  const { variants } = state;
  const range = askedRange(query, variants.usage_range_end);
  if (range === undefined) return refused(variants, badRange);
  const groupBy = query.get('group_by') || 'model';
  const metric = query.get('metric') || 'spend';
  const granularity = query.get('granularity') || 'day';
  const entryOf = Object.hasOwn(dimensions, groupBy) ? dimensions[groupBy] : undefined;
  const known = metrics(variants);
  const valueOf = Object.hasOwn(known, metric) ? known[metric] : undefined;
  if (entryOf === undefined) return refusedValue(variants, 'group_by', Object.keys(dimensions));
  if (valueOf === undefined) return refusedValue(variants, 'metric', Object.keys(known));
  if (!granularities.includes(granularity)) return refusedValue(variants, 'granularity', granularities);
  const top = wholeParameter(query, 'top_n') || 20;
  if (Number.isNaN(wholeParameter(query, 'top_n')) || top < 0)
    return refusedValue(variants, 'top_n', ['1', '2', '…']);

  const asOf = Math.floor(state.seconds() / variants.usage_written) * variants.usage_written;
  const longest = variants.usage_span;
  const end = Number(query.get('end_timestamp') ?? 0) || state.now();
  if (end - range.start > longest * DAY_MILLIS) {
    return refused(variants, {
      en: `the time span cannot be longer than ${longest} days`,
      zh: `时间跨度不能超过 ${longest} 天`,
    });
  }

  const hours = hoursOf(range);
  const model = query.get('model_name') ?? '';
  const bucket = bucketOf(variants.usage_zone, granularity as Granularity);
  function* wanted(): Generator<Cell, void> {
    for (const cell of state.cells.over(hours, asOf)) {
      const used = cell.calls > 0 || cell.refunds !== 0n;
      if (used && (model === '' || cell.model?.name === model)) yield cell;
    }
  }
  const entries = keepTop(variants, pivot(wanted(), entryOf, valueOf, bucket), top);
  const first = Math.max(hours.start, state.ledger.firstDay * 24 * HOUR);
  const last = Math.min(hours.end, asOf + 1);
  const starts = new Set<number>();
  for (let hour = first; hour < last; hour += HOUR) starts.add(bucket(hour));
  const times = [...starts];
  const hasGaps = variants.usage_buckets;
  const unit = unitAt(state, 'usage', variants.usage_unit);
  return csv(
    'usage.csv',
    variants.usage_layout({
      entries,
      times: hasGaps ? times.filter((start) => entries.some(({ values }) => values.has(start))) : times,
      hasGaps,
      headers: variants.usage_header(groupBy, metric),
      time: (start) => variants.usage_time(start, variants.usage_zone, granularity === 'hour'),
      text: (value) => {
        if (value === 0n) return variants.usage_zero;
        return metric === 'spend' ? moneyText(value, unit) : value.toString();
      },
    }),
  );
};
