import type { Migration } from './migration.ts';

/** Comparisons of the call log with other sources; spans in seconds UTC, moments of our own in milliseconds UTC. */
export const comparisons: Migration = {
  number: 9,
  name: 'comparisons with other sources',
  statements: [
    // One row a comparison; entry is empty for a total. Amounts are text, digit by digit: units have no fixed places.
    `CREATE TABLE comparison (
      account VARCHAR NOT NULL,
      source VARCHAR NOT NULL,
      entry VARCHAR,
      start_at BIGINT NOT NULL,
      end_at BIGINT NOT NULL,
      ours VARCHAR NOT NULL,
      theirs VARCHAR NOT NULL,
      gap VARCHAR NOT NULL,
      unit VARCHAR NOT NULL,
      verdict VARCHAR NOT NULL,
      words VARCHAR NOT NULL,
      compared_at BIGINT NOT NULL
    )`,
    // What a source was found to count in, with the comparison that showed it.
    `CREATE TABLE source_unit (
      account VARCHAR NOT NULL,
      source VARCHAR NOT NULL,
      unit VARCHAR NOT NULL,
      per_currency VARCHAR NOT NULL,
      refunds VARCHAR NOT NULL,
      places BIGINT NOT NULL,
      figures BIGINT NOT NULL,
      evidence VARCHAR NOT NULL,
      learned_at BIGINT NOT NULL
    )`,
  ],
};
