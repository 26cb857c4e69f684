import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/storage/index.ts';
import { openPostgres, type PostgresEngine } from '../../src/storage/postgres/engine.ts';
import { noPostgres } from '../support/postgres-cluster.ts';
import { connect, startKeeperCluster, type KeeperCluster } from './support/keeper-cluster.ts';
import { startMessageProxy, type MessageProxy } from './support/message-proxy.ts';

const numbers = 'SELECT nth FROM generate_series(1, 3000) AS nth';

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'rows that are copied', () => {
  let cluster: KeeperCluster;
  let proxy: MessageProxy;
  let engine: PostgresEngine;
  let folder: string;

  beforeAll(async () => {
    cluster = await startKeeperCluster();
    proxy = await startMessageProxy(cluster.port);
    folder = await mkdtemp(join(tmpdir(), 'tollkeeper-copy-'));
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    const { pool, where } = await connect(cluster.urlOf(await cluster.database(), { port: proxy.port }));
    engine = openPostgres(pool, where);
    await engine.bulk((sql) => sql.execute('CREATE TABLE kept (id BIGINT CHECK (id < 4000))'));
  });
  afterEach(async () => {
    proxy.trouble(() => 'pass');
    await engine[Symbol.asyncDispose]();
  });

  const copyOut = (sql = numbers, file = join(folder, 'out.csv')) =>
    engine.bulk((connection) => inTransaction(connection, () => connection.copyOut(sql, {}, file)));
  const copyIn = async (text: string) => {
    const file = join(folder, 'in.csv');
    await writeFile(file, text);
    return engine.bulk((connection) => connection.copyIn('kept', ['id'], file));
  };
  const count = async () =>
    Number((await engine.bulk((sql) => sql.rows('SELECT count(*) AS n FROM kept')))[0]?.['n']);

  it('are counted when the server has completed the statement, wherever the stream is split', async () => {
    for (const letter of ['d', 'c', 'C', 'Z']) {
      proxy.trouble(({ type }) => (type === letter ? 'split' : 'pass'));
      const copied = await copyOut();
      expect({ letter, ...copied }).toEqual({
        letter,
        rows: 3000,
        bytes: (await stat(join(folder, 'out.csv'))).size,
      });
      expect((await readFile(join(folder, 'out.csv'), 'utf8')).split('\n')).toHaveLength(3001);
      expect(await copyIn('1\n2\n3\n')).toEqual({ rows: 3, bytes: 6 });
    }
    expect(await count()).toBe(12);
  });

  it('fail with the error that the server sends after the last row', async () => {
    // The rows and the end of the data are one segment, the error is the next one.
    proxy.trouble(({ type }) => (type === 'E' ? 'split' : 'pass'));
    await expect(
      copyOut('SELECT 1 / (3000 - nth) FROM generate_series(1, 3000) AS nth'),
    ).rejects.toMatchObject({
      code: 'warehouse-failed',
      message: expect.stringContaining('division by zero'),
    });
    await expect(copyIn('1\n5000\n')).rejects.toMatchObject({ code: 'warehouse-failed' });
    expect(await count()).toBe(0);
  });

  it('fail when the connection ends between the last row and the end of the statement', async () => {
    for (const letter of ['c', 'C', 'Z']) {
      proxy.trouble(({ type }) => (type === letter ? 'cut' : 'pass'));
      await expect(
        engine.bulk((connection) => connection.copyOut(numbers, {}, join(folder, 'out.csv'))),
      ).rejects.toMatchObject({ code: 'database-unreachable' });
    }
    proxy.trouble(() => 'pass');
    expect(await copyOut()).toMatchObject({ rows: 3000 });
  });

  it('fail at once, with the connection, when their file cannot be written or read', async () => {
    const many = 'SELECT repeat(chr(120), 10000) FROM generate_series(1, 10000)';
    await expect(copyOut(many, join(folder, 'none', 'out.csv'))).rejects.toMatchObject({
      code: 'path-unwritable',
    });
    await expect(copyOut(many, '/dev/full')).rejects.toMatchObject({ code: 'disk-full' });
    await expect(
      engine.bulk((connection) => connection.copyIn('kept', ['id'], join(folder, 'none.csv'))),
    ).rejects.toMatchObject({ code: 'path-unwritable' });
    expect(await copyOut()).toMatchObject({ rows: 3000 });
  });

  it('leave no transaction open on a connection whose statement failed', async () => {
    proxy.trouble(({ type }) => (type === 'Z' ? 'split' : 'pass'));
    const failed = engine.bulk((sql) => sql.execute('BEGIN; SELECT 1 / 0'));
    await expect(failed).rejects.toMatchObject({ code: 'warehouse-failed' });
    for (let nth = 0; nth < 4; nth += 1)
      expect(await engine.bulk((sql) => sql.rows('SELECT 1 AS one'))).toEqual([{ one: '1' }]);
  });
});
