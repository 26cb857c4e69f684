import { randomUUID } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import {
  createNamedGates,
  mergeRanges,
  restOf,
  wholeQuarters,
  type Interval,
  type UnixSeconds,
} from '../../../core/index.ts';
import type { Engine } from '../../duckdb/engine.ts';
import type { AccountRows, CellTable, RowStore, Writes } from '../../row-store.ts';
import { inTransaction, within } from '../../sql.ts';
import type { PostgresConnection } from '../connection.ts';
import type { PostgresEngine } from '../engine.ts';
import { accountTablesOf, type DatabaseSchema } from '../schema.ts';
import { readVersion, send, writeChanges } from './publish.ts';
import { openWorkingCopy, type CopiedSchema, type WorkingCopy } from './working-copy.ts';

type Range = Interval<UnixSeconds>;

export type PostgresRowsOptions = {
  /** The DuckDB engine that runs the statements of a unit of work. It keeps no data afterwards. */
  readonly engine: Engine;
  readonly database: PostgresEngine;
  readonly schema: DatabaseSchema;
  /** The start of the path of each file in which rows are copied. */
  readonly filePrefix: string;
  /** The rollup over the rows and cells of a work. */
  readonly rollupOf: (rows: Omit<AccountRows, 'rollup'>, account: string) => AccountRows['rollup'];
  /** The token of the lease on the account; a change without it is refused. @throws fault lease-lost */
  readonly tokenOf: (account: string) => Promise<number>;
};

const callsIn = (ranges: readonly Range[]): string =>
  `account = $account AND ${within('created_at', ranges)}`;

/** The rest of a condition, with its bindings, for rows of these key names; of all rows if undefined. */
const ofKeys = (keys: readonly string[] | undefined) =>
  keys === undefined
    ? { where: '', bindings: {} }
    : { where: ' AND token_name = ANY($keys)', bindings: { keys } };

/** Runs `work` in a read-only transaction whose statements all see the same state of the database. */
export const inSnapshot = async <T>(stored: PostgresConnection, work: () => Promise<T>): Promise<T> => {
  await stored.execute('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    return await work();
  } finally {
    await stored.execute('ROLLBACK').catch(() => undefined);
  }
};

type Fetched = {
  readonly of: CellTable;
  readonly zone: string;
  readonly days: readonly Range[];
  /** The fetched columns; all if undefined. */
  readonly columns: readonly string[] | undefined;
  /** The key names whose cells were fetched; all if undefined. */
  readonly keys: readonly string[] | undefined;
  readonly table: Promise<string>;
};

const holds = (
  fetched: Fetched,
  days: readonly Range[],
  columns: readonly string[] | undefined,
  keys: readonly string[] | undefined,
): boolean =>
  (fetched.keys === undefined || keys?.every((key) => fetched.keys?.includes(key)) === true) &&
  (fetched.columns === undefined || columns?.every((name) => fetched.columns?.includes(name)) === true) &&
  days.every((day) => restOf(day, fetched.days).length === 0);

