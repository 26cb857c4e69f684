import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acquireLock, type AcquiredLock } from '../../src/storage/index.ts';
import { compiledModules } from '../support/compiled-modules.ts';
import { testFolder, type TestFolder } from '../warehouse/support.ts';

let fixture: TestFolder;
let entryPoint: string;

beforeAll(async () => {
  fixture = await testFolder();
  entryPoint = join(await compiledModules(), 'storage/index.js');
});
afterAll(async () => fixture[Symbol.asyncDispose]());

/** Holds the lock until it is killed, or ends when it is refused. */
const inProcess = `
  const { acquireLock } = await import(process.argv[1]);
  const { held, holder } = await acquireLock(process.argv[2]);
  process.stdout.write(JSON.stringify({ held, holder }));
  if (held) setInterval(() => globalThis.gc(), 20);`;

type Other = AsyncDisposable & {
  readonly process: ChildProcess;
  readonly reported: { readonly held: boolean; readonly holder?: number };
};

const otherProcess = async (path: string): Promise<Other> => {
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--input-type=module', '-e', inProcess, entryPoint, path],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    process: child,
    reported: JSON.parse(line.toString()) as Other['reported'],
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

const release = async (lock: AcquiredLock): Promise<void> => {
  expect(lock.held).toBe(true);
  if (lock.held) await lock[Symbol.asyncDispose]();
};

describe('one process per volume', () => {
  it('a second process is rejected with the holder’s process id, and kill -9 frees the lock at once without changing the file', async () => {
    await using folder = await testFolder();
    const path = join(folder.path, 'data', 'daemon.lock');
    const first = await otherProcess(path);
    await using _first = first;
    expect(first.reported).toEqual({ held: true });
    expect(await acquireLock(path)).toEqual({ held: false, holder: first.process.pid });
    // A refused attempt takes nothing away from the first.
    await using second = await otherProcess(path);
    expect(second.reported).toEqual({ held: false, holder: first.process.pid });

    await first[Symbol.asyncDispose]();
    const freed = performance.now();
    const lock = await acquireLock(path);
    expect(performance.now() - freed).toBeLessThan(1000);
    expect(await readdir(join(folder.path, 'data'))).toEqual(['daemon.lock']);
    await using third = await otherProcess(path);
    expect(third.reported).toEqual({ held: false, holder: process.pid });
    await release(lock);
    await using fourth = await otherProcess(path);
    expect(fourth.reported).toEqual({ held: true });
    expect(await readdir(join(folder.path, 'data'))).toEqual(['daemon.lock']);
  });

  it('one of many processes that start at once holds the lock', async () => {
    await using folder = await testFolder();
    const path = join(folder.path, 'daemon.lock');
    const others = await Promise.all(Array.from({ length: 4 }, async () => otherProcess(path)));
    try {
      const holders = others.filter(({ reported }) => reported.held);
      expect(holders).toHaveLength(1);
      for (const { reported } of others)
        if (!reported.held) expect(reported.holder).toBe(holders[0]?.process.pid);
      expect((await readdir(folder.path)).filter((name) => name !== 'spool')).toEqual(['daemon.lock']);
    } finally {
      await Promise.all(others.map(async (one) => one[Symbol.asyncDispose]()));
    }
  });

  it('a second attempt in the same process is rejected by any path, and the lock is kept', async () => {
    await using folder = await testFolder();
    const path = join(folder.path, 'data', 'daemon.lock');
    const lock = await acquireLock(path);
    await symlink(join(folder.path, 'data'), join(folder.path, 'linked'));
    expect(await acquireLock(path)).toEqual({ held: false, holder: process.pid });
    expect(await acquireLock(join(folder.path, 'linked', 'daemon.lock'))).toMatchObject({ held: false });
    await using other = await otherProcess(path);
    expect(other.reported).toEqual({ held: false, holder: process.pid });
    await release(lock);
    await release(lock);
    await release(await acquireLock(path));
  });
});

describe('a failure to lock', () => {
  it('a foreign file and a folder that cannot be created are faults', async () => {
    await using folder = await testFolder();
    await writeFile(join(folder.path, 'notes'), 'these are notes\n'.repeat(1000));
    await expect(acquireLock(join(folder.path, 'notes'))).rejects.toMatchObject({
      code: 'warehouse-unreadable',
    });
    await expect(acquireLock(join(folder.path, 'notes', 'x', 'lock'))).rejects.toMatchObject({
      code: 'path-unwritable',
    });
    // A fault is no lock: the same path can be tried again.
    await expect(acquireLock(join(folder.path, 'notes'))).rejects.toMatchObject({
      code: 'warehouse-unreadable',
    });
  });

  it.runIf(existsSync('/dev/full'))('a full disk', async () => {
    await expect(acquireLock('/dev/full')).rejects.toMatchObject({ code: 'disk-full' });
  });
});
