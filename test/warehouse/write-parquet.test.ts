import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/core/index.ts';
import { openWarehouse } from '../support/postgres-warehouse.ts';
import { manualClock } from '../support/manual-clock.ts';

const openBoth = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-parquet-'));
  const warehouse = await openWarehouse({
    path: ':memory:',
    memoryLimit: '512MB',
    threads: 1,
    spoolDirectory: folder,
    clock: manualClock(0),
    log: silentLog,
  });
  return {
    warehouse,
    folder,
    read: async (bytes: Uint8Array) => {
      const file = join(folder, 'read.parquet');
      await writeFile(file, bytes);
      const instance = await DuckDBInstance.create(':memory:');
      const connection = await instance.connect();
      try {
        const reader = await connection.runAndReadAll('SELECT * FROM read_parquet($file)', { file });
        return {
          types: reader.columnTypes().map(String),
          names: reader.columnNames(),
          rows: reader.getRowsJson(),
        };
      } finally {
        connection.closeSync();
        instance.closeSync();
        await rm(file);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await warehouse[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

describe('a Parquet file', () => {
  it('contains typed, exact values in their order, and leaves nothing in the spool', async () => {
    await using both = await openBoth();
    const bytes = await both.warehouse.writeParquet([
      { name: 'day', type: 'date', values: ['2026-11-01', null, '2024-02-29'] },
      { name: 'select', type: 'text', values: ["'); DROP TABLE call_log; --", null, 'x\uD800\u0000y'] },
      { name: 'seen', type: 'moment', values: ['2026-11-21T06:03:07Z', null, '1969-12-31T23:59:59Z'] },
      { name: 'calls', type: 'integer', values: ['9223372036854775807', '-1', null] },
      {
        name: 'spend',
        type: { scale: 12 },
        values: ['12345678901234567890123456.123456789012', '-0.5', null],
      },
    ]);
    expect(await both.read(bytes)).toEqual({
      names: ['day', 'select', 'seen', 'calls', 'spend'],
      types: ['DATE', 'VARCHAR', 'TIMESTAMP', 'BIGINT', 'DECIMAL(38,12)'],
      rows: [
        [
          '2026-11-01',
          "'); DROP TABLE call_log; --",
          '2026-11-21 06:03:07',
          '9223372036854775807',
          '12345678901234567890123456.123456789012',
        ],
        [null, null, null, '-1', '-0.500000000000'],
        ['2024-02-29', 'x\uFFFD\uFFFDy', '1969-12-31 23:59:59', null, null],
      ],
    });
    expect(await readdir(both.folder)).toEqual([]);
  });

  it('keeps the order of very many rows, and is written also without rows', async () => {
    await using both = await openBoth();
    const values = Array.from({ length: 150_000 }, (_, at) => String((at * 7919) % 150_000));
    const many = await both.warehouse.writeParquet([{ name: 'n', type: 'integer', values }]);
    expect((await both.read(many)).rows.map(([value]) => value)).toEqual(values);
    const none = await both.warehouse.writeParquet([{ name: 'n', type: { scale: 12 }, values: [] }]);
    expect(await both.read(none)).toEqual({ names: ['n'], types: ['DECIMAL(38,12)'], rows: [] });
  });

  it('rejects an ambiguous name', async () => {
    await using both = await openBoth();
    for (const name of ['a"b', '', 'a b', '1a', 'é'])
      await expect(both.warehouse.writeParquet([{ name, type: 'text', values: [] }])).rejects.toThrow(
        RangeError,
      );
    expect(await readdir(both.folder)).toEqual([]);
  });
});
