import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWarehouse } from '../../src/warehouse/index.ts';
import { openEngine } from '../../src/storage/index.ts';
import { schema } from '../../src/warehouse/schema.ts';
import { openIn, optionsIn, testFolder } from './support.ts';

const holder = `
  const { DuckDBInstance } = require('@duckdb/node-api');
  DuckDBInstance.create(process.argv[1]).then((instance) => {
    globalThis.held = instance;
    process.stdout.write('held');
    setInterval(() => undefined, 1000);
  });`;

describe('opening a warehouse', () => {
  it('writes nothing to a database that is up to date, whose view of classes stays', async () => {
    await using folder = await testFolder();
    await (await openIn(folder))[Symbol.asyncDispose]();
    const { path } = optionsIn(folder);
    const before = await readFile(path);
    {
      await using _warehouse = await openIn(folder);
      expect(existsSync(`${path}.wal`)).toBe(false);
    }
    expect(before.equals(await readFile(path))).toBe(true);
    const classesOf = async (): Promise<unknown> => {
      const engine = await openEngine(optionsIn(folder));
      const rows = await engine.state(async (connection) =>
        connection.rows(
          `SELECT comment FROM duckdb_views() WHERE view_name = 'call_classes' UNION ALL
           SELECT CAST(count(*) AS VARCHAR) FROM call_classes`,
        ),
      );
      await engine[Symbol.asyncDispose]();
      return rows.map((row) => row['comment']);
    };
    const upToDate = await classesOf();
    expect(upToDate).toEqual([expect.stringMatching(`^schema ${schema.number}, [0-9a-f]{64}$`), '0']);
    const engine = await openEngine(optionsIn(folder));
    await engine.state(async (connection) =>
      connection.execute('CREATE OR REPLACE VIEW call_classes AS SELECT 1 AS of_another_program'),
    );
    await engine[Symbol.asyncDispose]();
    await (await openIn(folder))[Symbol.asyncDispose]();
    expect(await classesOf()).toEqual(upToDate);
  });

  it('reports which process holds the file', async () => {
    await using folder = await testFolder();
    const options = optionsIn(folder, join(folder.path, 'held.duckdb'));
    const other = spawn(process.execPath, ['-e', holder, options.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(other.stdout, 'data');
      await expect(openWarehouse(options)).rejects.toMatchObject({
        code: 'warehouse-locked',
        message: expect.stringContaining(`process id ${other.pid}`) as string,
      });
    } finally {
      const ended = once(other, 'exit');
      other.kill('SIGKILL');
      await ended;
    }
    await (await openWarehouse(options))[Symbol.asyncDispose]();
  });

  it('rejects a file that is not a database', async () => {
    await using folder = await testFolder();
    const path = join(folder.path, 'notes.duckdb');
    await writeFile(path, 'these are notes\n'.repeat(1000));
    await expect(openWarehouse(optionsIn(folder, path))).rejects.toMatchObject({
      code: 'warehouse-unreadable',
    });
    await writeFile(path, '');
    await expect(openWarehouse(optionsIn(folder, path))).rejects.toMatchObject({
      code: 'warehouse-unreadable',
    });
  });

  it.runIf(existsSync('/dev/full'))('names a full disk', async () => {
    await using folder = await testFolder();
    await expect(openWarehouse(optionsIn(folder, '/dev/full'))).rejects.toMatchObject({ code: 'disk-full' });
  });

  it('reports a folder that cannot be created', async () => {
    await using folder = await testFolder();
    await writeFile(join(folder.path, 'file'), '');
    const options = optionsIn(folder, join(folder.path, 'file', 'sub', 'x.duckdb'));
    await expect(openWarehouse(options)).rejects.toMatchObject({ code: 'path-unwritable' });
  });

  it('deletes only the exports that a stopped run left in the spool', async () => {
    await using folder = await testFolder();
    await mkdir(join(folder.spool, 'export-abc'), { recursive: true });
    await writeFile(join(folder.spool, 'export-abc', 'rows.csv'), 'half');
    await writeFile(join(folder.spool, 'notes'), '');
    await using _warehouse = await openIn(folder);
    expect(await readdir(folder.spool)).toEqual(['notes']);
  });
});

describe('the engine', () => {
  it('reads no file outside the spool, loads no extension and accepts no other settings', async () => {
    await using folder = await testFolder();
    await using engine = await openEngine(optionsIn(folder));
    await writeFile(join(folder.path, 'outside.csv'), '1\n');
    await writeFile(join(folder.spool, 'inside.csv'), '1\n');
    const run = async (sql: string) => engine.bulk(async (connection) => connection.rows(sql));
    expect(
      await run(`SELECT column0::VARCHAR AS a FROM read_csv('${folder.spool}/inside.csv', header = false)`),
    ).toEqual([{ a: '1' }]);
    for (const sql of [
      `SELECT * FROM read_csv('${folder.path}/outside.csv')`,
      `COPY (SELECT 1) TO '${folder.path}/out.csv'`,
      `ATTACH '${folder.path}/other.duckdb'`,
      `INSTALL httpfs`,
      `SET enable_external_access = true`,
      `SET allowed_directories = ['/']`,
    ])
      await expect(run(sql)).rejects.toMatchObject({ code: 'warehouse-failed' });
  });

  it('spills and checkpoints under its memory limit with these restrictions', async () => {
    await using folder = await testFolder();
    await using engine = await openEngine({ ...optionsIn(folder), memoryLimit: '64MB' });
    await engine.bulk(async (connection) => {
      await connection.execute(
        'CREATE TABLE wide AS SELECT md5(range::VARCHAR) AS a, range AS b FROM range(1200000)',
      );
      const [row] = await connection.rows(
        'SELECT count(*) AS rows FROM (SELECT a, b, row_number() OVER (ORDER BY a) AS c FROM wide) WHERE c > 0',
      );
      expect(row).toEqual({ rows: '1200000' });
      await connection.execute('CHECKPOINT');
    });
  });

  it('interrupts bulk work when its signal is aborted, and rolls it back', async () => {
    await using folder = await testFolder();
    await using engine = await openEngine(optionsIn(folder));
    const stop = new AbortController();
    const work = engine.bulk(async (connection) => {
      const query = connection.execute('SELECT count(*) FROM range(1000000000) a, range(1000) b');
      stop.abort(new Error('stopped'));
      return query;
    }, stop.signal);
    await expect(work).rejects.toThrow('stopped');
  });
});
