import type { Migration } from './migration.ts';

/** Steps taken on keys and the line of each service; moments in milliseconds UTC. */
export const keys: Migration = {
  number: 14,
  name: 'rotation of keys',
  statements: [
    // The journal of steps, chained by hash; the audit file beside the database holds the same. Only ever added to.
    `CREATE TABLE key_event (
      seq BIGINT NOT NULL,
      taken_at BIGINT NOT NULL,
      account VARCHAR NOT NULL,
      service VARCHAR NOT NULL,
      rotation VARCHAR NOT NULL,
      what VARCHAR NOT NULL,
      hash VARCHAR NOT NULL,
      event VARCHAR NOT NULL,
      UNIQUE (seq)
    )`,
    // Which keys are, or were, of a service; retired is empty while it lives.
    `CREATE TABLE key_lineage (
      account VARCHAR NOT NULL,
      key_id BIGINT NOT NULL,
      service VARCHAR NOT NULL,
      generation BIGINT NOT NULL,
      name VARCHAR NOT NULL,
      born BIGINT NOT NULL,
      retired BIGINT
    )`,
  ],
};
