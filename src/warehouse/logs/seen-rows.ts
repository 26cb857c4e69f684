import { addMoney, compareMoney, money, zero, type Money } from '../../core/index.ts';
import { knownKinds } from '../kinds/label-evidence.ts';
import { optionalText, text, wholeNumber, type Row, type Sql } from '../../storage/index.ts';
import type { ChargedRows } from './amount-change.ts';
import type { SeenKinds } from './log-batch.ts';

export type RowSums = {
  readonly rows: number;
  readonly quota: Money;
  /** Over the hashes of whole rows: equal for equal rows in any order; 0 where it was not asked for. */
  readonly digest: bigint;
};

/** What the rows of a range show, from one scan. */
export type SeenRows = RowSums & {
  readonly kinds: SeenKinds;
  /** Calls and refunds with an amount, those of them with a whole one, and the largest of these. */
  readonly charged: number;
  readonly whole: number;
  readonly largestWhole: Money;
  /** Seconds of the first and last row whose amount has a fraction, of any kind. */
  readonly fractions: { readonly first: number; readonly last: number } | undefined;
};

const ofWindow = 'FROM call_log WHERE account = $account AND created_at >= $start AND created_at < $end';

/** Rows and sums of a range. */
export const readSums = async (connection: Sql, rows: ChargedRows): Promise<RowSums> => {
  const [row] = await connection.rows(
    `SELECT count(*) AS row_count, coalesce(sum(quota), 0) AS amount, CAST(sum(hash(call_log)) AS VARCHAR) AS digest ${ofWindow}`,
    { ...rows },
  );
  return rowsOf(row === undefined ? [] : [row]);
};

/**
 * Unknown kinds are one group: a column that does not contain kinds may have any number of values. Amounts that fit the
 * narrow decimal, nearly all, are truncated ten times as fast.
 */
const groupsSql = (from: string): string => `
  SELECT account = '' AS is_overlap, CASE WHEN kind IN ${knownKinds} THEN kind END AS known_kind,
    count(*) AS row_count, coalesce(sum(quota), 0) AS amount, CAST(sum(row_hash) AS VARCHAR) AS digest,
    count(*) FILTER (quota <> 0) AS charged, count(*) FILTER (quota <> 0 AND is_whole) AS whole,
    coalesce(max(abs(quota)) FILTER (is_whole), 0) AS largest,
    min(created_at) FILTER (NOT is_whole) AS first_fraction, max(created_at) FILTER (NOT is_whole) AS last_fraction
  FROM (
    SELECT *, CASE WHEN narrow IS NULL THEN quota = trunc(quota) ELSE narrow = trunc(narrow) END AS is_whole
    FROM (SELECT *, TRY_CAST(quota AS DECIMAL(18, 12)) AS narrow FROM (${from}))
  )
  GROUP BY is_overlap, known_kind`;

const count = (groups: readonly Row[], column: string): number =>
  groups.reduce((sum, row) => sum + wholeNumber(row, column), 0);

/** The sums of groups of rows. */
export const rowsOf = (groups: readonly Row[]): RowSums => ({
  rows: count(groups, 'row_count'),
  quota: groups.reduce((sum, row) => addMoney(sum, money(text(row, 'amount'))), zero),
  digest: groups.reduce((sum, row) => sum + BigInt(optionalText(row, 'digest') ?? 0), 0n),
});

const isCharge = (kind: string | undefined): boolean => kind === 'consumption' || kind === 'refund';

const seenOf = (groups: readonly Row[]): SeenRows => {
  const seconds = (column: string): readonly number[] =>
    groups.flatMap((row) => {
      const moment = optionalText(row, column);
      return moment === undefined ? [] : [Number(moment)];
    });
  const first = seconds('first_fraction');
  const kinds = groups.map((row) => optionalText(row, 'known_kind'));
  const charged = groups.filter((row) => isCharge(optionalText(row, 'known_kind')));
  return {
    ...rowsOf(groups),
    kinds: {
      known: kinds.filter((kind) => kind !== undefined).toSorted(),
      hasUnknown: kinds.includes(undefined),
    },
    charged: count(charged, 'charged'),
    whole: count(charged, 'whole'),
    largestWhole: charged
      .map((row) => money(text(row, 'largest')))
      .reduce((largest, one) => (compareMoney(one, largest) > 0 ? one : largest), zero),
    fractions:
      first.length === 0
        ? undefined
        : { first: Math.min(...first), last: Math.max(...seconds('last_fraction')) },
  };
};

/** What the rows of the range show. */
export const readSeen = async (connection: Sql, rows: ChargedRows): Promise<SeenRows> =>
  seenOf(await connection.rows(groupsSql(`SELECT *, hash(call_log) AS row_hash ${ofWindow}`), { ...rows }));

/** What a loaded window shows, and the totals of its overlap rows, which belong to no account. */
export type LoadedRows = SeenRows & { readonly overlap: RowSums };

export const noneLoaded: LoadedRows = { ...seenOf([]), overlap: rowsOf([]) };

/**
 * The number of the window's last row, undefined if it has none. Rows that this transaction adds come after it; text,
 * since their numbers exceed 2^53.
 */
export const lastRow = async (connection: Sql, rows: ChargedRows): Promise<string | undefined> => {
  const [row] = await connection.rows(`SELECT max(rowid) AS last_row ${ofWindow}`, { ...rows });
  return optionalText(row, 'last_row');
};

/** What the rows show that were added after `last`, with a digest where there is one. */
export const readLoaded = async (
  connection: Sql,
  rows: ChargedRows,
  last: string | undefined,
): Promise<LoadedRows> => {
  const columns = `*, ${last === undefined ? '0' : 'hash(call_log)'} AS row_hash`;
  const groups = await connection.rows(
    groupsSql(
      `SELECT ${columns} ${ofWindow} ${last === undefined ? '' : 'AND rowid > CAST($last AS BIGINT)'}
       UNION ALL SELECT ${columns} FROM call_log WHERE account = ''`,
    ),
    { ...rows, ...(last === undefined ? {} : { last }) },
  );
  const isOverlap = (row: Row): boolean => row['is_overlap'] === true;
  return {
    ...seenOf(groups.filter((row) => !isOverlap(row))),
    overlap: rowsOf(groups.filter(isOverlap)),
  };
};
