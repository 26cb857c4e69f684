import type { Migration } from './migration.ts';

/** What was found of a gateway; all moments in milliseconds UTC. */
export const learnedProfile: Migration = {
  number: 11,
  name: 'learned profile',
  statements: [
    // One row a point: what is taken of it now. Confirmed: when it was last found so.
    `CREATE TABLE learned_point (
      account VARCHAR NOT NULL,
      point VARCHAR NOT NULL,
      value VARCHAR NOT NULL,
      evidence VARCHAR NOT NULL,
      how VARCHAR NOT NULL,
      learned_at BIGINT NOT NULL,
      confirmed_at BIGINT NOT NULL
    )`,
    // What was taken of it before, until another value was learned.
    `CREATE TABLE learned_point_past (
      account VARCHAR NOT NULL,
      point VARCHAR NOT NULL,
      value VARCHAR NOT NULL,
      evidence VARCHAR NOT NULL,
      how VARCHAR NOT NULL,
      learned_at BIGINT NOT NULL,
      until_at BIGINT NOT NULL
    )`,
    // Columns of the log export, by the name they are served with; gone_at is empty while they are served.
    `CREATE TABLE learned_column (
      account VARCHAR NOT NULL,
      name VARCHAR NOT NULL,
      role VARCHAR,
      shown_unasked BOOLEAN NOT NULL,
      first_seen BIGINT NOT NULL,
      last_seen BIGINT NOT NULL,
      gone_at BIGINT
    )`,
    // What operators are to be told, and when they were.
    `CREATE TABLE learned_news (
      account VARCHAR NOT NULL,
      topic VARCHAR NOT NULL,
      name VARCHAR NOT NULL,
      detail VARCHAR NOT NULL,
      noted_at BIGINT NOT NULL,
      told_at BIGINT
    )`,
  ],
};
