import type { Clock } from '../../core/index.ts';
import { text, wholeNumber } from '../sql.ts';
import type { PostgresEngine } from './engine.ts';

/** How the server of PostgreSQL is at the moment. */
export type ServerState = {
  /** Such as 15.4. */
  readonly version: string;
  /** Of the database, in bytes. */
  readonly size: number;
  readonly connections: { readonly used: number; readonly most: number };
  /** The time of a statement that does nothing, in milliseconds. */
  readonly roundTrip: number;
};

const statements = 20;

export const readServer = async (database: PostgresEngine, clock: Pick<Clock, 'now'>): Promise<ServerState> =>
  database.bulk(async (connection) => {
    const [row] = await connection.rows(
      `SELECT split_part(current_setting('server_version'), ' ', 1) AS version, pg_database_size(current_database()) AS size,
         current_setting('max_connections') AS most,
         (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used`,
    );
    const began = clock.now();
    for (let nth = 0; nth < statements; nth += 1) await connection.rows('SELECT 1 AS one');
    return {
      version: text(row, 'version'),
      size: wholeNumber(row, 'size'),
      connections: { used: wholeNumber(row, 'used'), most: wholeNumber(row, 'most') },
      roundTrip: (clock.now() - began) / statements,
    };
  });
