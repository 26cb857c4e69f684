import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fault, type Clock, type Log } from '../../core/index.ts';
import {
  copyToDuckDB,
  inSnapshot,
  partitionsOf,
  readColumns,
  tablesOf,
  text,
  type Column,
  type Connection,
  type PostgresConnection,
  type PostgresEngine,
} from '../../storage/index.ts';
import { readDatabaseFacts } from '../backup/database-facts.ts';
import type { CopyTarget, DatabaseCopy } from '../backup/database-copy.ts';
import { openMigrated } from '../database-file/open-migrated.ts';
import { readEvents } from '../keys/journal-rows.ts';
import { schema } from '../schema.ts';
import { differencesOf, readSums } from './table-sums.ts';

type CopyDeps = { readonly clock: Clock; readonly log: Log; readonly version?: string | undefined };

/** Memory limit of the DuckDB instance that writes the file. A small one is enough, because rows are streamed. */
const memoryLimit = '256MB';

/** Mails that are read at once. */
const page = 50;

const copyMails = async (
  stored: PostgresConnection,
  folder: string,
  signal: AbortSignal,
): Promise<number> => {
  let mails = 0;
  for (let last = ''; ;) {
    signal.throwIfAborted();
    const rows = await stored.rows(
      `SELECT file, bytes FROM mail_file WHERE file > $last ORDER BY file LIMIT ${page}`,
      { last },
    );
    for (const row of rows) {
      last = text(row, 'file');
      const bytes = Buffer.from(text(row, 'bytes'), 'base64');
      await writeFile(join(folder, last), bytes, { mode: 0o600, flush: true });
    }
    mails += rows.length;
    if (rows.length < page) return mails;
  }
};

const copyTables = async (
  local: Connection,
  stored: PostgresConnection,
  { path, progress, signal }: CopyTarget,
): Promise<ReadonlyMap<string, readonly Column[]>> => {
  const file = join(dirname(path), 'spool', 'rows.csv');
  const columns = new Map<string, readonly Column[]>();
  let rows = 0;
  for (const table of tablesOf(schema)) {
    const given = await readColumns(local, table, 'current_database()');
    columns.set(table, given);
    for (const from of table === 'call_log' ? await partitionsOf(stored) : [table]) {
      signal.throwIfAborted();
      progress({ step: 'copying the database', rows, detail: from });
      const order = table === 'call_log' ? ' ORDER BY account, created_at' : '';
      try {
        rows += await copyToDuckDB({ local, stored }, table, given, from + order, {}, file);
      } finally {
        await rm(file, { force: true });
      }
    }
  }
  return columns;
};

/**
 * Copies the database, as of one moment, into a new database file and a folder of mails. Other work continues meanwhile. The
 * tables of the copy are compared with the original. @throws the faults of both engines, warehouse-failed if the copy differs
 */
export const copyToFile = async (
  database: PostgresEngine,
  target: CopyTarget,
  { clock, log, version }: CopyDeps,
): Promise<DatabaseCopy> => {
  const { path, mailFolder, progress, signal } = target;
  const spoolDirectory = join(dirname(path), 'spool');
  const engine = await openMigrated(
    { path, spoolDirectory, memoryLimit, threads: 1, clock, log, version },
    schema,
  );
  try {
    return await engine.bulk(
      (local) =>
        database.bulk(
          (stored) =>
            inSnapshot(stored, async () => {
              // The snapshot of the transaction is taken by now, so `at` is not before it.
              await stored.rows('SELECT 1 AS begun');
              const at = clock.now();
              const columns = await copyTables(local, stored, target);
              progress({ step: 'copying the mails' });
              const mails = await copyMails(stored, mailFolder, signal);
              progress({ step: 'comparing the copy' });
              const relations = [...columns].map(([table, given]) => ({
                table,
                from: table,
                columns: given,
              }));
              const differences = differencesOf(
                await readSums(stored, relations, 'postgres'),
                await readSums(local, relations, 'duckdb'),
              );
              if (differences.length > 0)
                throw fault(
                  'warehouse-failed',
                  `the copy of the database differs: ${differences.join('; ')}`,
                );
              return { at, mails, facts: await readDatabaseFacts(local), steps: await readEvents(local, {}) };
            }),
          signal,
        ),
      signal,
    );
  } finally {
    await engine[Symbol.asyncDispose]();
    await rm(spoolDirectory, { recursive: true, force: true });
  }
};
