import {
  money,
  multiplyMoney,
  unixSeconds,
  withFingerprints,
  zero,
  type Interval,
  type UnixSeconds,
} from '../../core/index.ts';
import { optionalText, text, wholeNumber, type Row, type Sql, type Relation } from '../../storage/index.ts';
import { valueOfServed } from '../spend.ts';
import { askedNames } from './asked-names.ts';
import type { NameUse } from './key-table.ts';

/** Rows of an unknown kind may be calls. The deletion of a key depends on it, so they count as calls. */
const isCallSql = `kind NOT IN ('refund', 'top-up', 'management', 'system')`;

/**
 * One row for all calls of each name that has rows (`is_all` 1), and one for each of its most used models. Names match
 * with and without surrounding spaces: some exports trim what some lists do not.
 */
const usesSql = (asked: string, calls: string): string => `
  WITH asked AS (SELECT place, trim(name) AS name FROM ${asked} AS named),
  used AS (
    SELECT trim(token_name) AS name, model_name, grouping(model_name) AS is_all,
      count(*) FILTER (WHERE ${isCallSql}) AS call_count, max(created_at) FILTER (WHERE ${isCallSql}) AS last_call,
      coalesce(sum(CASE kind WHEN 'consumption' THEN quota WHEN 'refund' THEN -abs(quota) END), 0) AS spend
    FROM ${calls}
    WHERE account = $account AND created_at >= $start AND created_at < $end
      AND trim(token_name) IN (SELECT name FROM asked)
    GROUP BY GROUPING SETS ((trim(token_name)), (trim(token_name), model_name))
  ),
  ranked AS (
    SELECT *, row_number() OVER (PARTITION BY name, is_all ORDER BY call_count DESC, model_name) AS place_in_use FROM used
  )
  SELECT place, is_all, model_name, call_count, last_call, spend
  FROM asked JOIN ranked USING (name)
  WHERE is_all = 1 OR (call_count > 0 AND place_in_use <= coalesce($most, place_in_use))
  ORDER BY place, place_in_use`;

type Asked = {
  readonly account: string;
  readonly names: readonly string[];
  readonly range: Interval<UnixSeconds>;
  /** Of each name; all when omitted. */
  readonly maxModels?: number | undefined;
};

/** Calls under each of the names, from one scan of the log. */
export const readNameUses = async (
  connection: Sql,
  { account, names, range, maxModels }: Asked,
  calls: Relation,
): Promise<ReadonlyMap<string, NameUse>> => {
  const { value, isProven } = await valueOfServed(connection, account);
  const { unique, asked } = askedNames(connection, names);
  const rows = await asked.read((table) => usesSql(table, calls.sql), {
    account,
    start: range.start,
    end: range.end,
    most: maxModels ?? null,
    ...calls.bindings,
  });
  const rowsByName = unique.map((): { all?: Row; readonly models: Row[] } => ({ models: [] }));
  for (const row of rows) {
    const found = rowsByName[wholeNumber(row, 'place')];
    if (found === undefined) continue;
    if (wholeNumber(row, 'is_all') === 1) found.all = row;
    else found.models.push(row);
  }
  const useOf = (all: Row | undefined, models: readonly Row[]): NameUse => {
    if (all === undefined) return { calls: 0, spend: zero, models: [] };
    const lastCall = optionalText(all, 'last_call');
    return {
      calls: wholeNumber(all, 'call_count'),
      ...(lastCall === undefined ? {} : { lastCall: unixSeconds(Number(lastCall)) }),
      ...(isProven ? { spend: multiplyMoney(money(text(all, 'spend')), value) } : {}),
      models: models.map((row) => ({
        model: text(row, 'model_name'),
        calls: wholeNumber(row, 'call_count'),
      })),
    };
  };
  return new Map(
    unique.map((name, place) => [name, useOf(rowsByName[place]?.all, rowsByName[place]?.models ?? [])]),
  );
};

/** The starts of the UTC hours with calls under any of the names, ascending. */
export const readHoursUsed = async (
  connection: Sql,
  { account, names, range }: Asked,
  calls: Relation,
): Promise<readonly UnixSeconds[]> => {
  const { asked } = askedNames(connection, names);
  const rows = await asked.read(
    (table) => `
      SELECT DISTINCT created_at // 3600 * 3600 AS hour_at FROM ${calls.sql}
      WHERE account = $account AND created_at >= $start AND created_at < $end AND ${isCallSql}
        AND trim(token_name) IN (SELECT trim(name) FROM ${table} AS named)
      ORDER BY hour_at`,
    { account, start: range.start, end: range.end, ...calls.bindings },
  );
  return rows.map((row) => unixSeconds(wholeNumber(row, 'hour_at')));
};

/** The time of the first call under the name at or after the moment. */
export const readFirstCall = async (
  connection: Sql,
  { account, name, since }: { readonly account: string; readonly name: string; readonly since: UnixSeconds },
  calls: Relation,
): Promise<UnixSeconds | undefined> => {
  const [row] = await connection.rows(
    `SELECT min(created_at) AS first FROM ${calls.sql}
     WHERE account = $account AND created_at >= $since AND trim(token_name) = trim($name) AND ${isCallSql}`,
    { account, name: withFingerprints(name), since, ...calls.bindings },
  );
  const first = optionalText(row, 'first');
  return first === undefined ? undefined : unixSeconds(Number(first));
};
