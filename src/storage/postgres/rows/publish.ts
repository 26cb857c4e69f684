import {
  fault,
  monthAt,
  unixSeconds,
  type Interval,
  type Month,
  type UnixSeconds,
} from '../../../core/index.ts';
import { flag } from '../../row-reader.ts';
import { cellsBySpan, type RollupSpan } from '../../row-store.ts';
import { inTransaction, optionalText, text, wholeNumber, type Sql } from '../../sql.ts';
import type { PostgresConnection } from '../connection.ts';
import type { PostgresEngine } from '../engine.ts';
import { serverNow } from '../server-now.ts';
import { copyToPostgres, type OutgoingRows } from './copied-rows.ts';
import { createPartition } from './partitions.ts';
import type { CopiedSchema, WorkingCopy } from './working-copy.ts';

type Range = Interval<UnixSeconds>;

const isSpan = (table: string): table is RollupSpan => Object.hasOwn(cellsBySpan, table);

/** The changes of one unit of work. The changed rows are in files. */
export type Changes = {
  /** The number of changes of the account when the work began. `send` fails if the stored number differs. */
  readonly version: number;
  readonly files: readonly OutgoingRows[];
  /** Tables whose rows of the account are all replaced by those of their files. */
  readonly replaced: readonly string[];
  /** Ranges whose calls are replaced, and the months of the new calls. */
  readonly ranges: readonly Range[];
  readonly months: readonly Month[];
  /** Days and months of the rollup whose cells are no longer valid, by their table. */
  readonly spans: ReadonlyMap<RollupSpan, readonly { readonly zone: string; readonly start_at: number }[]>;
};

export const readVersion = async (stored: Sql, account: string): Promise<number> => {
  const [row] = await stored.rows('SELECT version FROM account_version WHERE account = $account', {
    account,
  });
  return row === undefined ? 0 : wholeNumber(row, 'version');
};

/** The ranges of calls that a unit of work may change, and the number of calls in them before the work. */
type Held = { readonly ranges: readonly Range[]; readonly calls: number };

const writeCalls = async (
  { connection, write }: WorkingCopy,
  account: string,
  held: Held,
): Promise<Pick<Changes, 'ranges' | 'months' | 'files'>> => {
  const within = held.ranges
    .map(({ start, end }) => `created_at >= ${start} AND created_at < ${end}`)
    .join(' OR ');
  const [outside] = await connection.rows(
    `SELECT created_at FROM call_log WHERE account <> $account OR NOT (${within || 'false'}) LIMIT 1`,
    { account },
  );
  if (outside !== undefined)
    throw fault(
      'warehouse-failed',
      `a call at ${text(outside, 'created_at')} is outside what the work holds`,
    );
  const [row] = await connection.rows(
    'SELECT min(created_at) AS first, max(created_at) AS last FROM call_log',
  );
  const months: Month[] = [];
  const [first, last] = [optionalText(row, 'first'), optionalText(row, 'last')];
  if (first === undefined && held.calls === 0) return { ranges: [], months, files: [] };
  if (first !== undefined && last !== undefined)
    for (let month = monthAt(unixSeconds(Number(first))); ; month = monthAt(month.range.end)) {
      months.push(month);
      if (month.range.end > Number(last)) break;
    }
  return { ranges: held.ranges, months, files: [await write('call_log', 'FROM call_log')] };
};

/** Writes changed rows to files. Held calls always count as changed. Returns undefined if nothing has changed. */
export const writeChanges = async (
  copy: WorkingCopy,
  account: string,
  held: Held,
  version: number,
): Promise<Changes | undefined> => {
  const { connection, written, write } = copy;
  const files: OutgoingRows[] = [];
  const replaced: string[] = [];
  const spans = new Map<RollupSpan, { zone: string; start_at: number }[]>();
  let calls: Pick<Changes, 'ranges' | 'months'> = { ranges: [], months: [] };
  for (const [table, before] of written) {
    if (table === 'call_log') {
      const { files: added, ...rest } = await writeCalls(copy, account, held);
      calls = rest;
      files.push(...added);
    } else if (before === undefined) {
      const [row] = await connection.rows(`SELECT EXISTS (FROM ${table}) AS is_added`);
      if (flag(row ?? {}, 'is_added')) files.push(await write(table, `FROM ${table}`));
    } else {
      const [gone, added] = [
        `FROM ${before} EXCEPT ALL FROM ${table}`,
        `FROM ${table} EXCEPT ALL FROM ${before}`,
      ];
      const [row] = await connection.rows(
        `SELECT EXISTS (${gone}) AS is_gone, EXISTS (${added}) AS is_added`,
      );
      if (flag(row ?? {}, 'is_gone')) {
        replaced.push(table);
        files.push(await write(table, `FROM ${table}`));
        if (isSpan(table))
          spans.set(
            table,
            (await connection.rows(gone)).map((row) => ({
              zone: text(row, 'zone'),
              start_at: wholeNumber(row, 'start_at'),
            })),
          );
      } else if (flag(row ?? {}, 'is_added')) files.push(await write(table, added));
    }
  }
  return files.length === 0 ? undefined : { version, files, replaced, spans, ...calls };
};

const replace = async (
  stored: PostgresConnection,
  account: string,
  changes: Changes,
  tables: CopiedSchema['tables'],
): Promise<void> => {
  for (const { start, end } of changes.ranges)
    await stored.execute(
      'DELETE FROM call_log WHERE account = $account AND created_at >= $start AND created_at < $end',
      { account, start, end },
    );
  for (const [span, gone] of changes.spans) {
    const rows = stored.table({ zone: 'VARCHAR', start_at: 'BIGINT' }, gone);
    for (const table of cellsBySpan[span])
      await stored.execute(
        `DELETE FROM ${table} AS cell USING ${rows.sql} AS gone
         WHERE cell.account = $account AND cell.zone = gone.zone AND cell.start_at = gone.start_at`,
        { account, ...rows.bindings },
      );
  }
  for (const table of changes.replaced)
    await stored.execute(`DELETE FROM ${table} WHERE ${tables.get(table)?.account} = $account`, {
      account,
    });
  for (const file of changes.files) await copyToPostgres(stored, file);
};

/**
 * Creates missing partitions, then writes the changes in one transaction. It fails unless this replica holds the lease.
 * @throws fault lease-lost when the lease has ended, or another holder has changed the account since the work began
 */
export const send = async (
  database: PostgresEngine,
  account: string,
  token: number,
  changes: Changes,
  tables: CopiedSchema['tables'],
): Promise<void> => {
  await database.bulk(async (stored) => {
    for (const month of changes.months) await createPartition(stored, month);
    await inTransaction(stored, async () => {
      // The lease can be extended meanwhile, but not be taken over.
      const held = await stored.rows(
        `SELECT token FROM account_lease WHERE account = $account AND token = $token AND until > ${serverNow} FOR KEY SHARE`,
        { account, token },
      );
      const counted = await stored.execute(
        `INSERT INTO account_version AS known (account, version) VALUES ($account, 1)
         ON CONFLICT (account) DO UPDATE SET version = known.version + 1 WHERE known.version = $version`,
        { account, version: changes.version },
      );
      if (held.length === 0 || counted === 0)
        throw fault(
          'lease-lost',
          `this replica has lost the lease on account ${account}; nothing of this step was stored`,
        );
      await replace(stored, account, changes, tables);
    });
  });
};
