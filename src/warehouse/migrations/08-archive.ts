import type { Migration } from './migration.ts';

export const archive: Migration = {
  number: 8,
  name: 'archive of the call log',
  statements: [
    /*
     * One row a file; start_at and end_at in seconds UTC, written_at and left_at in milliseconds UTC. State `void`: a file
     * that no longer counts, or does not yet; `copy`: its rows are in call_log too; `sole`: they have left it. At most one
     * of a month is not void: work on an account is done one by one (a key would refuse a month that a reader still sees).
     */
    `CREATE TABLE call_archive (
      account VARCHAR NOT NULL,
      month VARCHAR NOT NULL,
      start_at BIGINT NOT NULL,
      end_at BIGINT NOT NULL,
      state VARCHAR NOT NULL,
      file VARCHAR NOT NULL,
      row_count BIGINT NOT NULL,
      quota DECIMAL(38, 12) NOT NULL,
      checksum VARCHAR NOT NULL,
      engine VARCHAR NOT NULL,
      bytes BIGINT NOT NULL,
      sha256 VARCHAR NOT NULL,
      written_at BIGINT NOT NULL,
      left_at BIGINT
    )`,
  ],
};
