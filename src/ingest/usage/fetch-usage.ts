import { dayMillis, fault, type UnixMillis } from '../../core/index.ts';
import type { UsageValue } from '../../warehouse/index.ts';
import { receiveUsage, type ReceivedUsage } from './receive-usage.ts';
import { askForUsage, type Granularity, type UsageWindow } from './usage-windows.ts';

/** One request to the usage export; times in milliseconds UTC. */
export type UsageQuery = {
  readonly start: UnixMillis;
  readonly end: UnixMillis;
  readonly groupBy: string;
  readonly metric: string;
  readonly granularity: Granularity;
  readonly topN: number;
};

export type FetchUsage = (
  query: UsageQuery,
  signal?: AbortSignal,
) => Promise<{ readonly body: AsyncIterable<Uint8Array> }>;

/** `2026-01-01T00:00 to 2026-02-01T00:00 UTC`. */
export const windowText = ({ start, end }: UsageWindow): string =>
  `${new Date(start).toISOString().slice(0, 16)} to ${new Date(end).toISOString().slice(0, 16)} UTC`;

/** The values whose bucket begins in the window. */
export const inWindow = (values: readonly UsageValue[], window: UsageWindow): readonly UsageValue[] =>
  values.filter(({ bucket }) => bucket >= window.start && bucket < window.end);

/** Maximum shift of buckets that belong to another zone or week start; a larger one means that a time was misread. */
const aside: Readonly<Record<Granularity, number>> = {
  hour: dayMillis,
  day: 2 * dayMillis,
  week: 8 * dayMillis,
};

const checkTimes = (received: ReceivedUsage, asked: UsageWindow, granularity: Granularity): void => {
  const slack = aside[granularity];
  const far = received.table?.values.find(
    ({ bucket }) => bucket < asked.start - slack || bucket > asked.end + slack,
  );
  if (far !== undefined)
    throw fault(
      'export-timestamp-unreadable',
      `the usage export has a bucket at ${new Date(far.bucket).toISOString()}, far outside ${windowText(asked)}`,
    );
};

/** The values of the window in a fixed order. */
const comparable = (received: ReceivedUsage, window: UsageWindow): string =>
  inWindow(received.table?.values ?? [], window)
    .map(({ bucket, entry, value }) => JSON.stringify([bucket, entry, value]))
    .toSorted((left, right) => left.localeCompare(right))
    .join();

/**
 * An export that is empty or has no final line end may be truncated: it is accepted when two requests return the same.
 */
const receiveWhole = async (
  fetch: () => Promise<ReceivedUsage>,
  window: UsageWindow,
): Promise<ReceivedUsage> => {
  const received = await fetch();
  if (received.ended) return received;
  const again = await fetch();
  if (again.ended || comparable(again, window) === comparable(received, window)) return again;
  throw fault(
    'export-truncated',
    `the usage export of ${windowText(window)} ended early: its last line has no line ending`,
  );
};

/** Requests a window of one dimension. @throws faults export-*, usage-layout-unknown and those of the request. */
export const fetchUsageWindow = async (
  window: UsageWindow,
  query: Pick<UsageQuery, 'groupBy' | 'metric' | 'granularity' | 'topN'>,
  zone: string,
  request: (query: UsageQuery) => ReturnType<FetchUsage>,
  onBytes: (bytes: number) => void,
): Promise<ReceivedUsage> => {
  const { groupBy: dimension, metric, granularity } = query;
  const ask = askForUsage(window, granularity, zone);
  const received = await receiveWhole(async () => {
    const { body } = await request({ ...ask, ...query });
    const export_ = await receiveUsage(body, { dimension, metric, zone });
    onBytes(export_.bytes);
    return export_;
  }, window);
  checkTimes(received, ask, granularity);
  return received;
};
