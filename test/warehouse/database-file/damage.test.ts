import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unixMillis } from '../../../src/core/index.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/index.ts';
import { openEngine } from '../../../src/storage/index.ts';
import { optionsIn, testFolder, type TestFolder } from '../support.ts';

const muted = 200;
const mute = (alert: string, at: number) => ({
  account: 'main',
  alert,
  until: unixMillis(4e12),
  mutedAt: unixMillis(at),
  by: 'someone',
});
const mutesOf = async (warehouse: Warehouse): Promise<number> =>
  (await warehouse.alerts.mutes(unixMillis(1))).length;

/** A database whose last rows are in its write-ahead log only, as a process leaves it that is killed. */
const killedDatabase = async (folder: TestFolder, name: string): Promise<string> => {
  const options = optionsIn(folder, join(folder.path, name, 'test.duckdb'));
  const copy = join(folder.path, `${name}.duckdb`);
  await mkdir(dirname(options.path), { recursive: true });
  await (await openWarehouse(options))[Symbol.asyncDispose]();
  await using engine = await openEngine(options);
  await engine.state(async (connection) => {
    for (let number = 0; number < muted; number += 1)
      await connection.execute(
        `INSERT INTO alert_mute SELECT 'main', 'alert-${number}', 4000000000000, 1, repeat('x', 100), NULL`,
      );
  });
  for (const end of ['', '.wal']) await copyFile(options.path + end, copy + end);
  return copy;
};

let folder: TestFolder;
let database: string;
let another: string;
beforeAll(async () => {
  folder = await testFolder();
  database = await killedDatabase(folder, 'one');
  another = await killedDatabase(folder, 'other');
});
afterAll(() => folder[Symbol.asyncDispose]());

const hashOf = (path: string): Promise<string> =>
  readFile(path).then(
    (bytes) => `${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`,
    () => 'absent',
  );

/** A copy of the database, damaged, and what is in its files. */
const damaged = async (damage: (path: string) => Promise<void>) => {
  const path = join(folder.path, 'damaged', 'test.duckdb');
  await rm(dirname(path), { recursive: true, force: true });
  await mkdir(dirname(path), { recursive: true });
  for (const end of ['', '.wal']) await copyFile(database + end, path + end);
  await damage(path);
  const files = (): Promise<readonly string[]> => Promise.all(['', '.wal'].map((end) => hashOf(path + end)));
  return { options: optionsIn(folder, path), path, files, before: await files() };
};

const flip = async (path: string, at: number): Promise<void> => {
  const bytes = await readFile(path);
  const from = at < 0 ? bytes.length + at : at;
  bytes[from] = (bytes[from] ?? 0) ^ 0x10;
  await writeFile(path, bytes);
};

const sizeOf = async (path: string): Promise<number> => (await stat(path)).size;
const wal = (path: string): string => `${path}.wal`;

/** Where each frame of the write-ahead log begins: its length takes 8 bytes. */
const framesOf = async (path: string): Promise<readonly number[]> => {
  const bytes = await readFile(wal(path));
  const frames: number[] = [];
  for (let at = bytes.indexOf(Buffer.from([0xff, 0xff])) + 2; at < bytes.length;) {
    frames.push(at);
    at += 16 + Number(bytes.readBigUInt64LE(at));
  }
  return frames;
};

const frameAt = async (path: string, part: number): Promise<number> => {
  const frames = await framesOf(path);
  expect(frames.length).toBeGreaterThan(muted);
  return frames[Math.floor((frames.length - 1) * part)] ?? 0;
};

/** The first block of a table. */
const blockOf = async (path: string, table: string): Promise<number> => {
  const copy = `${path}.copy`;
  await copyFile(path, copy);
  await using engine = await openEngine(optionsIn(folder, copy));
  const rows = await engine.state(async (connection) =>
    connection.rows(`SELECT block_id FROM pragma_storage_info('${table}') WHERE block_id >= 0`),
  );
  return Number(rows[0]?.['block_id']);
};

