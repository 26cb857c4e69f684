import { flag } from '../row-reader.ts';
import type { Sql } from '../sql.ts';
import type { Backend, Statement } from './watch.ts';

/** Leading characters that identify a statement. By default, pg_stat_activity stores 1024 bytes. */
const prefixLength = 200;

/** A process that waits for its client does not work on a statement. */
const working = `datname = current_database() AND state = 'active' AND wait_event_type IS DISTINCT FROM 'Client'
  AND pid <> pg_backend_pid()`;

const isAtWork = async (connection: Sql, { text, backend }: Statement): Promise<boolean> => {
  const [row] = await (backend === undefined
    ? connection.rows(
        `SELECT count(*) > 0 AS works FROM pg_stat_activity WHERE ${working} AND left(query, ${prefixLength}) = $text`,
        { text: text.slice(0, prefixLength) },
      )
    : connection.rows(
        `SELECT count(*) > 0 AS works FROM pg_stat_activity
         WHERE ${working} AND pid = $pid AND xact_start = CAST($begun AS TIMESTAMPTZ)`,
        backend,
      ));
  return flag(row ?? {}, 'works');
};

/**
 * For each statement of another connection, whether the server works on it. A statement outside of a transaction is found by its text:
 * behind a pooler, the client does not know the process that runs it.
 */
export const areAtWork = async (
  connection: Sql,
  statements: readonly Statement[],
): Promise<readonly boolean[]> => {
  const answers: boolean[] = [];
  for (const statement of statements) answers.push(await isAtWork(connection, statement));
  return answers;
};

/** Ends a transaction and its connection to the server. Does nothing if the process already runs another transaction. */
export const terminate = async (connection: Sql, backend: Backend): Promise<void> => {
  await connection.rows(
    `SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity
     WHERE datname = current_database() AND pid = $pid AND xact_start = CAST($begun AS TIMESTAMPTZ)`,
    backend,
  );
};
