import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import { defaultConfig, openFolder, type Folder, type Ran } from '../support/program.ts';

const now = Date.UTC(2026, 10, 21, 6, 3, 7);
const command = promisify(execFile);
/** Kibibytes of the disk at first, and by which it grows; test/backup has the same with smaller steps. */
const smallest = 8;
const [coarse, fine] = [384, 32];

let folder: Folder;
let sandbox: Sandbox;
let disk: string;
let isMounted: boolean;

const run = (...argv: readonly string[]): Promise<Ran> =>
  folder.run(argv, {
    env: {
      GATEWAY_BASE_URL: sandbox.baseUrl,
      GATEWAY_ADMIN_KEY: sandbox.adminKey,
      SMTP_URL: 'smtp://127.0.0.1:1',
    },
    clock: manualClock(now),
  });

const remount = async (options: string): Promise<void> => {
  await command('mount', ['-o', `remount,${options}`, disk]);
};
/** As a volume that is detached while files of it are open. */
const detach = async (): Promise<void> => {
  isMounted = false;
  await command('umount', ['-l', disk]);
};

/** The sums of the source, which has to open for it. */
const sums = async (): Promise<string> => {
  const sql = 'SELECT sum(calls) AS calls, sum(spend) AS spend FROM cube';
  const { code, stdout } = await run('query', sql, '--period', '2026-11-01..2026-11-21', '--format', 'json');
  expect(code).toBe(0);
  return stdout;
};

/** A real file system whose size changes; mounting it takes root, which CI has. */
beforeEach(async () => {
  folder = await openFolder();
  disk = join(folder.path, 'disk');
  await mkdir(disk);
  await command('mount', ['-t', 'tmpfs', '-o', `size=${smallest}k`, 'tmpfs', disk]);
  isMounted = true;
  sandbox = await startSandbox({ now: () => now, months: 1, callsPerDay: 50 });
  await defaultConfig(folder, '2026-11-01');
  expect((await run('run', 'pull-logs')).code).toBe(0);
});
afterEach(async () => {
  await sandbox.stop();
  if (isMounted) await command('umount', [disk]);
  await folder[Symbol.asyncDispose]();
});

/** What was left that looks like a backup, or like a part of one. */
const left = async (): Promise<readonly string[]> =>
  (await readdir(disk, { recursive: true })).filter((name) =>
    /manifest$|partial$|tar$|chunks\/..\/.+/.test(name),
  );

const expectIntact = async (before: string): Promise<void> => {
  expect(await sums()).toBe(before);
  expect((await run('backup', 'elsewhere')).code).toBe(0);
  expect((await run('restore', 'elsewhere', '--verify')).code).toBe(0);
};

it.each(['disk/backups', 'disk/whole.tar'])(
  'a disk that is full at any write of a backup to %s leaves no backup and the data as it was',
  async (target) => {
    const before = await sums();
    let failures = 0;
    /** Grows the disk until the backup fits, and returns its size. */
    const grow = async (from: number, step: number): Promise<number> => {
      for (let size = from; ; size += step) {
        await remount(`size=${size}k`);
        const { code, stderr } = await run('backup', target);
        if (code === 0) return size;
        failures += 1;
        expect([code, stderr]).toEqual([1, expect.stringMatching(/what to do: free space[^]*\(disk-full\)/)]);
        expect(await left()).toEqual([]);
      }
    };
    const enough = await grow(smallest, coarse);
    // The last writes, such as that of the manifest, are small.
    await rm(join(folder.path, target), { recursive: true });
    await grow(Math.max(smallest, enough - coarse), fine);
    expect(failures).toBeGreaterThan(10);
    await expectIntact(before);
    expect((await run('restore', target, '--verify')).code).toBe(0);
  },
);

it.each(['disk/backups', 'disk/whole.tar'])(
  'a read-only disk is named, and %s is not created',
  async (target) => {
    const before = await sums();
    await remount('size=300m,ro');
    const { code, stderr } = await run('backup', target);
    expect([code, stderr]).toEqual([1, expect.stringContaining('(path-unwritable)')]);
    expect(await readdir(disk)).toEqual([]);
    await expectIntact(before);
  },
);

it.each(['disk/backups', 'disk/whole.tar'])(
  'a volume that is detached while a backup is written to %s is named, and the next backup works',
  async (target) => {
    const before = await sums();
    await remount('size=300m');
    const isBegun = async (): Promise<boolean> =>
      (await readdir(disk, { recursive: true })).some((name) => /chunks\/\w+\/|partial$/.test(name));
    const ended = new AbortController();
    const backing = run('backup', target).finally(() => ended.abort());
    while (!ended.signal.aborted && !(await isBegun()));
    await detach();
    const { code, stderr } = await backing;
    // It may have ended just before.
    if (code !== 0)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/\((path-unwritable|backup-damaged)\)/)]);
    expect(await left()).toEqual([]);
    await expectIntact(before);
    expect((await run('backup', target)).code).toBe(0);
  },
);
