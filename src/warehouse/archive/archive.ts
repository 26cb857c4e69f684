import { join } from 'node:path';
import {
  createGate,
  errorFields,
  hasCode,
  unixSeconds,
  type Clock,
  type Log,
  type NamedGates,
  type UnixMillis,
} from '../../core/index.ts';
import { type Engine, inTransaction, wholeNumber, type RowsIn, type Sql } from '../../storage/index.ts';
import type { LogBatch } from '../logs/log-batch.ts';
import type { ArchiveReader } from './archive-access.ts';
import { createFileCheck, damagedArchive, removeFile, type DamagedFile } from './archive-files.ts';
import {
  forgetFile,
  readMonths,
  readMonthsIn,
  readSoleFiles,
  readVoid,
  type ArchivedMonth,
} from './archive-rows.ts';
import type { ArchivePlan, ArchiveRequest, ArchiveTable } from './archive-table.ts';
import { rowsByMonth, type MonthRows } from './months.ts';
import { bringBack, takeOut } from './move-month.ts';
import { planArchive, type ArchivePolicy, type PlannedMonth } from './plan-archive.ts';
import { allCalls } from './relations.ts';
import { writeMonth } from './write-month.ts';

export type Archive = {
  readonly table: ArchiveTable;
  /**
   * The calls of a range, with those that left the table. Call it as a reader, in a transaction.
   * @throws fault archive-damaged when a file that the range needs is missing or differs from what was written
   */
  readonly rowsIn: (connection: Sql, account: string) => RowsIn;
  /** Files that the work reads are kept until it ends. */
  readonly asReader: <T>(work: () => Promise<T>) => Promise<T>;
  /** Calls `onFiles` with the current files. */
  readonly notifyFiles: () => Promise<void>;
  /** Call it in the transaction of a landing, before the landing reads the table. */
  readonly bringBack: (
    connection: Sql,
    batch: Pick<LogBatch, 'account' | 'window' | 'served'>,
  ) => Promise<void>;
};

export type ArchiveOptions = {
  readonly engine: Engine;
  readonly root: string;
  readonly reader: ArchiveReader;
  readonly clock: Clock;
  readonly log: Log;
  /** Serializes work that changes the calls of one account. */
  readonly oneAnAccount: NamedGates;
  /** Derives from the calls of the account what is still needed after they have left the table. */
  readonly beforeLeaving: (account: string, signal: AbortSignal | undefined) => Promise<void>;
  /**
   * Called with the files that contain calls which left the table: before these calls leave, and before other files are
   * removed.
   */
  readonly onFiles: (files: readonly string[]) => Promise<void>;
};

const readDays = async (connection: Sql, account: string): Promise<readonly MonthRows[]> => {
  const rows = await connection.rows(
    `SELECT created_at // 86400 * 86400 AS day, count(*) AS row_count FROM call_log WHERE account = $account GROUP BY day`,
    { account },
  );
  return rowsByMonth(
    rows.map((row) => ({
      day: unixSeconds(wholeNumber(row, 'day')),
      rows: wholeNumber(row, 'row_count'),
    })),
  );
};

type Written = { readonly rows: number; readonly bytes: number };

