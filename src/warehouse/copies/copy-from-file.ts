import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fault, unixSeconds, type Progress } from '../../core/index.ts';
import {
  copyToPostgres,
  createPartition,
  inTransaction,
  requireSame,
  wholeNumber,
  writeRows,
  type Connection,
  type MailStore,
  type PostgresConnection,
  type SharedDatabase,
} from '../../storage/index.ts';
import { rowsByMonth, type MonthRows } from '../archive/months.ts';
import { openMigrated, type MigrationOptions } from '../database-file/open-migrated.ts';
import { spoolPrefix } from '../spool-prefix.ts';
import { schema } from '../schema.ts';
import { derivedTables, requireEmpty } from './filled-table.ts';
import { outgoingRelations, type OutgoingRelation } from './outgoing-relations.ts';
import { differencesOf, readSums, type TableSums } from './table-sums.ts';

/** A closed database file with its archive and mails. */
export type CopySource = MigrationOptions & { readonly mails: Pick<MailStore, 'list' | 'load'> };

export type CopyOptions = {
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** What is to be done before the copy counts. */
  readonly beforeCommit?: () => Promise<void>;
};

export type CopiedTables = TableSums & { readonly mails: number };

/** Mails that are stored at once. */
const page = 50;

const copyMails = async (
  stored: PostgresConnection,
  { mails, log }: CopySource,
  { progress, signal }: CopyOptions,
): Promise<number> => {
  const files = (await mails.list()).filter((file) => file.endsWith('.eml'));
  let copied = 0;
  for (let first = 0; first < files.length; first += page) {
    signal.throwIfAborted();
    progress({ step: 'copying the mails', done: first, total: files.length });
    const rows: { file: string; bytes: string }[] = [];
    for (const file of files.slice(first, first + page))
      try {
        rows.push({ file, bytes: (await mails.load(file)).toString('base64') });
      } catch (error) {
        log.warn('a damaged mail is not copied; where it was not sent, the outbox shows it as failed', {
          file,
          reason: String(error),
        });
      }
    const { sql, bindings } = stored.table({ file: 'VARCHAR', bytes: 'VARCHAR' }, rows);
    const added = await stored.execute(
      `INSERT INTO mail_file (file, bytes) SELECT file, bytes FROM ${sql} AS added`,
      bindings,
    );
    requireSame('mail_file', rows.length, added);
    copied += added;
  }
  return copied;
};

/** The rows of a relation in pieces: files between the engines are no larger than the calls of a month. */
const piecesOf = ({ table, from }: OutgoingRelation, months: readonly MonthRows[]): readonly string[] =>
  table === 'call_log'
    ? months.map(
        ({ range: { start, end } }) =>
          `FROM ${from} WHERE created_at >= ${start} AND created_at < ${end} ORDER BY account, created_at`,
      )
    : [`FROM ${from}`];

const copyTables = async (
  local: Connection,
  stored: PostgresConnection,
  { spoolDirectory }: CopySource,
  { relations, months }: { relations: readonly OutgoingRelation[]; months: readonly MonthRows[] },
  { progress, signal }: CopyOptions,
): Promise<void> => {
  const file = join(spoolDirectory, `${spoolPrefix}rows.csv`);
  let rows = 0;
  for (const relation of relations) {
    const { table, columns } = relation;
    for (const piece of piecesOf(relation, months)) {
      signal.throwIfAborted();
      progress({ step: 'copying the database', rows, detail: table });
      try {
        const written = await writeRows(local, table, columns, piece, file);
        await copyToPostgres(stored, written);
        rows += written.rows;
      } finally {
        await rm(file, { force: true });
      }
    }
  }
};

const monthsOf = async (local: Connection, calls: string): Promise<readonly MonthRows[]> =>
  rowsByMonth(
    (
      await local.rows(`SELECT created_at // 86400 AS day, count(*) AS row_count FROM ${calls} GROUP BY ALL`)
    ).map((row) => ({
      day: unixSeconds(wholeNumber(row, 'day') * 86_400),
      rows: wholeNumber(row, 'row_count'),
    })),
  );

const copyAll = async (
  local: Connection,
  stored: PostgresConnection,
  confirm: () => Promise<unknown>,
  source: CopySource,
  options: CopyOptions,
): Promise<CopiedTables> => {
  const { progress, beforeCommit } = options;
  const relations = await outgoingRelations(local, source);
  const calls = relations.find(({ table }) => table === 'call_log')?.from ?? 'call_log';
  const months = await monthsOf(local, calls);
  for (const month of months) await createPartition(stored, month);
  return inTransaction(stored, async () => {
    // The file is read while the transaction waits, longer than a transaction of a replica may.
    await stored.rows(`SELECT set_config('idle_in_transaction_session_timeout', '0', true) AS idle`);
    await requireEmpty(stored);
    for (const table of derivedTables) await stored.execute(`DELETE FROM ${table}`);
    await copyTables(local, stored, source, { relations, months }, options);
    const mails = await copyMails(stored, source, options);
    progress({ step: 'comparing the copy' });
    const original = await readSums(local, relations, 'duckdb');
    const copy = await readSums(
      stored,
      relations.map((relation) => ({ ...relation, from: relation.table })),
      'postgres',
    );
    const differences = differencesOf(original, copy);
    if (differences.length > 0)
      throw fault('warehouse-failed', `the copy of the database differs: ${differences.join('; ')}`);
    await beforeCommit?.();
    await confirm();
    return { ...copy, mails };
  });
};

/**
 * Copies a database file, with its archive and mails, into an empty database whose leases this process holds. All rows are copied in one
 * transaction, which commits only if the tables are equal. @throws faults restore-not-empty, lease-lost, those of both engines
 */
export const copyFromFile = async (
  { engine: database, leases }: SharedDatabase,
  source: CopySource,
  options: CopyOptions,
): Promise<CopiedTables> => {
  const { signal } = options;
  const engine = await openMigrated(source, schema);
  try {
    return await engine.bulk(
      (local) => database.bulk((stored) => copyAll(local, stored, leases.confirm, source, options), signal),
      signal,
    );
  } finally {
    await engine[Symbol.asyncDispose]();
  }
};
