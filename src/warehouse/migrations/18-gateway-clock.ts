import type { Migration } from './migration.ts';

/** How far each gateway's clock is from ours, and the gateway's time of each landing; milliseconds UTC. */
export const gatewayClock: Migration = {
  number: 18,
  name: 'clock of the gateway',
  statements: [
    `CREATE TABLE gateway_clock (
      account VARCHAR NOT NULL,
      measured_at BIGINT NOT NULL,
      uptime BIGINT,
      clock_offset BIGINT NOT NULL,
      uncertainty BIGINT NOT NULL,
      since BIGINT NOT NULL,
      jump BIGINT NOT NULL
    )`,
    'ALTER TABLE log_window ADD COLUMN gateway_at BIGINT',
  ],
};
