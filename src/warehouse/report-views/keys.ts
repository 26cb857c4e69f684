import { interval, unixSeconds } from '../../core/index.ts';
import { inCurrency, spendOf } from '../cube/aggregates.ts';
import { columnsOf } from './relation.ts';
import type { ReportView } from './view.ts';

const lineColumns = [
  ['generation', 'BIGINT', 'generation of the key within its service; NULL if it belongs to no service'],
  ['rotated', 'BOOLEAN', 'replaced an earlier key of its service'],
] as const;

/**
 * Keys by ID with their generation in the lineage of their service, at `$now`. A key that was deleted before a later
 * one was created was not cut over to it.
 */
const lineSql = `
  SELECT own.key_id, any_value(own.generation) AS generation,
    coalesce(bool_or(other.generation < own.generation AND (other.retired IS NULL OR other.retired > own.created_at)), false) AS rotated,
    coalesce(bool_or(other.generation > own.generation AND (other.retired IS NULL OR other.retired > $now)), false) AS succeeded
  FROM key_lineage AS own
  LEFT JOIN key_lineage AS other
    ON other.account = own.account AND other.service = own.service AND other.key_id <> own.key_id AND other.created_at <= $now
  WHERE own.account = $account AND own.created_at <= $now
  GROUP BY own.key_id`;

/** The keys as last listed. Calls contain only key names: keys that share a name share their figures of calls. */
export const keysView: ReportView = {
  name: 'keys',
  reads: ['account_snapshot', 'key_snapshot', 'key_lineage'],
  description: 'every API key in the newest inventory, with figures from the whole call log for its name',
  keyColumn: 'name',
  columns: columnsOf([
    ['key_id', 'BIGINT', 'ID at the gateway'],
    ['name', 'VARCHAR', 'as in token_name of cube'],
    ['key_mask', 'VARCHAR', 'the masked key'],
    ['status', 'BIGINT', 'as the gateway reports it'],
    ['group_name', 'VARCHAR', 'group of the key'],
    ['remain_quota', 'DECIMAL(38, 18)', 'remaining quota, as served; NULL if unlimited'],
    ['unlimited_quota', 'BOOLEAN', 'the key has no quota of its own'],
    ['created_seconds', 'BIGINT', 'creation time, seconds UTC; NULL if the gateway does not report it'],
    ['expires_seconds', 'BIGINT', 'expiry, seconds UTC; NULL if it never expires'],
    ['first_seen_seconds', 'BIGINT', 'time of the first snapshot that lists the key, seconds UTC'],
    ['taken_seconds', 'BIGINT', 'time of the inventory, seconds UTC'],
    ['first_call_seconds', 'BIGINT', 'first call under its name, seconds UTC; NULL if none'],
    ['last_call_seconds', 'BIGINT', 'last call under its name, seconds UTC; NULL if none'],
    ['calls', 'BIGINT', 'calls under its name'],
    ['spend', 'DECIMAL(38, 12)', 'consumption less refunds under its name, in the currency of the account'],
    ['same_name', 'BIGINT', 'number of keys in the inventory with this name'],
    ['service', 'VARCHAR', 'as in cube'],
    ...lineColumns,
    ['succeeded', 'BOOLEAN', 'a later key of its service exists and replaces it'],
    ['service_last_call_seconds', 'BIGINT', 'last call by any key of its service, seconds UTC; NULL if none'],
    ['service_spend', 'DECIMAL(38, 12)', 'consumption less refunds by all keys of its service'],
    ['team', 'VARCHAR', 'cost owner; NULL if unassigned'],
  ]),
  sql: async ({ request, served, now, cellsOfAll, services }) => {
    const calls = await cellsOfAll(
      interval(unixSeconds(0), unixSeconds(Math.floor(Math.max(0, now) / 1000) + 1)),
      ['token_name'],
      [],
    );
    return {
      sql: `
        WITH taken AS (
          SELECT max(taken_at) AS at FROM account_snapshot
          WHERE account = $account AND key_count IS NOT NULL AND taken_at <= $now
        ),
        listed AS (
          SELECT * FROM key_snapshot, taken
          WHERE account = $account AND valid_from <= taken.at AND valid_until > taken.at
        ),
        seen AS (SELECT key_id, min(valid_from) // 1000 AS first_seen FROM key_snapshot WHERE account = $account GROUP BY key_id),
        used AS (
          SELECT token_name, CAST(sum(row_count) FILTER (kind = 'consumption') AS BIGINT) AS calls,
            min(first_at) FILTER (kind = 'consumption') AS first_call,
            max(last_at) FILTER (kind = 'consumption') AS last_call,
            ${inCurrency(`coalesce(sum(${spendOf('quota', 'size')}), 0)`, served)} AS spend
          FROM ${calls.sql}
          GROUP BY token_name
        ),
        used_by_service AS (
          SELECT coalesce(services.service, token_name) AS service, max(last_call) AS last_call, sum(spend) AS spend
          FROM used LEFT JOIN ${services.sql} AS services ON services.name = token_name
          GROUP BY 1
        ),
        line AS (${lineSql})
        SELECT listed.key_id, listed.name, key_mask, status, group_name,
          CASE WHEN NOT unlimited_quota THEN remain_quota END, unlimited_quota,
          created_time, CASE WHEN expired_time >= 0 THEN expired_time END,
          seen.first_seen, listed.at // 1000, used.first_call, used.last_call,
          coalesce(used.calls, 0), CASE WHEN used.token_name IS NULL THEN 0 ELSE used.spend END, count(*) OVER (PARTITION BY listed.name),
          coalesce(services.service, listed.name), line.generation, coalesce(line.rotated, false),
          coalesce(line.succeeded, false), used_by_service.last_call, CASE WHEN used_by_service.service IS NULL THEN 0 ELSE used_by_service.spend END, NULL
        FROM listed
        LEFT JOIN seen ON seen.key_id = listed.key_id
        LEFT JOIN used ON used.token_name = listed.name
        LEFT JOIN ${services.sql} AS services ON services.name = listed.name
        LEFT JOIN used_by_service ON used_by_service.service = coalesce(services.service, listed.name)
        LEFT JOIN line ON line.key_id = listed.key_id`,
      bindings: {
        account: request.account,
        ...services.bindings,
        now,
        ...calls.bindings,
        ...(served.inUnits ? { value: served.value } : {}),
      },
    };
  },
};