const unreadable: readonly (readonly [string, (path: string) => Promise<void>])[] = [
  ['the checksum of the main header', (path) => flip(path, 0)],
  ['the magic bytes', (path) => flip(path, 9)],
  ['the version', (path) => flip(path, 12)],
  ['the first database header', (path) => flip(path, 4096 + 17)],
  ['the second database header', (path) => flip(path, 8192 + 17)],
  ['the number of blocks', (path) => flip(path, 8192 + 33)],
  ['a file that was cut within its headers', (path) => truncate(path, 10_000)],
  ['a file that was cut in half', async (path) => truncate(path, Math.floor((await sizeOf(path)) / 2))],
  ['a file without its last byte', async (path) => truncate(path, (await sizeOf(path)) - 1)],
  [
    'a block that every start reads',
    async (path) => {
      const block = await blockOf(path, 'schema_migration');
      await flip(path, 12_288 + block * 262_144 + 100);
    },
  ],
  ['a write-ahead log of garbage', (path) => writeFile(wal(path), 'garbage '.repeat(1000))],
  ['the first byte of the write-ahead log', (path) => flip(wal(path), 0)],
  [
    'the content of an entry of the write-ahead log',
    async (path) => flip(wal(path), (await frameAt(path, 0.5)) + 30),
  ],
  ['the last byte of the write-ahead log', (path) => flip(wal(path), -1)],
  ['a low bit of the length of an entry', async (path) => flip(wal(path), await frameAt(path, 0.5))],
  [
    'a bit in the middle of the length of an entry',
    async (path) => flip(wal(path), (await frameAt(path, 0.5)) + 2),
  ],
  ['a high bit of the length of an entry', async (path) => flip(wal(path), (await frameAt(path, 0.5)) + 6)],
  ['the write-ahead log of another database', (path) => copyFile(wal(another), wal(path))],
];

describe('a damaged database', () => {
  it.each(unreadable)('is refused and left as it is: %s', async (_, damage) => {
    const { options, path, files, before } = await damaged(damage);
    await expect(openWarehouse(options)).rejects.toMatchObject({
      code: 'warehouse-unreadable',
      message: expect.stringContaining(path) as string,
      advice: expect.stringContaining('tollkeeper restore FROM --replace') as string,
    });
    expect(await files()).toEqual(before);
  });
});

describe('a database whose process was killed', () => {
  it('opens with all that was committed', async () => {
    const { options } = await damaged(async () => undefined);
    await using warehouse = await openWarehouse(options);
    expect(await mutesOf(warehouse)).toBe(muted);
    await warehouse.alerts.mute(mute('one more', 2));
    expect(await mutesOf(warehouse)).toBe(muted + 1);
  });

  it('opens without a last write that was interrupted', async () => {
    const [start, end] = await Promise.all([frameAt(database, 0.99), sizeOf(wal(database))]);
    for (let cut = start; cut < end; cut += 1 + Math.floor((end - start) / 8)) {
      const { options } = await damaged((path) => truncate(wal(path), cut));
      await using warehouse = await openWarehouse(options);
      expect(await mutesOf(warehouse), `cut at ${cut}`).toBeGreaterThan(muted * 0.9);
    }
  });

  it.each([
    ['is empty', 0],
    ['has no whole entry', 5],
  ])('opens where its write-ahead log %s', async (_, bytes) => {
    const { options } = await damaged((path) => truncate(wal(path), bytes));
    await using warehouse = await openWarehouse(options);
    expect(await mutesOf(warehouse)).toBe(0);
  });

  it('opens where a power failure left a write-ahead log of zeros, into which nothing was flushed', async () => {
    const { options } = await damaged((path) => writeFile(wal(path), Buffer.alloc(300_000)));
    await using warehouse = await openWarehouse(options);
    expect(await mutesOf(warehouse)).toBe(0);
  });
});
