import type { UsageQuery, UsagePull, UsagePullDeps } from '../../../src/ingest/index.ts';
import { chunksOf } from '../call-log/log-source.ts';
import { noProgress, silentLog, systemClock, unixMillis, unknownGateway } from '../../../src/core/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';

export type UsageFigure = { readonly bucket: number; readonly entry: string; readonly value: string };

export type UsageStyle = {
  readonly layout: 'long' | 'wide' | 'transposed';
  readonly time: (bucket: number) => string;
  readonly endInclusive: boolean;
  readonly title: boolean;
  readonly total: boolean;
  readonly other: string | undefined;
  readonly endsLines: boolean;
};

export const plainUsage: UsageStyle = {
  layout: 'long',
  time: String,
  endInclusive: false,
  title: false,
  total: false,
  other: undefined,
  endsLines: true,
};

const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const tableOf = (figures: readonly UsageFigure[], style: UsageStyle, groupBy: string): string[][] => {
  const buckets = [...new Set(figures.map(({ bucket }) => bucket))].toSorted((left, right) => left - right);
  const entries = [...new Set(figures.map(({ entry }) => entry))];
  const at = (bucket: number, entry: string): string =>
    figures.find((figure) => figure.bucket === bucket && figure.entry === entry)?.value ?? '';
  const extra = style.other === undefined ? [] : ['Other'];
  if (style.layout === 'long')
    return [
      ['time', groupBy, 'value'],
      ...figures.map(({ bucket, entry, value }) => [style.time(bucket), entry, value]),
      ...buckets.flatMap((bucket) => extra.map((name) => [style.time(bucket), name, style.other ?? ''])),
    ];
  if (style.layout === 'wide')
    return [
      ['time', ...entries, ...extra],
      ...buckets.map((bucket) => [
        style.time(bucket),
        ...entries.map((entry) => at(bucket, entry)),
        ...extra.map(() => style.other ?? ''),
      ]),
    ];
  return [
    [groupBy, ...buckets.map(style.time)],
    ...entries.map((entry) => [entry, ...buckets.map((bucket) => at(bucket, entry))]),
    ...extra.map((name) => [name, ...buckets.map(() => style.other ?? '')]),
  ];
};

/** A gateway's usage export over figures in memory; each dimension has the same. */
export const usageSource = (
  figures: readonly UsageFigure[],
  style: Partial<UsageStyle> = {},
  spoil: (body: string, query: UsageQuery) => string = (body) => body,
) => {
  const whole = { ...plainUsage, ...style };
  const queries: UsageQuery[] = [];
  return {
    queries,
    fetchUsage: async (query: UsageQuery) => {
      queries.push(query);
      const served = figures.filter(
        ({ bucket }) =>
          bucket >= query.start && (whole.endInclusive ? bucket <= query.end : bucket < query.end),
      );
      const lines = [
        ...(whole.title ? ['Usage of the account'] : []),
        ...tableOf(served, whole, query.groupBy).map((line) => line.map(cell).join(',')),
      ];
      const body = `\uFEFF${lines.join('\n')}${whole.endsLines ? '\n' : ''}`;
      return { body: chunksOf(spoil(body, query), 777) };
    },
  };
};

/** Milliseconds. */
export const day = 86_400_000;

/** 2025-01-01T00:00:00Z in milliseconds. */
export const start = Date.UTC(2025, 0, 1);

/** Spend by model and day, from `start` to `until` in milliseconds. */
export const usagePullOf = (
  warehouse: Warehouse,
  { fetchUsage }: Pick<UsagePullDeps, 'fetchUsage'>,
  until: number,
  change: Partial<UsagePull & UsagePullDeps> = {},
): UsagePull & UsagePullDeps => ({
  account: 'main',
  dimensions: ['model'],
  metric: 'spend',
  granularity: 'day',
  topN: 10_000,
  since: unixMillis(start),
  until: unixMillis(until),
  profile: unknownGateway,
  fetchUsage,
  warehouse,
  spoolDirectory: '.',
  clock: systemClock,
  log: silentLog,
  progress: noProgress,
  ...change,
});
