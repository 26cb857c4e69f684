import {
  boundRows,
  all,
  column,
  millis,
  readAs,
  rowReader,
  sparse,
  text,
  wholeNumber,
  type Sql,
} from '../../storage/index.ts';
import type { LineageRow } from './key-table.ts';

const columns = {
  account: 'VARCHAR',
  key_id: 'BIGINT',
  service: 'VARCHAR',
  generation: 'BIGINT',
  name: 'VARCHAR',
  created_at: 'BIGINT',
  retired: 'BIGINT',
} as const;

/** Of several rows for one key, the last applies. */
const lastOfEach = (lineage: readonly LineageRow[]): readonly LineageRow[] => [
  ...new Map(lineage.map((row) => [JSON.stringify([row.account, row.keyId]), row])).values(),
];

/** Replaces the rows of the same keys. */
export const putLineage = async (connection: Sql, lineage: readonly LineageRow[]): Promise<void> => {
  const rows = boundRows(connection, columns, lastOfEach(lineage), ({ keyId, born, retired, ...row }) => ({
    created_at: born,
    ...row,
    key_id: keyId,
    retired: retired ?? null,
  }));
  await rows.execute(
    (table) => `DELETE FROM key_lineage USING ${table} AS changed
      WHERE key_lineage.account = changed.account AND key_lineage.key_id = changed.key_id`,
  );
  await rows.insert('key_lineage');
};

const lineageRow = rowReader({
  ...all(text, 'account', 'service', 'name'),
  ...all(wholeNumber, 'keyId', 'generation'),
  born: column('created_at', millis),
  retired: sparse(millis),
});

export const readLineage = async (connection: Sql, account: string): Promise<readonly LineageRow[]> =>
  readAs(
    connection,
    lineageRow,
    'SELECT * FROM key_lineage WHERE account = $account ORDER BY service, generation, key_id',
    { account },
  );
