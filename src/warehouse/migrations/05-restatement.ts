import type { Migration } from './migration.ts';

export const restatement: Migration = {
  number: 5,
  name: 'restatement',
  statements: [
    // What was older than this when the window was asked for had come, as far as the lag of the pull tells. Seconds UTC.
    'ALTER TABLE log_window ADD COLUMN settled_at BIGINT',
    // Sums of what was landed before of a quarter hour, before and after a landing that changed them; amounts as served.
    `CREATE TABLE restatement (
      account VARCHAR NOT NULL,
      number BIGINT NOT NULL,
      quarter BIGINT NOT NULL,
      kind VARCHAR NOT NULL,
      old_calls BIGINT NOT NULL,
      new_calls BIGINT NOT NULL,
      old_amount DECIMAL(38, 12) NOT NULL,
      new_amount DECIMAL(38, 12) NOT NULL,
      old_size DECIMAL(38, 12) NOT NULL,
      new_size DECIMAL(38, 12) NOT NULL,
      landed_at BIGINT NOT NULL
    )`,
  ],
};
