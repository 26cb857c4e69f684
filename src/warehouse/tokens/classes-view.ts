import { errorFields, type Log } from '../../core/index.ts';
import { type Engine, inTransaction, literal } from '../../storage/index.ts';
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

/**
 * Recreates the view `call_classes`: every call with its classes, as this program counts them. `files` are those of the
 * archive under `root`. If one of them is unreadable, the view is not created, so that it never lacks calls.
 */
export const createClassesView = async (
  engine: Engine,
  root: string,
  files: readonly string[],
  log: Log,
): Promise<void> =>
  engine.state(async (connection) => {
    try {
      await inTransaction(connection, async () => {
        await connection.execute(
          `CREATE OR REPLACE VIEW call_classes AS ${classedCallsSql(callsSql(root, files))}`,
        );
      });
    } catch (error) {
      await connection.execute('DROP VIEW IF EXISTS call_classes');
      log.warn(
        'cannot create the view call_classes: a file of the archive cannot be read',
        errorFields(error),
      );
    }
  });
