import {
  absoluteMoney,
  compareMoney,
  fault,
  isFault,
  money,
  zero,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import type { BuildRequest } from './build-request.ts';
import type { ReportShape, SectionShape } from '../definition/definition.ts';
import type { ReportFacts } from '../definition/facts.ts';
import type { DataState } from './model.ts';
import { furtherRange, type Period, type Range } from '../definition/period.ts';
import type { CubeFacts, ResultTable } from '../definition/port.ts';
import { averaged } from './query-table.ts';

const maxQueryRows = 200_000;

/** Rows of an unknown kind, which are not counted as spend but have an amount. */
export type UncountedKind = { readonly kind: string; readonly rows: string; readonly amount: Money };

export type QueryResults = {
  /** The result of each SQL file of the report; of a comparison with an average, columns *_before hold the average. */
  readonly tables: ReadonlyMap<string, ResultTable>;
  /** The results as the SQL returned them: *_before are sums over the days of the comparison. */
  readonly sums: ReadonlyMap<string, ResultTable>;
  readonly uncounted: readonly UncountedKind[];
  /** The currency of the amounts: not always the requested one. */
  readonly currency: string;
  /** Whether amounts may be shown. */
  readonly hasAmounts: boolean;
  /** Whether the period has any call or refund. */
  readonly hasCalls: boolean;
  /**
   * Why they are not shown, or are in another currency: their form is open, or they are integer units of a US dollar.
   */
  readonly doubt: 'form' | 'unit' | undefined;
};

/** Adds the SQL file to an error. */
const blame =
  (file: string) =>
  (error: unknown): never => {
    if (!isFault(error)) throw error;
    throw fault(error.code, `${file}: ${error.message}`, { cause: error, advice: error.advice });
  };

const kindsSql = `
  SELECT kind, sum(rows), sum(abs(amount)) FROM cube WHERE period = 'current' GROUP BY kind ORDER BY kind`;

const chargesSql = `SELECT count(*) FROM cube WHERE kind IN ('consumption', 'refund')`;

const spendKinds: ReadonlySet<string> = new Set(['consumption', 'refund']);
/** They change the balance, but are no spend. */
const otherKinds: ReadonlySet<string> = new Set(['top-up', 'management', 'system']);

const kindsOf = (table: ResultTable): readonly UncountedKind[] =>
  table.rows
    .map(([kind, rows, amount]) => ({
      kind: String(kind),
      rows: String(rows),
      amount: absoluteMoney(money(String(amount ?? zero))),
    }))
    .filter(({ amount }) => compareMoney(amount, zero) > 0);

/** Whether the section belongs to reports of this length: one day, or longer. */
export const isOfPeriod = ({ when }: SectionShape, { days }: Period): boolean =>
  when === undefined || (when === 'one-day') === (days.length === 1);

/** Whether the mail shows a section; the archived report shows all. */
export const isInMail = ({ in_mail: inMail = 'always' }: SectionShape, { days }: Period): boolean =>
  inMail === 'always' || (inMail !== 'never' && (inMail === 'one-day') === (days.length === 1));

/** Whether the data covers a range. */
export const coverageOf = (
  range: Interval<UnixSeconds>,
  { dataThrough, dataSince }: Pick<ReportFacts, 'dataThrough' | 'dataSince'>,
): DataState => {
  if (dataThrough === undefined || dataThrough <= range.start) return 'missing';
  if (dataSince !== undefined && dataSince >= range.end) return 'missing';
  return dataThrough >= range.end && (dataSince === undefined || dataSince <= range.start)
    ? 'complete'
    : 'partial';
};

/** The days of a period of the report; of an average, those with complete data. */
export const rangeOf = (
  {
    period,
    zone,
    locale,
    facts,
  }: Pick<BuildRequest, 'period' | 'zone' | 'locale'> & {
    readonly facts: Pick<ReportFacts, 'dataThrough' | 'dataSince'>;
  },
  name: 'current' | 'comparison' | 'month' | 'history',
): Range => {
  if (name === 'current') return period;
  if (name !== 'comparison') return furtherRange(period, name, zone, locale);
  const { comparison } = period;
  if (comparison.isAverage !== true) return comparison;
  return { ...comparison, days: comparison.days.filter((day) => coverageOf(day, facts) === 'complete') };
};

/** The days whose average figures are compared with; 1 for every other comparison. */
export const averagedDays = (request: BuildRequest): number =>
  request.period.comparison.isAverage === true ? rangeOf(request, 'comparison').days.length : 1;

/** The SQL files that the shown sections use. */
const filesFor = ({ headline, sections }: ReportShape, period: Period): ReadonlySet<string> =>
  new Set([
    headline.sql,
    ...(headline.cause === undefined ? [] : [headline.cause.sql]),
    ...sections
      .filter((section) => isOfPeriod(section, period))
      .flatMap((section) => [
        ...('sql' in section && section.sql !== undefined ? [section.sql] : []),
        ...(section.kind === 'changes' ? [section.prices, section.spikes] : []).filter(
          (file) => file !== undefined,
        ),
      ]),
  ]);

/** @throws Fault naming the file. */
export const runQueries = async (request: BuildRequest): Promise<QueryResults> => {
  const { definition, period, timeLimit, signal, deps = {} } = request;
  const comparisonDays = averagedDays(request);
  const files = filesFor(definition, period);
  const queries = [...definition.queries].filter(([file]) => files.has(file));
  return request.warehouse.readCube(
    {
      account: request.account,
      currency: request.currency,
      zone: request.zone,
      periods: (['current', 'comparison', ...definition.periods] as const).map((name) => ({
        name,
        days: rangeOf(request, name).days,
      })),
      queries: [...queries.map(([, sql]) => sql), kindsSql, chargesSql],
      ...deps,
      ...(deps.run === undefined ? {} : { run: { ...deps.run, comparisonDays } }),
      rowLimit: maxQueryRows,
      ...(timeLimit === undefined ? {} : { timeLimit }),
      ...(signal === undefined ? {} : { signal }),
    },
    async (query, facts?: CubeFacts) => {
      const sums = new Map<string, ResultTable>();
      for (const [file, sql] of queries) sums.set(file, await query(sql).catch(blame(file)));
      const tables = new Map([...sums].map(([file, table]) => [file, averaged(table, comparisonDays)]));
      const kinds = await query(kindsSql);
      const charged = kindsOf(kinds);
      const currency = facts?.currency ?? request.currency;
      // Without calls there is no spend, whatever the form of amounts.
      const isOpen = facts?.isProven === false && (await query(chargesSql)).rows[0]?.[0] !== '0';
      const isOther = currency !== request.currency && charged.some(({ kind }) => spendKinds.has(kind));
      return {
        tables,
        sums,
        currency,
        hasAmounts: !isOpen,
        hasCalls: kinds.rows.some(([kind]) => spendKinds.has(String(kind))),
        uncounted: charged.filter(({ kind }) => !spendKinds.has(kind) && !otherKinds.has(kind)),
        doubt: isOpen ? 'form' : isOther ? 'unit' : undefined,
      };
    },
  );
};
