import {
  boundRows,
  all,
  flag,
  millis,
  optional,
  readAs,
  rowReader,
  text,
  type Sql,
} from '../../storage/index.ts';
import type { KnownColumn } from './column-changes.ts';

const knownColumn = rowReader({
  name: text,
  role: optional(text),
  shownUnasked: flag,
  ...all(millis, 'firstSeen', 'lastSeen'),
  goneAt: optional(millis),
});

export const readColumns = async (connection: Sql, account: string): Promise<readonly KnownColumn[]> =>
  readAs(
    connection,
    knownColumn,
    'SELECT * FROM learned_column WHERE account = $account ORDER BY first_seen, name',
    { account },
  );

/** Rewrites what is known about an account's columns. */
export const writeColumns = async (
  connection: Sql,
  account: string,
  columns: readonly KnownColumn[],
): Promise<void> => {
  await connection.execute('DELETE FROM learned_column WHERE account = $account', { account });
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
      `INSERT INTO learned_column (account, name, role, shown_unasked, first_seen, last_seen, gone_at)
       SELECT $account, name, role, unasked = 1, seen_first, seen_last, gone FROM ${table} AS added`,
    { account },
  );
};
