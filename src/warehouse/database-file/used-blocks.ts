import { loadDuckDB, engineFault, literal, type Sql, connectionOf } from '../../storage/index.ts';

/** One more than the highest number of the blocks; 0 where there are none. */
const endOf = async (connection: Sql, blocks: string): Promise<bigint> => {
  const [row] = await connection.rows(
    `SELECT coalesce(max(block) + 1, 0)::VARCHAR AS blocks FROM (${blocks})`,
  );
  return BigInt(String(row?.['blocks'] ?? 0));
};

/**
 * How many blocks the data and their catalog take at most: up to the last one in use. Opens the database without writing
 * to it, or to its write-ahead log; undefined where that fails: opening it in earnest then reports why.
 * @throws Fault warehouse-unreadable
 */
export const usedBlocks = async (path: string): Promise<bigint | undefined> => {
  const { DuckDBInstance } = loadDuckDB();
  const instance = await DuckDBInstance.create(path, {
    access_mode: 'READ_ONLY',
    threads: '1',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  }).catch(() => undefined);
  if (instance === undefined) return undefined;
  const connection = connectionOf(await instance.connect());
  try {
    const tables = await connection.rows('SELECT table_name AS name FROM duckdb_tables()');
    // The number of blocks in use counts those of indexes too, whose places are not known.
    let used = await endOf(
      connection,
      `SELECT block_id AS block FROM pragma_metadata_info() WHERE free_blocks < total_blocks
       UNION ALL SELECT used_blocks - 1 FROM pragma_database_size()`,
    );
    for (const { name } of tables) {
      const info = `pragma_storage_info(${literal(String(name))})`;
      const inTable = await endOf(
        connection,
        `SELECT block_id AS block FROM ${info} UNION ALL SELECT unnest(additional_block_ids) FROM ${info}`,
      );
      if (inTable > used) used = inTable;
    }
    return used;
  } catch (error) {
    throw engineFault(error, path);
  } finally {
    connection.close();
    instance.closeSync();
  }
};
