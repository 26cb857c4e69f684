import type { DuckDBConnection } from '@duckdb/node-api';
import { unixMillis } from '../../core/index.ts';
import { boundRows } from '../bound-rows.ts';
import { execute, optionalText, readRows, text, wholeNumber } from '../rows.ts';
import type { KnownColumn } from './column-changes.ts';

export const readColumns = async (
  connection: DuckDBConnection,
  account: string,
): Promise<readonly KnownColumn[]> => {
  const rows = await readRows(
    connection,
    'SELECT * FROM learned_column WHERE account = $account ORDER BY first_seen, name',
    { account },
  );
  return rows.map((row) => {
    const goneAt = optionalText(row, 'gone_at');
    return {
      name: text(row, 'name'),
      role: optionalText(row, 'role'),
      shownUnasked: row['shown_unasked'] === true,
      firstSeen: unixMillis(wholeNumber(row, 'first_seen')),
      lastSeen: unixMillis(wholeNumber(row, 'last_seen')),
      goneAt: goneAt === undefined ? undefined : unixMillis(Number(goneAt)),
    };
  });
};

/** Rewrites what is known of an account's columns. */
export const writeColumns = async (
  connection: DuckDBConnection,
  account: string,
  columns: readonly KnownColumn[],
): Promise<void> => {
  await execute(connection, 'DELETE FROM learned_column WHERE account = $account', { account });
  await boundRows(
    connection,
    {
      name: 'VARCHAR',
      role: 'VARCHAR',
      unasked: 'BIGINT',
      seen_first: 'BIGINT',
      seen_last: 'BIGINT',
      gone: 'BIGINT',
    },
    columns,
    (column) => ({
      name: column.name,
      role: column.role ?? null,
      unasked: column.shownUnasked ? 1 : 0,
      seen_first: column.firstSeen,
      seen_last: column.lastSeen,
      gone: column.goneAt ?? null,
    }),
  ).execute(
    (table) =>
      `INSERT INTO learned_column SELECT $account, name, role, unasked = 1, seen_first, seen_last, gone FROM ${table}`,
    { account },
  );
};
