import type { Migration } from './migration.ts';

/** What the outbox knows of a row beyond its first version; moments in milliseconds UTC. */
export const outboxRoutes: Migration = {
  number: 13,
  name: 'routes and doubts of the outbox',
  statements: [
    // The way it goes out: `mail`, or the name of a webhook.
    `ALTER TABLE outbox ADD COLUMN route VARCHAR DEFAULT 'mail'`,
    // How many tries ended so that it may or may not have arrived.
    'ALTER TABLE outbox ADD COLUMN doubts BIGINT DEFAULT 0',
    // From when on the days are counted after which it is given up: since it was queued, or was ordered to be sent again.
    'ALTER TABLE outbox ADD COLUMN tried_from BIGINT',
  ],
};
