import {
  createNamedGates,
  fault,
  interval,
  money,
  multiplyMoney,
  sumMoney,
  type Clock,
  type Interval,
  type Money,
  type UnixMillis,
  widen,
} from '../../core/index.ts';
import {
  amount,
  boundRows,
  column,
  millis,
  readAs,
  rowReader,
  inTransaction,
  text,
  wholeNumber,
  type Row,
  type Sql,
  type StateEngine,
} from '../../storage/index.ts';
import { unitValue } from '../logs/amounts.ts';
import { noteOnce } from '../profile/learned-changes.ts';
import type { LandedUsage, UsageBatch, UsageSeries, UsageValue } from './usage-batch.ts';
import { readingOfUsage } from './usage-change.ts';

export type UsageTable = {
  /**
   * Stores all or nothing, as for logs. @throws faults usage-unit-changed, export-amount-inexact, export-truncated (no
   * value where there were some), disk-full.
   */
  readonly landWindow: (batch: UsageBatch) => Promise<LandedUsage>;
  /** The range that regular pulls have covered without a gap. */
  readonly watermark: (series: UsageSeries) => Promise<Interval<UnixMillis> | undefined>;
  /** The same for each granularity that was pulled. */
  readonly watermarks: (
    series: Omit<UsageSeries, 'granularity'>,
  ) => Promise<ReadonlyMap<string, Interval<UnixMillis>>>;
  /** Values of the buckets that start in the interval, by bucket and entry. */
  readonly values: (series: UsageSeries, range: Interval<UnixMillis>) => Promise<readonly UsageValue[]>;
};

const ofSeries =
  'account = $account AND dimension = $dimension AND metric = $metric AND granularity = $granularity';
const ofWindow = `${ofSeries} AND bucket_start >= $start AND bucket_start < $end`;

const seriesOf = ({ account, dimension, metric, granularity }: UsageSeries) => ({
  account,
  dimension,
  metric,
  granularity,
});

const scale = money('1e12');
const limit = 10n ** 28n;

/** The value, checked to fit a DECIMAL(28, 12) with all digits: the engine's cast would round it. */
const exactValue = (value: Money): Money => {
  const scaled = multiplyMoney(value, scale);
  if (scaled.includes('.')) throw fault('export-amount-inexact', `${value} has more than 12 decimals`);
  const digits = BigInt(scaled);
  if (digits >= limit || digits <= -limit)
    throw fault('export-row-invalid', `${value} exceeds the range of the warehouse`);
  return value;
};

const columns = { bucket_start: 'BIGINT', entry: 'VARCHAR', value: 'VARCHAR' } as const;

const insert = async (connection: Sql, batch: UsageBatch): Promise<void> => {
  const rows = boundRows(connection, columns, batch.values, ({ bucket, entry, value }) => ({
    bucket_start: bucket,
    entry,
    value: exactValue(value),
  }));
  await rows.execute(
    (table) => `INSERT INTO usage_bucket (account, dimension, metric, granularity, bucket_start, entry, value)
      SELECT $account, $dimension, $metric, $granularity, bucket_start, entry, CAST(value AS DECIMAL(28, 12))
      FROM ${table} AS added`,
    seriesOf(batch),
  );
};

const rangeOf = (row: Row): Interval<UnixMillis> => interval(millis(row, 'origin'), millis(row, 'reached'));

const readRange = async (connection: Sql, series: UsageSeries): Promise<Interval<UnixMillis> | undefined> => {
  const [row] = await connection.rows(
    `SELECT origin, reached FROM usage_cursor WHERE ${ofSeries}`,
    seriesOf(series),
  );
  return row && rangeOf(row);
};

/** Whether the window replaces everything that the series contains. */
const isWholeSeries = async (connection: Sql, batch: UsageBatch): Promise<boolean> => {
  const [row] = await connection.rows(
    `SELECT count(*) AS row_count FROM usage_bucket
     WHERE ${ofSeries} AND NOT (bucket_start >= $start AND bucket_start < $end)`,
    { ...seriesOf(batch), start: batch.window.start, end: batch.window.end },
  );
  return wholeNumber(row, 'row_count') === 0;
};

/**
 * The batch in the unit of the series. Notifies operators when the gateway has changed it.
 * @throws fault usage-unit-changed when the batch is in an unknown unit
 */
