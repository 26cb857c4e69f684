import { interval, unixSeconds } from '../../base/index.ts';
import { inCurrency, spendOf } from '../cube/cells.ts';
import { columnsOf } from './relation.ts';
import type { ReportView } from './view.ts';

/** The keys as last listed. Calls tell keys by name alone: keys that share a name share what they say of calls. */
export const keysView: ReportView = {
  name: 'keys',
  words: 'every API key as the newest inventory lists it, with what the whole call log says of its name',
  keyColumn: 'name',
  columns: columnsOf([
    ['key_id', 'BIGINT', 'id of the gateway'],
    ['name', 'VARCHAR', 'as in token_name of cube'],
    ['key_mask', 'VARCHAR', 'the masked key'],
    ['status', 'BIGINT', 'as the gateway tells it'],
    ['group_name', 'VARCHAR', 'group of the key'],
    ['remain_quota', 'DECIMAL(38, 18)', 'what it may still spend, as served; NULL when unlimited'],
    ['unlimited_quota', 'BOOLEAN', 'without a quota of its own'],
    ['created_seconds', 'BIGINT', 'when it was made, seconds UTC; NULL where the gateway does not tell'],
    ['expires_seconds', 'BIGINT', 'when it expires, seconds UTC; NULL is never'],
    ['first_seen_seconds', 'BIGINT', 'the first snapshot that lists it, seconds UTC'],
    ['taken_seconds', 'BIGINT', 'when this inventory was taken, seconds UTC'],
    ['first_call_seconds', 'BIGINT', 'first call by its name, seconds UTC; NULL is none'],
    ['last_call_seconds', 'BIGINT', 'last call by its name, seconds UTC; NULL is none'],
    ['calls', 'BIGINT', 'calls by its name'],
    ['spend', 'DECIMAL(38, 12)', 'consumption less refunds by its name, in the currency of the account'],
    ['same_name', 'BIGINT', 'how many keys of the inventory have its name'],
    ['team', 'VARCHAR', 'who pays; NULL is unassigned'],
  ]),
  sql: async ({ request, served, now, callsIn }) => {
    const calls = await callsIn(interval(unixSeconds(0), unixSeconds(Math.max(1, Math.ceil(now / 1000)))));
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
          SELECT token_name, count(*) FILTER (kind = 'consumption') AS calls,
            min(created_at) FILTER (kind = 'consumption') AS first_call,
            max(created_at) FILTER (kind = 'consumption') AS last_call,
            ${inCurrency(`coalesce(sum(${spendOf('quota', 'abs(quota)')}), 0)`, served)} AS spend
          FROM ${calls.sql} WHERE account = $account AND created_at * 1000 <= $now
          GROUP BY token_name
        )
        SELECT listed.key_id, listed.name, key_mask, status, group_name,
          CASE WHEN NOT unlimited_quota THEN remain_quota END, unlimited_quota,
          created_time, CASE WHEN expired_time >= 0 THEN expired_time END,
          seen.first_seen, listed.at // 1000, used.first_call, used.last_call,
          coalesce(used.calls, 0), coalesce(used.spend, 0), count(*) OVER (PARTITION BY listed.name), NULL
        FROM listed
        LEFT JOIN seen ON seen.key_id = listed.key_id
        LEFT JOIN used ON used.token_name = listed.name`,
      bindings: {
        account: request.account,
        now,
        ...calls.bindings,
        ...(served.inUnits ? { value: served.value } : {}),
      },
    };
  },
};

export const keyHistoryView: ReportView = {
  name: 'key_history',
  words: 'a row for as long as a key stayed the same, from snapshot to snapshot',
  keyColumn: 'name',
  columns: columnsOf([
    ['key_id', 'BIGINT', 'id of the gateway'],
    ['name', 'VARCHAR', 'as in token_name of cube'],
    ['status', 'BIGINT', 'as the gateway tells it'],
    ['group_name', 'VARCHAR', 'group of the key'],
    ['remain_quota', 'DECIMAL(38, 18)', 'what it may still spend, as served; NULL when unlimited'],
    ['expires_seconds', 'BIGINT', 'when it expires, seconds UTC; NULL is never'],
    ['created_seconds', 'BIGINT', 'when it was made, seconds UTC'],
    ['from_seconds', 'BIGINT', 'the first snapshot that shows it so, seconds UTC'],
    ['until_seconds', 'BIGINT', 'the first that does not, seconds UTC; NULL while it is so'],
    ['team', 'VARCHAR', 'who pays; NULL is unassigned'],
  ]),
  sql: async ({ request, now }) =>
    Promise.resolve({
      sql: `
        SELECT key_id, name, status, group_name, CASE WHEN NOT unlimited_quota THEN remain_quota END,
          CASE WHEN expired_time >= 0 THEN expired_time END, created_time, valid_from // 1000,
          CASE WHEN valid_until <= $now THEN valid_until // 1000 END, NULL
        FROM key_snapshot WHERE account = $account AND valid_from <= $now`,
      bindings: { account: request.account, now },
    }),
};

export const accountHistoryView: ReportView = {
  name: 'account_history',
  words: 'the profile of the account at each snapshot; amounts as served, their unit is not told',
  ofWholeAccount: true,
  columns: columnsOf([
    ['taken_seconds', 'BIGINT', 'when it was read, seconds UTC'],
    ['balance', 'DECIMAL(38, 18)', 'balance'],
    ['used_quota', 'DECIMAL(38, 18)', 'used_quota'],
    ['request_count', 'BIGINT', 'request_count; NULL where it is not told'],
    ['group_name', 'VARCHAR', 'group of the account'],
    ['key_count', 'BIGINT', 'how many keys were listed; NULL where they could not be'],
  ]),
  sql: async ({ request, now }) =>
    Promise.resolve({
      sql: `
        SELECT taken_at // 1000, balance, used_quota, request_count, group_name, key_count
        FROM account_snapshot WHERE account = $account AND taken_at <= $now`,
      bindings: { account: request.account, now },
    }),
};
