import type { DuckDBConnection } from '@duckdb/node-api';
import { money, multiplyMoney, unixSeconds } from '../../base/index.ts';
import type { Interval, UnixSeconds } from '../../base/index.ts';
import type { CallsRelation } from '../archive/relations.ts';
import { optionalText, readRows, text, wholeNumber } from '../rows.ts';
import { valueOfServed } from '../spend.ts';
import type { NameUse } from './key-table.ts';

/** Rows of a kind that nobody knows may be calls: where a key's life depends on it, they are. */
export const isCallSql = `kind NOT IN ('refund', 'top-up', 'management', 'system')`;

/** Calls under the name, with and without spaces around it: some exports trim what some lists do not. */
export const readNameUse = async (
  connection: DuckDBConnection,
  account: string,
  name: string,
  span: Interval<UnixSeconds>,
  calls: CallsRelation,
): Promise<NameUse> => {
  const { value } = await valueOfServed(connection, account);
  const rows = await readRows(
    connection,
    `SELECT model_name, count(*) FILTER (${isCallSql}) AS call_count, max(created_at) FILTER (${isCallSql}) AS last_call,
       coalesce(sum(CASE kind WHEN 'consumption' THEN quota WHEN 'refund' THEN -abs(quota) END), 0) AS spend
     FROM ${calls.sql}
     WHERE account = $account AND created_at >= $start AND created_at < $end AND trim(token_name) = trim($name)
     GROUP BY GROUPING SETS ((model_name), ())
     ORDER BY grouping(model_name) DESC, call_count DESC, model_name`,
    { account, name, start: span.start, end: span.end, ...calls.bindings },
  );
  const [all, ...models] = rows;
  const lastCall = optionalText(all, 'last_call');
  return {
    calls: wholeNumber(all, 'call_count'),
    ...(lastCall === undefined ? {} : { lastCall: unixSeconds(Number(lastCall)) }),
    spend: multiplyMoney(money(text(all, 'spend')), value),
    models: models
      .map((row) => ({ model: text(row, 'model_name'), calls: wholeNumber(row, 'call_count') }))
      .filter((model) => model.calls > 0),
  };
};
