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
    (table) => `DELETE FROM key_lineage WHERE (account, key_id) IN (SELECT (account, key_id) FROM ${table})`,
  );
  await rows.execute((table) => `INSERT INTO key_lineage BY NAME SELECT * FROM ${table}`);
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