export const keyHistoryView: ReportView = {
  name: 'key_history',
  reads: ['key_snapshot', 'key_lineage'],
  description: 'history of the keys: one row for each interval between snapshots in which a key is unchanged',
  keyColumn: 'name',
  columns: columnsOf([
    ['key_id', 'BIGINT', 'ID at the gateway'],
    ['name', 'VARCHAR', 'as in token_name of cube'],
    ['status', 'BIGINT', 'as the gateway reports it'],
    ['group_name', 'VARCHAR', 'group of the key'],
    ['remain_quota', 'DECIMAL(38, 18)', 'remaining quota, as served; NULL if unlimited'],
    ['expires_seconds', 'BIGINT', 'expiry, seconds UTC; NULL if it never expires'],
    ['created_seconds', 'BIGINT', 'creation time, seconds UTC'],
    ['from_seconds', 'BIGINT', 'time of the first snapshot with these values, seconds UTC'],
    [
      'until_seconds',
      'BIGINT',
      'time of the first snapshot with other values, seconds UTC; NULL while current',
    ],
    ['service', 'VARCHAR', 'as in cube'],
    ...lineColumns,
    ['team', 'VARCHAR', 'cost owner; NULL if unassigned'],
  ]),
  sql: async ({ request, now, services }) =>
    Promise.resolve({
      sql: `
        SELECT key_snapshot.key_id, key_snapshot.name, status, group_name, CASE WHEN NOT unlimited_quota THEN remain_quota END,
          CASE WHEN expired_time >= 0 THEN expired_time END, created_time, valid_from // 1000,
          CASE WHEN valid_until <= $now THEN valid_until // 1000 END,
          coalesce(services.service, key_snapshot.name), line.generation, coalesce(line.rotated, false), NULL
        FROM key_snapshot
        LEFT JOIN ${services.sql} AS services ON services.name = key_snapshot.name
        LEFT JOIN (${lineSql}) AS line ON line.key_id = key_snapshot.key_id
        WHERE account = $account AND valid_from <= $now`,
      bindings: { account: request.account, now, ...services.bindings },
    }),
};

export const accountHistoryView: ReportView = {
  name: 'account_history',
  reads: ['account_snapshot'],
  description:
    'the account profile at each snapshot; amounts as served, in a unit that the gateway does not state',
  ofWholeAccount: true,
  columns: columnsOf([
    ['taken_seconds', 'BIGINT', 'time of the snapshot, seconds UTC'],
    ['balance', 'DECIMAL(38, 18)', 'balance'],
    ['used_quota', 'DECIMAL(38, 18)', 'used_quota'],
    ['request_count', 'BIGINT', 'request_count; NULL if not reported'],
    ['group_name', 'VARCHAR', 'group of the account'],
    ['key_count', 'BIGINT', 'number of keys listed; NULL if the list was not available'],
  ]),
  sql: async ({ request, now }) =>
    Promise.resolve({
      sql: `
        SELECT taken_at // 1000, balance, used_quota, request_count, group_name, key_count
        FROM account_snapshot WHERE account = $account AND taken_at <= $now`,
      bindings: { account: request.account, now },
    }),
};
