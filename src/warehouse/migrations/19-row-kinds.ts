import type { Migration } from './migration.ts';

/** What shows the kinds of rows where no column that is known names them; seconds UTC. */
export const rowKinds: Migration = {
  number: 19,
  name: 'kinds of rows that the data shows',
  statements: [
    // Meaning: error; call, where the amount says whether it is a refund; nothing while it is open.
    `CREATE TABLE log_kind_word (
      account VARCHAR NOT NULL,
      column_name VARCHAR NOT NULL,
      word VARCHAR NOT NULL,
      bare BIGINT NOT NULL,
      bare_of_charged_models BIGINT NOT NULL,
      charged BIGINT NOT NULL,
      refunds BIGINT NOT NULL,
      balance BIGINT NOT NULL,
      free BIGINT NOT NULL,
      meaning VARCHAR,
      UNIQUE (account, column_name, word)
    )`,
    // Rows that count as calls although they may be errors: no charge, no tokens, and no column that tells.
    `CREATE TABLE log_unclear_row (
      account VARCHAR NOT NULL,
      created_at BIGINT NOT NULL,
      row_count BIGINT NOT NULL
    )`,
  ],
};
