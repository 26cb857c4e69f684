import type { Migration } from './migration.ts';

export const quarantine: Migration = {
  number: 10,
  name: 'quarantined rows',
  statements: [
    // Rows of the window that were put aside; none where nothing is said.
    'ALTER TABLE log_window ADD COLUMN quarantined_count BIGINT',
    /*
     * Rows of an export that could not be read, with the window they came in. start_at and end_at: the time they may be
     * of, the row's own second where that can be read; what is landed later takes its part away. Seconds UTC; landed_at in
     * milliseconds UTC.
     */
    `CREATE TABLE log_quarantine (
      account VARCHAR NOT NULL,
      window_start BIGINT NOT NULL,
      window_end BIGINT NOT NULL,
      start_at BIGINT NOT NULL,
      end_at BIGINT NOT NULL,
      line BIGINT NOT NULL,
      row_text VARCHAR NOT NULL,
      reason VARCHAR NOT NULL,
      landed_at BIGINT NOT NULL
    )`,
  ],
};