export const createArchive = (options: ArchiveOptions): Archive => {
  const { engine, root, clock, log, oneAnAccount, reader } = options;
  const files = createFileCheck(root);
  const deps = { engine, root, clock, files, reader };
  const oneRun = createGate(1);
  // A file that a reader may have seen as valid is kept until the reader ends.
  let readers = 0;
  const asReader = <T>(work: () => Promise<T>): Promise<T> => {
    readers += 1;
    return work().finally(() => {
      readers -= 1;
    });
  };

  const damagedOf = async (months: readonly ArchivedMonth[]): Promise<readonly DamagedFile[]> => {
    const found: DamagedFile[] = [];
    for (const month of months) {
      const damage = await files.damage(month, true);
      if (damage !== undefined) found.push({ ...month, damage });
    }
    return found;
  };

  const monthsOf = async (account: string): Promise<readonly ArchivedMonth[]> =>
    engine.bulk(async (connection) => readMonths(connection, account));

  const planOf = async (account: string, policy: ArchivePolicy, now: UnixMillis): Promise<ArchivePlan> => {
    const months = await monthsOf(account);
    const inTable = await engine.bulk(async (connection) => readDays(connection, account));
    const damaged = await damagedOf(months);
    const isGood = ({ file }: ArchivedMonth): boolean => !damaged.some((other) => other.file === file);
    const kept = months.filter(({ state }) => state === 'sole');
    const keptNames = new Set(kept.map(({ month }) => month));
    const copied = months.filter((month) => month.state === 'copy' && isGood(month));
    return {
      months: planArchive(
        inTable.filter(({ name }) => !keptNames.has(name)),
        new Set(copied.map(({ month }) => month)),
        now,
        policy,
      ),
      kept,
      damaged: damaged.filter(({ month }) => keptNames.has(month)),
    };
  };

  const notifyFiles = async (leaving?: string): Promise<void> =>
    options.onFiles(await engine.bulk(async (connection) => readSoleFiles(connection, leaving)));

  /** Removes void files. Call it while nothing lands in the account. */
  const deleteOrphans = async (account: string): Promise<void> => {
    if (readers > 0) return;
    const left = await engine.bulk(async (connection) => readVoid(connection, account));
    if (left.length > 0) await notifyFiles();
    for (const file of left) {
      await removeFile(join(root, file.file));
      await engine.bulk(async (connection) =>
        inTransaction(connection, async () => forgetFile(connection, file)),
      );
    }
  };

  const archiveMonth = async (
    { account, onStep = () => undefined, signal }: ArchiveRequest,
    month: PlannedMonth,
  ): Promise<Written & { readonly left: number }> => {
    const current = async (): Promise<ArchivedMonth | undefined> =>
      engine.bulk(async (connection) => (await readMonthsIn(connection, account, month.range))[0]);
    const write = async (): Promise<Written> => writeMonth(deps, account, month, onStep, signal);
    const leave = async (): Promise<number> => {
      const copy = await current();
      if (copy === undefined) return 0;
      onStep('leaving', month.name);
      await options.beforeLeaving(account, signal);
      await notifyFiles(copy.file);
      await takeOut(deps, copy, signal);
      onStep('left', month.name);
      return copy.rows;
    };
    // A landing after the plan was made may have voided the file.
    const isWritten = !month.write && (await current()) !== undefined;
    const written = isWritten ? { rows: 0, bytes: 0 } : await write();
    if (!month.leave) return { ...written, left: 0 };
    try {
      return { ...written, left: await leave() };
    } catch (error) {
      if (!isWritten || !hasCode(error, 'archive-unverified')) throw error;
      // The table is authoritative: the copy is older than some change of it.
      return { ...(await write()), left: await leave() };
    }
  };

  /** Frees the space of rows that left the table. While others write, the engine's own checkpoint does it. */
  const checkpoint = async (): Promise<void> =>
    engine
      .state(async (connection) => {
        await connection.execute('CHECKPOINT');
      })
      .catch((error: unknown) => log.debug('checkpoint deferred to DuckDB', errorFields(error)));

  return {
    table: {
      plan: async (account, policy, now) => asReader(async () => planOf(account, policy, now)),
      months: monthsOf,
      verify: async (account) => asReader(async () => damagedOf(await monthsOf(account))),
      run: async (request) =>
        oneRun(async () => {
          const { account, signal, onMonth } = request;
          await oneAnAccount(account, async () => deleteOrphans(account));
          const planned = await asReader(async () => planOf(account, request, clock.now()));
          const outcome = { written: 0, rows: 0, bytes: 0, left: 0, leftRows: 0, kept: planned.kept.length };
          for (const [index, month] of planned.months.entries()) {
            signal?.throwIfAborted();
            onMonth?.(index, planned.months, outcome.bytes);
            const done = await oneAnAccount(account, async () => archiveMonth(request, month));
            outcome.written += done.bytes > 0 ? 1 : 0;
            outcome.rows += done.rows;
            outcome.bytes += done.bytes;
            outcome.left += done.left > 0 ? 1 : 0;
            outcome.leftRows += done.left;
          }
          await oneAnAccount(account, async () => deleteOrphans(account));
          request.onStep?.('cleaned', account);
          if (outcome.left > 0) await checkpoint();
          if (planned.damaged.length > 0) throw damagedArchive(planned.damaged, root);
          return { ...outcome, kept: outcome.kept + outcome.left };
        }),
    },
    rowsIn: (connection, account) => {
      let months: Promise<readonly ArchivedMonth[]> | undefined;
      return async ({ start, end }) => {
        months ??= readMonths(connection, account);
        const alone = (await months).filter(
          ({ state, range }) => state === 'sole' && range.start < end && range.end > start,
        );
        for (const month of alone) await files.require(month);
        return allCalls(alone.map(({ file }) => join(root, file)));
      };
    },
    asReader,
    notifyFiles: async () => notifyFiles(),
    bringBack: async (connection, batch) => bringBack({ root, files, log }, connection, batch),
  };
};
