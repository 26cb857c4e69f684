import { stat } from 'node:fs/promises';
import { type Engine, wholeNumber } from '../storage/index.ts';

/** What the database takes of the machine, in bytes. */
export type Footprint = {
  readonly memory: number;
  /** The file and its write-ahead log. */
  readonly files: number;
};

/** There is no write-ahead log after a checkpoint, and no file of a database in memory. */
const sizeOf = async (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

export const readFootprint = async (engine: Engine, path: string): Promise<Footprint> => {
  const [row] = await engine.state(async (connection) =>
    connection.rows('SELECT coalesce(sum(memory_usage_bytes), 0)::BIGINT AS memory FROM duckdb_memory()', {}),
  );
  return {
    memory: row === undefined ? 0 : wholeNumber(row, 'memory'),
    files: (await sizeOf(path)) + (await sizeOf(`${path}.wal`)),
  };
};
