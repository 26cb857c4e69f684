import { Readable } from 'node:stream';
import {
  addDays,
  daysOfMonth,
  fault,
  focusVersions,
  groupBy,
  interval,
  startOfDay,
  type FocusFormat,
  type FocusVersion,
  type Interval,
  type UnixSeconds,
} from '../../core/index.ts';
import {
  billingPeriod,
  chargesOf,
  costAndUsage,
  csvPieces,
  isCorrection,
  type CostOwner,
  type FocusCharge,
  type FocusTable,
} from '../../focus/index.ts';
import { tagsOf, teamOf, type ClosedMonth, type ParquetColumn } from '../../warehouse/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';
import { closedMonth, type MonthRequest } from '../report/closed-month.ts';
import { composeReport } from '../report/compose-report.ts';

export type FocusRequest = MonthRequest & {
  readonly version?: FocusVersion | undefined;
  /** Defaults to csv. */
  readonly format?: FocusFormat | undefined;
};

/** What is done with a file: it arrives in pieces, and is complete when they end. */
export type PutFile<File> = (name: string, pieces: AsyncIterable<string | Uint8Array>) => Promise<File>;

export type ExportedMonth<File> = {
  /** `2026-10` */
  readonly month: string;
  readonly currency: string;
  /** Of the month itself, without corrections. */
  readonly spend: string;
  /** Lines of charges. */
  readonly rows: number;
  /** Those of them that correct earlier months. */
  readonly corrections: number;
  readonly files: readonly File[];
};

/** The range of a local day: of the month, or of an earlier one that is corrected. */
const dayRanges = (zone: string): ((day: string) => Interval<UnixSeconds>) => {
  const known = new Map<string, Interval<UnixSeconds>>();
  return (day) => {
    const range = known.get(day) ?? interval(startOfDay(day, zone), startOfDay(addDays(day, 1), zone));
    known.set(day, range);
    return range;
  };
};

const parquetTypes = {
  text: 'text',
  moment: 'moment',
  decimal: { scale: 12 },
} as const satisfies Record<string, ParquetColumn['type']>;

/** The pieces of a file with a data set. */
const piecesOf = async (
  table: FocusTable,
  format: FocusFormat,
  { warehouse, signal }: JobContext,
): Promise<AsyncIterable<string | Uint8Array>> => {
  const csv = csvPieces(table);
  if (format === 'csv') return csv;
  const columns = table.columns.map(({ name, type }) => ({ name, type: parquetTypes[type] }));
  return Readable.from([await warehouse.parquetOfCsv(columns, csv, signal)]);
};

/** The charges of a closed month day by day, then the corrections that are booked in it. */
const chargesIn = async function* (
  { month, zone, unit }: ClosedMonth,
  { account, warehouse, costOwners = noCostOwners, progress }: JobContext,
): AsyncGenerator<readonly FocusCharge[]> {
  const prices = await warehouse.closed.prices(account.name, month);
  const byDay = new Map(
    [...groupBy(prices, ({ day }) => day)].map(([day, own]) => [
      day,
      new Map(own.map((one) => [one.model, one.prices])),
    ]),
  );
  const { teams, tags = [] } = costOwners;
  const owners = new Map<string, CostOwner>();
  const ownerOf = (key: string, service: string): CostOwner => {
    const name = JSON.stringify([key, service]);
    const known = owners.get(name);
    if (known !== undefined) return known;
    const owner = { team: teamOf(key, service, teams), tags: tagsOf(key, service, tags) };
    // Keys of equal owners share one.
    const text = JSON.stringify(owner);
    const shared = owners.get(text) ?? owner;
    owners.set(text, shared).set(name, shared);
    return shared;
  };
  const rules = {
    ownerOf,
    pricesOf: (day: string, model: string) => byDay.get(day)?.get(model),
    unit,
  };
  const days = daysOfMonth(month, zone);
  for (const [done, { date: day }] of days.entries()) {
    progress({ step: `exporting ${month}`, done, total: days.length });
    yield chargesOf(await warehouse.closed.rows(account.name, month, day), [], rules);
  }
  yield chargesOf([], await warehouse.closed.corrections(account.name, month), rules);
};

/**
 * A closed month in FOCUS, the format in which accounting loads bills. A month that is open is closed first, as by its statement. The
 * same month gives the same bytes, as long as the owners of keys stay the same. At most one day is in memory. @throws fault month-open
 */
export const exportFocus = async <File>(
  request: FocusRequest,
  context: JobContext,
  put: PutFile<File>,
): Promise<ExportedMonth<File>> => {
  const { account } = context;
  const { version = focusVersions[0], format = 'csv' } = request;
  const { focus: names } = account;
  if (names === undefined) throw fault('wrong-use', `the account ${account.name} has no names for exports`);
  const closed = await closedMonth(request, context, composeReport);
  const { month, zone, range, currency, spend, verdict, reached, closedAt } = closed;
  const given = { names, currency, period: range, dayOf: dayRanges(zone), verdict, reached, closedAt };
  let [rows, corrections] = [0, 0];
  const counted = async function* (): AsyncGenerator<readonly FocusCharge[]> {
    for await (const charges of chargesIn(closed, context)) {
      rows += charges.length;
      corrections += charges.filter(isCorrection).length;
      yield charges;
    }
  };
  const tables = [
    costAndUsage(counted, given, version),
    ...(version === '1.4' ? [billingPeriod(given)] : []),
  ];
  const files: File[] = [];
  for (const table of tables)
    files.push(
      await put(
        `focus-${account.name}-${month}-${table.name}.${format}`,
        await piecesOf(table, format, context),
      ),
    );
  return { month, currency, spend, rows, corrections, files };
};
