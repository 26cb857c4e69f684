import type { Migration } from './migration.ts';

export const seriesColours: Migration = {
  number: 21,
  name: 'colours of series in charts',
  statements: [
    // A model or key keeps the colour of its first chart in every later one.
    `CREATE TABLE series_colour (
      account VARCHAR NOT NULL,
      name VARCHAR NOT NULL,
      colour BIGINT NOT NULL,
      UNIQUE (account, name)
    )`,
  ],
};
