import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openEngine, type Engine, inTransaction } from '../../src/storage/index.ts';
import { optionsIn, testFolder } from '../warehouse/support.ts';

const countIn = async (engine: Engine, table: string): Promise<number> =>
  engine.state(async (connection) => {
    const [row] = await connection.rows(`SELECT count(*)::VARCHAR AS rows FROM ${table}`);
    return Number(row?.['rows']);
  });

/** A row of each table in one transaction, over and over, until it is stopped. */
const writer = (engine: Engine, kind: 'state' | 'bulk') => {
  const stopping = new AbortController();
  let written = 0;
  const loop = async (): Promise<number> => {
    while (!stopping.signal.aborted) {
      await engine[kind](async (connection) =>
        inTransaction(connection, async () => {
          for (const table of ['one', 'other']) await connection.execute(`INSERT INTO ${table} SELECT 1`);
          // The state within bulk work, as landings use it.
          if (kind === 'bulk') await engine.state(async (state) => state.execute('SELECT 1'));
        }),
      );
      written += 1;
    }
    return written;
  };
  const ended = loop();
  return {
    written: () => written,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
};

it('a copy of the file made with exclusive access holds whole transactions, under load', async () => {
  await using folder = await testFolder();
  const options = optionsIn(folder);
  await using engine = await openEngine(options);
  await engine.state(async (connection) => {
    for (const table of ['one', 'other']) await connection.execute(`CREATE TABLE ${table} (value INTEGER)`);
  });
  const writers = [
    writer(engine, 'state'),
    writer(engine, 'bulk'),
    writer(engine, 'bulk'),
    writer(engine, 'bulk'),
  ];
  const copies = await Promise.all(
    ['first', 'second', 'third'].map(async (name) => {
      const path = join(folder.path, `${name}.duckdb`);
      const committed = await engine.exclusive(async (database) => {
        const before = writers.reduce((sum, { written }) => sum + written(), 0);
        const { size } = await database.stat();
        const content = Buffer.alloc(size);
        await database.read(content, 0, size, 0);
        await writeFile(path, content);
        return before;
      });
      return { path, committed };
    }),
  );
  const counts = await Promise.all(writers.map(({ stop }) => stop()));
  const all = counts.reduce((sum, count) => sum + count, 0);
  for (const { path, committed } of copies) {
    await using copy = await openEngine({ ...options, path });
    const rows = await countIn(copy, 'one');
    expect(await countIn(copy, 'other')).toBe(rows);
    // A writer counts a transaction after it was committed.
    expect(rows).toBeGreaterThanOrEqual(committed);
    expect(rows).toBeLessThanOrEqual(all);
  }
  expect(await countIn(engine, 'one')).toBe(all);
});

it('an engine runs further statements after work with exclusive access has failed', async () => {
  await using folder = await testFolder();
  await using engine = await openEngine(optionsIn(folder));
  await expect(engine.exclusive(() => Promise.reject(new Error('the target is full')))).rejects.toThrow(
    'the target is full',
  );
  expect(await engine.bulk(async (connection) => (await connection.rows('SELECT 1 AS one')).length)).toBe(1);
});
