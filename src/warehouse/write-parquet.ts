import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Bindings, type Engine } from '../storage/index.ts';

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

/**
 * The bytes of a Parquet file (zstd) with the rows of a CSV, sorted by all columns. The CSV has a header; an empty cell is NULL, and a text
 * that is empty is in quotes. Its rows are never in memory as a whole. @throws RangeError for an invalid name.
 */
export type ParquetOfCsv = (
  columns: readonly Pick<ParquetColumn, 'name' | 'type'>[],
  csv: AsyncIterable<string>,
  signal?: AbortSignal,
) => Promise<Buffer>;

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

const cast = (expression: string, { name, type }: Pick<ParquetColumn, 'name' | 'type'>): string =>
  `CAST(${expression} AS ${typeOf(type)}) AS ${identifier(name)}`;

/** `folder` must be accessible to SQL; nothing remains there. */
export const createParquetWriter = (
  engine: Engine,
  folder: string,
  prefix: string,
): { readonly writeParquet: WriteParquet; readonly parquetOfCsv: ParquetOfCsv } => {
  const inDraft = async <T>(use: (draft: string) => Promise<T>): Promise<T> => {
    const draft = await mkdtemp(join(folder, prefix));
    try {
      return await use(draft);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  };
  /** The engine is configured not to preserve the order of rows: the query sorts them. */
  const copied = async (draft: string, query: string, bindings: Bindings, signal?: AbortSignal) => {
    const file = join(draft, 'table.parquet');
    await engine.bulk(
      async (connection) =>
        connection.execute(
          `COPY (${query}) TO $file (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`,
          { ...bindings, file },
        ),
      signal,
    );
    return readFile(file);
  };
  return {
    writeParquet: async (columns, signal) => {
      const rows = columns[0]?.values.length ?? 0;
      const cells = columns.map((column, at) => cast(`cell_${at}`, column));
      const lists = columns.map((_, at) => `unnest(from_json($values_${at}, '["VARCHAR"]')) AS cell_${at}`);
      const bindings = Object.fromEntries(columns.map(({ values }, at) => [`values_${at}`, bound(values)]));
      return inDraft(async (draft) =>
        copied(
          draft,
          `SELECT ${cells.join(', ')} FROM (SELECT ${[...lists, 'unnest(range($rows)) AS row_number'].join(', ')}) ORDER BY row_number`,
          { ...bindings, rows },
          signal,
        ),
      );
    },
    parquetOfCsv: async (columns, csv, signal) =>
      inDraft(async (draft) => {
        const path = join(draft, 'table.csv');
        const fit = async function* (): AsyncGenerator<string> {
          for await (const piece of csv) yield piece.replaceAll(unfit, '\uFFFD');
        };
        await pipeline(fit, createWriteStream(path, { mode: 0o600 }), { signal });
        const cells = columns.map((column) => cast(identifier(column.name), column));
        const names = columns.map(({ name }) => `${identifier(name)}: 'VARCHAR'`);
        return copied(
          draft,
          `SELECT ${cells.join(', ')} FROM read_csv($csv, auto_detect = false, header = true, columns = {${names.join(', ')}},
             delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, strict_mode = true)
           ORDER BY ALL`,
          { csv: path },
          signal,
        );
      }),
  };
};
