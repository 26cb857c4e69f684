import type { Relation } from '../../storage/index.ts';

/**
 * Rows of files, bound as `$archive_files`. The file contains the account, so partitions are not read from the path.
 */
const filesSql = 'read_parquet($archive_files, union_by_name = true, hive_partitioning = false)';

/**
 * The rows of files with the current columns of `call_log`, in their order. A file may predate a column, whose values
 * are then unknown.
 */
export const archivedCallsSql = `(SELECT * FROM call_log WHERE false UNION ALL BY NAME SELECT * FROM ${filesSql})`;

/** All calls, given the files that contain those which left the table. */
export const allCalls = (files: readonly string[]): Relation =>
  files.length === 0
    ? { sql: 'call_log', bindings: {} }
    : {
        sql: `(SELECT * FROM call_log UNION ALL BY NAME SELECT * FROM ${filesSql})`,
        bindings: { archive_files: files },
      };