const inUnitOfSeries = async (connection: Sql, batch: UsageBatch, clock: Clock): Promise<UsageBatch> => {
  const reading = await readingOfUsage(connection, batch);
  const { account, dimension, window, unitsPerCurrency } = batch;
  if (reading === 'same') {
    await noteOnce(
      connection,
      account,
      { topic: 'usage-unit', name: dimension, form: 'stored' },
      window,
      clock.now(),
    );
    return batch;
  }
  // No stored values remain to mix with: the series begins again in its new unit.
  if (await isWholeSeries(connection, batch)) return batch;
  if (reading === 'other')
    throw fault(
      'usage-unit-changed',
      `the usage export by ${dimension} uses a different unit than the stored data; nothing was stored`,
    );
  const factor = reading === 'units' ? unitValue(unitsPerCurrency) : money(String(unitsPerCurrency));
  await noteOnce(
    connection,
    account,
    { topic: 'usage-unit', name: dimension, form: reading },
    window,
    clock.now(),
  );
  return {
    ...batch,
    values: batch.values.map((one) => ({ ...one, value: multiplyMoney(one.value, factor) })),
  };
};

const land = async (connection: Sql, served: UsageBatch, clock: Clock): Promise<LandedUsage> => {
  const batch = await inUnitOfSeries(connection, served, clock);
  const series = seriesOf(batch);
  const window = { ...series, start: batch.window.start, end: batch.window.end };
  const [before] = await connection.rows(
    `SELECT count(*) AS row_count FROM usage_bucket WHERE ${ofWindow} AND value <> 0`,
    window,
  );
  if (batch.values.length === 0 && wholeNumber(before, 'row_count') > 0)
    throw fault(
      'export-truncated',
      `the usage export by ${batch.dimension} is empty, but ${text(before, 'row_count')} figures of its window are stored; they are kept`,
    );
  const replaced = await connection.execute(`DELETE FROM usage_bucket WHERE ${ofWindow}`, window);
  await insert(connection, batch);
  const total = sumMoney(batch.values.map(({ value }) => value));
  await connection.execute(
    `INSERT INTO usage_window (account, dimension, metric, granularity, start_at, end_at, row_count, replaced_count, total,
       layout, bytes, landed_at)
     VALUES ($account, $dimension, $metric, $granularity, $start, $end, $rows, $replaced, CAST($total AS DECIMAL(38, 12)),
       $layout, $bytes, $at)`,
    {
      ...window,
      rows: batch.values.length,
      replaced,
      total,
      layout: batch.layout,
      bytes: batch.bytes,
      at: clock.now(),
    },
  );
  const range = widen(await readRange(connection, batch), batch.window, batch.opensRange);
  if (range !== undefined) {
    await connection.execute(`DELETE FROM usage_cursor WHERE ${ofSeries}`, series);
    await connection.execute(
      'INSERT INTO usage_cursor VALUES ($account, $dimension, $metric, $granularity, $start, $end)',
      { ...series, start: range.start, end: range.end },
    );
  }
  return { rows: batch.values.length, replaced, total };
};

export const createUsageTable = (engine: StateEngine, clock: Clock): UsageTable => {
  const oneAtATime = createNamedGates();
  return {
    landWindow: async (batch) => {
      const outside = batch.values.find(
        ({ bucket }) => bucket < batch.window.start || bucket >= batch.window.end,
      );
      if (outside !== undefined)
        throw fault('warehouse-failed', `the bucket ${outside.bucket} is outside its window`);
      return oneAtATime(JSON.stringify(seriesOf(batch)), async () =>
        engine.bulk(async (connection) =>
          inTransaction(connection, async () => land(connection, batch, clock)),
        ),
      );
    },
    watermark: async (series) => engine.state(async (connection) => readRange(connection, series)),
    watermarks: async ({ account, dimension, metric }) =>
      engine.state(async (connection) => {
        const rows = await connection.rows(
          `SELECT granularity, origin, reached FROM usage_cursor
           WHERE account = $account AND dimension = $dimension AND metric = $metric`,
          { account, dimension, metric },
        );
        return new Map(rows.map((row) => [text(row, 'granularity'), rangeOf(row)]));
      }),
    values: async (series, range) =>
      engine.bulk(async (connection) => {
        const value = rowReader({ bucket: column('bucket_start', millis), entry: text, value: amount });
        return readAs(
          connection,
          value,
          `SELECT bucket_start, entry, value FROM usage_bucket WHERE ${ofWindow} ORDER BY bucket_start, entry, value`,
          { ...seriesOf(series), start: range.start, end: range.end },
        );
      }),
  };
};
