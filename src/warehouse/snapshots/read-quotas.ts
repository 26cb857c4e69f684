import { money, unixMillis, type Money, type UnixMillis } from '../../core/index.ts';
import { text, wholeNumber, type Sql } from '../../storage/index.ts';
import type { QuotaOfKey } from './snapshot.ts';

/** The remaining quotas of limited keys that the newest inventory before `to` contains. */
export const readQuotas = async (
  connection: Sql,
  account: string,
  from: UnixMillis,
  to: UnixMillis,
): Promise<readonly QuotaOfKey[]> => {
  const rows = await connection.rows(
    `WITH newest AS (
       SELECT max(taken_at) AS at FROM account_snapshot
       WHERE account = $account AND key_count IS NOT NULL AND taken_at < $to
     ),
     limited AS (
       SELECT key_id, name FROM key_snapshot, newest
       WHERE account = $account AND NOT unlimited_quota AND valid_from <= newest.at AND valid_until > newest.at
     )
     SELECT limited.key_id, limited.name, greatest(valid_from, $from) AS read_at, remain_quota, newest.at AS newest
     FROM key_snapshot JOIN limited ON limited.key_id = key_snapshot.key_id, newest
     WHERE account = $account AND NOT unlimited_quota AND valid_from <= newest.at AND valid_until > $from
     ORDER BY limited.key_id, read_at`,
    { account, from, to },
  );
  const keys = new Map<
    number,
    { readonly id: number; readonly name: string; readonly readings: { at: UnixMillis; left: Money }[] }
  >();
  for (const row of rows) {
    const id = wholeNumber(row, 'key_id');
    const key = keys.get(id) ?? { id, name: text(row, 'name'), readings: [] };
    keys.set(id, key);
    key.readings.push({
      at: unixMillis(wholeNumber(row, 'read_at')),
      left: money(text(row, 'remain_quota')),
    });
  }
  const newest = rows[0] === undefined ? undefined : unixMillis(wholeNumber(rows[0], 'newest'));
  for (const { readings } of keys.values()) {
    const last = readings.at(-1);
    // Its value is unchanged up to the newest inventory.
    if (last !== undefined && newest !== undefined && last.at < newest)
      readings.push({ at: newest, left: last.left });
  }
  return [...keys.values()];
};
