import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Engine } from '../storage/index.ts';

/**
 * Values as exact text; a date is written `YYYY-MM-DD`, a moment `YYYY-MM-DDTHH:MM:SSZ`. `scale` is the number of
 * decimals; a decimal has 38 digits in total.
 */
export type ParquetColumn = {
  /** Letters, digits and `_`. */
  readonly name: string;
  readonly type: 'text' | 'date' | 'moment' | 'integer' | { readonly scale: number };
  readonly values: readonly (string | null)[];
};

/** The bytes of a Parquet file (zstd) with these columns, rows in order. @throws RangeError for an invalid name. */
export type WriteParquet = (columns: readonly ParquetColumn[], signal?: AbortSignal) => Promise<Buffer>;

const identifier = (name: string): string => {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new RangeError(`not a column name: ${name}`);
  return `"${name}"`;
};

const typeOf = (type: ParquetColumn['type']): string => {
  if (type === 'text') return 'VARCHAR';
  if (type === 'date') return 'DATE';
  if (type === 'moment') return 'TIMESTAMP';
  return type === 'integer' ? 'BIGINT' : `DECIMAL(38, ${Math.trunc(type.scale)})`;
};

/** The engine accepts neither half surrogate pairs nor NUL in JSON. */
// oxlint-disable-next-line no-control-regex
const unfit = /[\u0000\p{Surrogate}]/gu;

const bound = (values: readonly (string | null)[]): string =>
  JSON.stringify(values.map((value) => value?.replaceAll(unfit, '\uFFFD') ?? null));

/** `folder` must be accessible to SQL; nothing remains there. */
export const createParquetWriter =
  (engine: Engine, folder: string, prefix: string): WriteParquet =>
  async (columns, signal) => {
    const rows = columns[0]?.values.length ?? 0;
    const cells = columns.map(
      ({ name, type }, at) => `CAST(cell_${at} AS ${typeOf(type)}) AS ${identifier(name)}`,
    );
    const lists = columns.map((_, at) => `unnest(from_json($values_${at}, '["VARCHAR"]')) AS cell_${at}`);
    const bindings = Object.fromEntries(columns.map(({ values }, at) => [`values_${at}`, bound(values)]));
    const draft = await mkdtemp(join(folder, prefix));
    try {
      const file = join(draft, 'table.parquet');
      await engine.bulk(
        async (connection) =>
          connection.execute(
            // The engine is configured not to preserve the order of rows.
            `COPY (SELECT ${cells.join(', ')} FROM (SELECT ${[...lists, 'unnest(range($rows)) AS row_number'].join(', ')}) ORDER BY row_number)
             TO $file (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`,
            { ...bindings, rows, file },
          ),
        signal,
      );
      return await readFile(file);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  };
