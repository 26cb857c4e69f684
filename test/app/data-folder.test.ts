import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDataFolder, pathsOf } from '../../src/app/data-folder/paths.ts';
import { openFolder } from '../support/program.ts';

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
