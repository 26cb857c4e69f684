import type { Bindings } from '../rows.ts';

/** Rows of files, bound as `$archive_files`; partitions are not read off the path, since the file holds the account. */
const filesSql = 'read_parquet($archive_files, union_by_name = true, hive_partitioning = false)';

/**
 * The rows of files with the columns of `call_log` as it is by now, in their order: a file may be older than a column,
 * which is unknown then.
 */
export const archivedCallsSql = `(SELECT * FROM call_log WHERE false UNION ALL BY NAME SELECT * FROM ${filesSql})`;

/** A relation with the columns of `call_log`, for FROM, and what it needs bound. */
export type CallsRelation = { readonly sql: string; readonly bindings: Bindings };

/** All calls there are, given the files that hold those which left the table. */
export const allCalls = (files: readonly string[]): CallsRelation =>
  files.length === 0
    ? { sql: 'call_log', bindings: {} }
    : {
        sql: `(SELECT * FROM call_log UNION ALL BY NAME SELECT * FROM ${filesSql})`,
        bindings: { archive_files: files },
      };
