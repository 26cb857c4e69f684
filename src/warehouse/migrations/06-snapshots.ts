import type { Migration } from './migration.ts';

/** Snapshots: taken_at, asked_at, valid_from and valid_until in milliseconds UTC; what the gateway gives in seconds stays so. */
export const snapshots: Migration = {
  number: 6,
  name: 'account and key snapshots',
  statements: [
    // One row a snapshot. The profile's columns are empty where it could not be read, key_count where the keys could not.
    `CREATE TABLE account_snapshot (
      account VARCHAR NOT NULL,
      taken_at BIGINT NOT NULL,
      asked_at BIGINT,
      username VARCHAR,
      display_name VARCHAR,
      balance DECIMAL(38, 18),
      used_quota DECIMAL(38, 18),
      request_count BIGINT,
      group_name VARCHAR,
      level BIGINT,
      rest VARCHAR,
      key_count BIGINT
    )`,
    // Amounts are text, digit by digit as served: a sum of floats may have more decimals than a DECIMAL.
    `CREATE TABLE account_statistics (
      account VARCHAR NOT NULL,
      taken_at BIGINT NOT NULL,
      start_at BIGINT NOT NULL,
      end_at BIGINT NOT NULL,
      quota VARCHAR NOT NULL,
      rpm VARCHAR,
      tpm VARCHAR,
      mpm VARCHAR,
      rest VARCHAR NOT NULL
    )`,
    // One row for as long as a key stays the same: from the first snapshot that shows it so to the first that does not.
    `CREATE TABLE key_snapshot (
      account VARCHAR NOT NULL,
      key_id BIGINT NOT NULL,
      valid_from BIGINT NOT NULL,
      valid_until BIGINT NOT NULL,
      name VARCHAR NOT NULL,
      key_mask VARCHAR,
      status BIGINT,
      remain_quota DECIMAL(38, 18) NOT NULL,
      unlimited_quota BOOLEAN NOT NULL,
      expired_time BIGINT NOT NULL,
      group_name VARCHAR,
      created_time BIGINT,
      rest VARCHAR NOT NULL
    )`,
  ],
};
