import type { UnixMillis } from '../../core/index.ts';
import {
  all,
  amount,
  column,
  millis,
  optional,
  readAs,
  rowReader,
  seconds,
  text,
  wholeNumber,
  type Bindings,
  type Sql,
} from '../../storage/index.ts';
import { amountType, exactDecimal } from './exact-decimal.ts';
import type { AccountSnapshot, Snapshot, StatisticsSnapshot } from './snapshot.ts';
import { withoutSecrets } from './without-secrets.ts';

/**
 * The row of the snapshot, whichever of its parts were readable. @throws faults export-amount-inexact,
 * gateway-answer-unreadable
 */
export const writeAccount = async (
  connection: Sql,
  { account, profile, keys }: Snapshot,
  takenAt: UnixMillis,
): Promise<void> => {
  await connection.execute(
    `INSERT INTO account_snapshot (account, taken_at, asked_at, username, display_name, balance, used_quota,
       request_count, group_name, level, rest, key_count)
     VALUES ($account, $takenAt, $askedAt, $username, $displayName, CAST($balance AS ${amountType}),
       CAST($usedQuota AS ${amountType}), $requestCount, $group, $level, $rest, $keyCount)`,
    {
      account,
      takenAt,
      askedAt: profile?.askedAt ?? null,
      username: profile?.username ?? null,
      displayName: profile?.displayName ?? null,
      balance: profile === undefined ? null : exactDecimal(profile.balance, 'balance of the account'),
      usedQuota: profile === undefined ? null : exactDecimal(profile.usedQuota, 'used_quota of the account'),
      requestCount: profile?.requestCount ?? null,
      group: profile?.group ?? null,
      level: profile?.level ?? null,
      rest: profile === undefined ? null : withoutSecrets(profile.rest),
      keyCount: keys?.length ?? null,
    },
  );
};

export const writeStatistics = async (
  connection: Sql,
  { account, statistics = [] }: Snapshot,
  takenAt: UnixMillis,
): Promise<void> => {
  for (const { start, end, quota, rpm, tpm, mpm, rest } of statistics)
    await connection.execute(
      `INSERT INTO account_statistics (account, taken_at, start_at, end_at, quota, rpm, tpm, mpm, rest)
       VALUES ($account, $takenAt, $start, $end, $quota, $rpm, $tpm, $mpm, $rest)`,
      {
        account,
        takenAt,
        start,
        end,
        quota,
        rpm: rpm ?? null,
        tpm: tpm ?? null,
        mpm: mpm ?? null,
        rest: withoutSecrets(rest),
      },
    );
};

const accountSnapshot = rowReader({
  ...all(millis, 'takenAt', 'askedAt'),
  username: text,
  displayName: optional(text),
  ...all(amount, 'balance', 'usedQuota'),
  ...all(optional(wholeNumber), 'requestCount', 'level'),
  group: column('group_name', optional(text)),
  rest: text,
});

const statisticsSnapshot = rowReader({
  takenAt: millis,
  start: column('start_at', seconds),
  end: column('end_at', seconds),
  quota: amount,
  ...all(optional(amount), 'rpm', 'tpm', 'mpm'),
  rest: text,
});

/** The profiles whose moment matches, oldest first; `which` is SQL over the bindings. */
export const readAccounts = async (
  connection: Sql,
  which: string,
  bindings: Bindings,
): Promise<readonly AccountSnapshot[]> =>
  readAs(
    connection,
    accountSnapshot,
    `SELECT * FROM account_snapshot
     WHERE account = $account AND balance IS NOT NULL AND ${which} ORDER BY taken_at`,
    bindings,
  );

/** The latest profile at or before the moment. */
export const readAccountAt = async (
  connection: Sql,
  account: string,
  moment: UnixMillis,
): Promise<AccountSnapshot | undefined> => {
  const [found] = await readAccounts(
    connection,
    `taken_at = (SELECT max(taken_at) FROM account_snapshot
       WHERE account = $account AND balance IS NOT NULL AND taken_at <= $moment)`,
    { account, moment },
  );
  return found;
};

export const readStatistics = async (
  connection: Sql,
  account: string,
  from: UnixMillis,
  to: UnixMillis,
): Promise<readonly StatisticsSnapshot[]> =>
  readAs(
    connection,
    statisticsSnapshot,
    `SELECT * FROM account_statistics
     WHERE account = $account AND taken_at >= $from AND taken_at < $to ORDER BY taken_at, end_at - start_at`,
    { account, from, to },
  );
