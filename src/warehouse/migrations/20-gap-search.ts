import type { Migration } from './migration.ts';

/** Searches for missing rows of the call log that went through a span to their end; spans in seconds UTC, moments in milliseconds UTC. */
export const gapSearch: Migration = {
  number: 20,
  name: 'searches for missing rows',
  statements: [
    `CREATE TABLE gap_search (
      account VARCHAR NOT NULL,
      start_at BIGINT NOT NULL,
      end_at BIGINT NOT NULL,
      searched_at BIGINT NOT NULL
    )`,
  ],
};
