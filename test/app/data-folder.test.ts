import { chmod, mkdir, readdir, stat, writeFile, rm, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDataFolder, pathsOf } from '../../src/app/data-folder/paths.ts';
import { openFolder, type Folder } from '../support/program.ts';

const bitsOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o7777).toString(8);

/** A folder as an older version has left it, and the permissions after it was opened. */
const opened = async (cwd: string, warehouse: Parameters<typeof pathsOf>[1]) => {
  const paths = pathsOf({ cwd }, warehouse);
  const data = dirname(paths.path);
  for (const name of ['spool', 'outbox', 'reports', 'audit', 'temp'])
    await mkdir(join(data, name), { recursive: true });
  const { path } = paths;
  for (const file of [path, `${path}.wal`, paths.daemonLock, paths.auditFile]) await writeFile(file, '');
  const names = ['.', ...(await readdir(data, { recursive: true }))].toSorted();
  for (const name of names) {
    const found = join(data, name);
    await chmod(found, (await stat(found)).isDirectory() ? 0o755 : 0o644);
  }
  await makeDataFolder({ cwd }, paths);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await bitsOf(join(data, name))] as const)),
  );
};

const inside = {
  audit: '700',
  'audit/keys.jsonl': '600',
  'daemon.lock.duckdb': '600',
  outbox: '700',
  reports: '700',
  spool: '700',
  temp: '700',
  'tollkeeper.duckdb': '600',
  'tollkeeper.duckdb.wal': '600',
};

describe('a data folder of an older version', () => {
  const path = 'data/tollkeeper.duckdb';

  it('becomes private when it is opened', async () => {
    await using folder = await openFolder();
    expect(await opened(folder.path, { path })).toEqual({ '.': '700', ...inside });
  });

  it('lets the group through to an archive that the group may read', async () => {
    await using folder = await openFolder();
    const readable = { readable_by: 'group' } as const;
    expect(await opened(folder.path, { path, archive: readable })).toEqual({ '.': '710', ...inside });
    expect(
      await opened(folder.path, { path, archive: { ...readable, path: join(folder.path, 'shared') } }),
    ).toEqual({ '.': '700', ...inside });
  });

  it('keeps its own permissions where it is the working folder, or is shared by all users', async () => {
    await using folder = await openFolder();
    expect(await opened(folder.path, { path: 'tollkeeper.duckdb' })).toEqual({ '.': '755', ...inside });
    const shared = join(folder.path, 'tmp');
    await mkdir(shared);
    await chmod(shared, 0o1777);
    await makeDataFolder({ cwd: folder.path }, pathsOf({ cwd: folder.path }, { path: 'tmp/w.duckdb' }));
    expect(await bitsOf(shared)).toBe('1777');
  });
});

const run = async (folder: Folder, ...argv: readonly string[]) => {
  const { code, stdout, stderr } = await folder.run(argv);
  return { code, said: `${stdout}${stderr}`.replaceAll(/\s+/g, ' ') };
};

/** A folder that is configured, in which nothing has run yet. */
const configured = async (warehouse = '{}'): Promise<Folder> => {
  const folder = await openFolder();
  await folder.write(
    'config/tollkeeper.yaml',
    `warehouse: ${warehouse}\nhealth: { port: 0 }\nstatus: { port: 0 }\n`,
  );
  return folder;
};

const remains: readonly (readonly [what: string, file: string])[] = [
  ['a write-ahead log', 'data/tollkeeper.duckdb.wal'],
  ['an audit log', 'data/audit/keys.jsonl'],
  ['a mail of the outbox', `data/outbox/${'a'.repeat(64)}.eml`],
  ['a report that was built', 'data/reports/spend/20261121T070000.000Z/manifest.json'],
  ['an archived month', 'data/archive/account=main/month=2026-09/calls-1.parquet'],
  ['the copy of a migration', 'data/tollkeeper.schema-30.duckdb'],
];

const database = (folder: Folder): string => join(folder.path, 'data/tollkeeper.duckdb');

const put = async (folder: Folder, file: string): Promise<void> => {
  const path = join(folder.path, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'something');
};

describe('a data folder without its database', () => {
  it.each(remains)('is not given an empty one where %s is left', async (_, file) => {
    await using folder = await configured();
    await put(folder, file);
    const before = await folder.files();
    for (const argv of [['status'], ['doctor'], ['runs']]) {
      const { code, said } = await run(folder, ...argv);
      expect([argv, code]).toEqual([argv, 1]);
      expect(said).toContain(`${database(folder)} is missing or empty`);
      expect(said).toMatch(/what to do: .*tollkeeper restore FROM --replace.* To start over, move/);
    }
    expect(await folder.files()).toEqual(before);
    const served = await run(folder, 'serve');
    expect([served.code, served.said]).toEqual([1, expect.stringContaining('warehouse-missing') as string]);
    expect(await folder.files()).not.toContain('data/tollkeeper.duckdb');
    // Without the remains, the program starts.
    await rm(join(folder.path, 'data'), { recursive: true });
    expect((await run(folder, 'status')).code).toBe(0);
  });

  it('is refused as well where the database is empty, and where the archive lies elsewhere', async () => {
    await using folder = await configured('{ archive: { path: elsewhere } }');
    expect((await run(folder, 'status')).code).toBe(0);
    await put(folder, 'elsewhere/account=main/month=2026-09/calls-1.parquet');
    expect((await run(folder, 'status')).code).toBe(0);
    await truncate(database(folder), 0);
    const { code, said } = await run(folder, 'status');
    expect([code, said]).toEqual([
      1,
      expect.stringContaining('elsewhere/account=main/month=2026-09') as string,
    ]);
  });

  it('gets one where it holds only what a first start creates, or what others keep there', async () => {
    await using folder = await configured();
    for (const name of ['spool', 'outbox', 'reports/spend', 'audit', 'archive', 'temp'])
      await mkdir(join(folder.path, 'data', name), { recursive: true });
    await folder.write('data/audit/keys.jsonl', '');
    await folder.write('data/reports/own/report.yaml', 'title: Own\n');
    await folder.write('data/outbox/notes.txt', 'of a person');
    expect((await run(folder, 'status')).code).toBe(0);
    expect(await folder.files()).toContain('data/tollkeeper.duckdb');
  });
});
