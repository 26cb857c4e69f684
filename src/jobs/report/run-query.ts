import { fault, isFault, type ComparisonName, type UnixSeconds } from '../../core/index.ts';
import { csvOf, parquetTableOf, rangeOf, resolvePeriod, type DataColumn } from '../../reports/index.ts';
import type { Cell, ColumnType } from '../../warehouse/index.ts';
import { depsFor, noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';
import { periodVerdict, type PeriodVerdict } from './period-verdict.ts';

export type QueryRequest = {
  /** One SELECT over the views of report SQL. */
  readonly sql: string;
  /** Defaults to `month-to-date`. */
  readonly period?: string | undefined;
  readonly comparison?: ComparisonName | undefined;
  /** Also returns the rows as a file. */
  readonly file?: 'csv' | 'parquet' | undefined;
  /** Also compares the period with the gateway. */
  readonly compare?: boolean | undefined;
};

/** Every number is exact decimal text. */
export type QueryAnswer = {
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  readonly rows: readonly (readonly Cell[])[];
  /** Base64. */
  readonly file?: string;
  /** The days that the view `cube` covers as `current`, as a label. */
  readonly period: string;
  readonly verdict?: PeriodVerdict;
  /** Of the amounts; undefined before the first landing. */
  readonly currency: string | undefined;
  /** End of the call log, in seconds UTC; undefined before the first landing. */
  readonly through: UnixSeconds | undefined;
};

const formats: Readonly<Record<ColumnType, DataColumn['format']>> = {
  decimal: 'money',
  integer: 'number',
  date: 'date',
  text: 'text',
  boolean: 'text',
  other: 'text',
};

const withAdvice = (error: unknown): never => {
  if (!isFault(error) || error.code !== 'report-query-failed') throw error;
  throw fault(error.code, error.message, {
    cause: error,
    advice:
      'use one SELECT over the views that `tollkeeper schema` lists; add a WHERE or a LIMIT if it returns too much',
  });
};

/** Runs one query over the views that report SQL reads, within the limits of report SQL. @throws Fault `report-query-failed` */
export const runQuery = async (
  { sql, period: name = 'month-to-date', comparison, file, compare = false }: QueryRequest,
  context: JobContext,
): Promise<QueryAnswer> => {
  const { account, warehouse, zone, locale, slot, signal, progress, costOwners = noCostOwners } = context;
  const period = resolvePeriod(name, slot, zone, locale, comparison);
  const covered = await warehouse.logs.watermark(account.name);
  const facts = covered === undefined ? {} : { dataSince: covered.start, dataThrough: covered.end };
  progress({ step: 'reading the call log', detail: period.label });
  const { table, currency } = await warehouse
    .readCube(
      {
        account: account.name,
        yields: true,
        currency: account.currency,
        zone,
        periods: (['current', 'comparison', 'month', 'history'] as const).map((one) => ({
          name: one,
          days: rangeOf({ period, zone, locale, facts }, one).days,
        })),
        queries: [sql],
        ...depsFor(costOwners, {}, account.currency),
        run: { now: slot, covered },
        signal,
      },
      async (query, found) => ({ table: await query(sql), currency: found.currency }),
    )
    .catch(withAdvice);
  const fileOf = async (format: 'csv' | 'parquet'): Promise<string> => {
    const columns = table.columns.map(({ name: label, type }) => ({
      name: label,
      label,
      format: formats[type],
    }));
    const rows = table.rows.map((row) => row.map((cell) => (cell === null ? null : String(cell))));
    const data = { name: 'query', title: '', columns, rows };
    const bytes =
      format === 'parquet' ? await warehouse.writeParquet(parquetTableOf(data), signal) : csvOf(data);
    return bytes.toString('base64');
  };
  return {
    ...table,
    ...(file === undefined ? {} : { file: await fileOf(file) }),
    ...(compare ? { verdict: await periodVerdict(period.interval, locale, context) } : {}),
    period: period.label,
    currency,
    through: covered?.end,
  };
};
