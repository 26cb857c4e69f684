import { createHash } from 'node:crypto';
import { errorFields, type Log } from '../../core/index.ts';
import { type Engine, inTransaction, literal, type Sql } from '../../storage/index.ts';
import { callsWithJson } from '../logs/extra.ts';
import { classedCallsSql } from './classes-sql.ts';

/**
 * All calls, including those in files. A file counts while the database marks it as the only copy of its rows: each
 * call appears exactly once at any moment, even if the list of files predates the move of a month.
 */
const callsSql = (root: string, files: readonly string[]): string =>
  files.length === 0
    ? callsWithJson
    : `(SELECT * FROM ${callsWithJson} UNION ALL BY NAME
        SELECT * EXCLUDE (archive_file)
        FROM read_parquet([${files.map((file) => literal(`${root}/${file}`)).join(', ')}], union_by_name = true,
          hive_partitioning = false, filename = 'archive_file')
        WHERE archive_file IN (SELECT ${literal(`${root}/`)} || file FROM call_archive WHERE state = 'sole'))`;

export type ClassesView = {
  readonly root: string;
  readonly files: readonly string[];
  /** Number of the database's schema. */
  readonly schema: number;
  readonly log: Log;
};

/** What the view was made of, kept as its comment. Its columns are those of the table under this schema. */
const stampOf = (sql: string, schema: number): string =>
  `schema ${schema}, ${createHash('sha256').update(sql).digest('hex')}`;

const storedStamp = async (connection: Sql): Promise<unknown> => {
  const [view] = await connection.rows(
    `SELECT comment FROM duckdb_views() WHERE NOT internal AND view_name = 'call_classes'`,
  );
  return view?.['comment'];
};

/**
 * Creates the view `call_classes`: every call with its classes, as this program counts them. `files` are those of the
 * archive under `root`. If one of them is unreadable, the view is not created, so that it never lacks calls.
 */
export const createClassesView = async (
  engine: Engine,
  { root, files, schema, log }: ClassesView,
): Promise<void> =>
  engine.state(async (connection) => {
    try {
      const sql = classedCallsSql(callsSql(root, files));
      const stamp = stampOf(sql, schema);
      // Files are read again each time. Without any, to open a database that is up to date writes nothing to it.
      if (files.length === 0 && (await storedStamp(connection)) === stamp) return;
      await inTransaction(connection, async () => {
        await connection.execute(`CREATE OR REPLACE VIEW call_classes AS ${sql}`);
        await connection.execute(`COMMENT ON VIEW call_classes IS ${literal(stamp)}`);
      });
    } catch (error) {
      await connection.execute('DROP VIEW IF EXISTS call_classes');
      log.warn(
        'cannot create the view call_classes: a file of the archive cannot be read',
        errorFields(error),
      );
    }
  });
