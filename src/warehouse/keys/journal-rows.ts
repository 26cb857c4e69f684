import { fault } from '../../core/index.ts';
import {
  boundRows,
  all,
  column,
  millis,
  readAs,
  rowReader,
  optionalText,
  text,
  wholeNumber,
  type Sql,
} from '../../storage/index.ts';
import type { KeyEventFilter, KeyJournalRow } from './key-table.ts';

const columns = {
  seq: 'BIGINT',
  taken_at: 'BIGINT',
  account: 'VARCHAR',
  service: 'VARCHAR',
  rotation: 'VARCHAR',
  what: 'VARCHAR',
  hash: 'VARCHAR',
  event: 'VARCHAR',
} as const;

/** @throws fault warehouse-failed when a seq already exists. */
export const addEvents = async (connection: Sql, events: readonly KeyJournalRow[]): Promise<void> => {
  const rows = boundRows(connection, columns, events, ({ at, ...event }) => ({ ...event, taken_at: at }));
  const [known] = await rows.read(
    (table) => `SELECT min(seq) AS seq FROM key_event WHERE seq IN (SELECT seq FROM ${table} AS added)`,
  );
  const seq = optionalText(known, 'seq');
  if (seq !== undefined) throw fault('warehouse-failed', `the key journal already contains step ${seq}`);
  await rows.insert('key_event');
};

const journalRow = rowReader({
  seq: wholeNumber,
  at: column('taken_at', millis),
  ...all(text, 'account', 'service', 'rotation', 'what', 'hash', 'event'),
});

export const readEvents = async (
  connection: Sql,
  { account, service, rotation }: KeyEventFilter,
): Promise<readonly KeyJournalRow[]> =>
  readAs(
    connection,
    journalRow,
    `SELECT * FROM key_event
     WHERE account = coalesce($account, account) AND service = coalesce($service, service)
       AND rotation = coalesce($rotation, rotation)
     ORDER BY seq`,
    { account: account ?? null, service: service ?? null, rotation: rotation ?? null },
  );

export const readLast = async (
  connection: Sql,
): Promise<{ readonly seq: number; readonly hash: string } | undefined> => {
  const sql = 'SELECT seq, hash FROM key_event ORDER BY seq DESC LIMIT 1';
  return (await readAs(connection, rowReader({ seq: wholeNumber, hash: text }), sql))[0];
};