const rowsOf = (
  copy: WorkingCopy,
  stored: PostgresConnection,
  account: string,
  rollupOf: PostgresRowsOptions['rollupOf'],
): AccountRows => {
  const known = new Map<string, Promise<string>>();
  const once = (name: string, fetch: () => Promise<string>): Promise<string> => {
    const table = known.get(name) ?? fetch();
    known.set(name, table);
    return table;
  };
  const rows: AccountRows['rows'] = async (range, { within: ranges = [range], columns, keys } = {}) => ({
    sql: await once(JSON.stringify([ranges, columns, keys]), async () => {
      const table = await copy.emptyLike('call_log');
      const only = ofKeys(keys);
      if (ranges.length > 0)
        await copy.fetch(
          table,
          'call_log',
          `${callsIn(ranges)}${only.where}`,
          { account, ...only.bindings },
          columns,
        );
      return table;
    }),
    bindings: {},
  });
  /** The cells fetched so far. An entry also serves requests for fewer columns or days of its table and zone. */
  const fetchedCells: Fetched[] = [];
  const cells: AccountRows['cells'] = async (of, zone, days, columns, keys) => {
    const only = ofKeys(keys);
    const known = fetchedCells.find(
      (one) => one.of === of && one.zone === zone && holds(one, days, columns, keys),
    );
    if (known !== undefined) return known.table;
    const table = copy.emptyLike(of).then(async (name) => {
      if (days.length > 0)
        await copy.fetch(
          name,
          of,
          `account = $account AND zone = $zone AND ${within('start_at', days)}${only.where}`,
          { account, zone, ...only.bindings },
          columns,
        );
      return name;
    });
    fetchedCells.push({ of, zone, days, columns, keys, table });
    return table;
  };
  const version: AccountRows['version'] = () => readVersion(stored, account);
  const own = { connection: copy.connection, stored, rows, cells, version };
  return { ...own, rollup: rollupOf(own, account) };
};

/** Stores calls in PostgreSQL. Each work runs in DuckDB on the rows that it uses; its changes are sent in one transaction. */
export const createPostgresRows = ({
  engine,
  database,
  schema,
  filePrefix,
  tokenOf,
  rollupOf,
}: PostgresRowsOptions): RowStore<string> => {
  const copied: CopiedSchema = { tables: accountTablesOf(schema), columns: new Map() };
  const oneAnAccount = createNamedGates();
  /** Deletes the files of `work` when it ends. The next daemon deletes the files of a killed process. */
  const withFiles = async <T>(work: (newFile: () => string) => Promise<T>): Promise<T> => {
    const files: string[] = [];
    const newFile = (): string => {
      const file = `${filePrefix}${randomUUID()}.csv`;
      files.push(file);
      return file;
    };
    try {
      return await work(newFile);
    } finally {
      for (const file of files) await unlink(file).catch(() => undefined);
    }
  };
  const inCopy = <T>(
    touched: Writes<string>,
    newFile: () => string,
    work: (copy: WorkingCopy, stored: PostgresConnection) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> =>
    engine.bulk(
      (local) =>
        database.bulk((stored) =>
          inSnapshot(stored, () =>
            inTransaction(
              local,
              async () => work(await openWorkingCopy(local, stored, touched, copied, newFile), stored),
              // Always rolls back, because the temporary tables are not needed later.
              () => false,
            ),
          ),
        ),
      signal,
    );
  return {
    read: (touched, work, signal) =>
      withFiles((newFile) =>
        inCopy(
          { ...touched, writes: [] },
          newFile,
          (copy, stored) => work(rowsOf(copy, stored, touched.account, rollupOf)),
          signal,
        ),
      ),
    publish: (touched, work, { signal, isKept = () => true } = {}) =>
      oneAnAccount(touched.account, () =>
        withFiles(async (newFile) => {
          const { account } = touched;
          const token = await tokenOf(account);
          const { result, changes } = await inCopy(
            touched,
            newFile,
            async (copy, stored) => {
              const version = await readVersion(stored, account);
              let held: readonly Range[] = [];
              let heldCalls = 0;
              const hold = async (asked: Range): Promise<void> => {
                // Restatements compare the sums of whole quarter hours, so the work holds whole quarter hours.
                const range = wholeQuarters(asked);
                const rest = restOf(range, held);
                if (rest.length > 0)
                  heldCalls += await copy.fetch('call_log', 'call_log', callsIn(rest), { account });
                held = mergeRanges([...held, range]);
              };
              const result = await work({ ...rowsOf(copy, stored, account, rollupOf), hold });
              const changes = isKept(result)
                ? await writeChanges(copy, account, { ranges: held, calls: heldCalls }, version)
                : undefined;
              return { result, changes };
            },
            signal,
          );
          if (changes !== undefined) await send(database, account, token, changes, copied.tables);
          return result;
        }),
      ),
  };
};
