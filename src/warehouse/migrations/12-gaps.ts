import type { Migration } from './migration.ts';

/** Gaps between the call log and another source that operators are told of; spans in seconds UTC, moments in milliseconds UTC. */
export const gaps: Migration = {
  number: 12,
  name: 'gaps that people are told of',
  statements: [
    // State: open until later time agrees with the source (passed), or the very span does (healed).
    `CREATE TABLE comparison_gap (
      account VARCHAR NOT NULL,
      source VARCHAR NOT NULL,
      start_at BIGINT NOT NULL,
      end_at BIGINT NOT NULL,
      gap VARCHAR NOT NULL,
      unit VARCHAR NOT NULL,
      verdict VARCHAR NOT NULL,
      words VARCHAR NOT NULL,
      state VARCHAR NOT NULL,
      noted_at BIGINT NOT NULL,
      told_at BIGINT
    )`,
  ],
};
