import { open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { filesOf } from '../backup/support.ts';
import { manualClock } from '../support/manual-clock.ts';
import { defaultConfig, openFolder, type Folder, type Ran } from '../support/program.ts';

const now = Date.UTC(2026, 10, 21, 6, 3, 7);
const seed = Number(process.env['TOLLKEEPER_STORM_SEED'] ?? Date.now() % 2 ** 31);
/** Bits that are flipped, one after the other. */
const count = 200;

let folder: Folder;
let sandbox: Sandbox;

const run = (...argv: readonly string[]): Promise<Ran> =>
  folder.run(argv, {
    env: {
      GATEWAY_BASE_URL: sandbox.baseUrl,
      GATEWAY_ADMIN_KEY: sandbox.adminKey,
      SMTP_URL: 'smtp://127.0.0.1:1',
    },
    clock: manualClock(now),
  });

beforeAll(async () => {
  folder = await openFolder();
  sandbox = await startSandbox({ now: () => now, months: 1, callsPerDay: 200 });
  await defaultConfig(folder, '2026-11-10');
  for (const argv of [
    ['run', 'pull-logs'],
    ['backup', 'backups'],
    ['backup', 'whole.tar'],
  ])
    expect((await run(...argv)).code).toBe(0);
});
afterAll(async () => {
  await sandbox.stop();
  await folder[Symbol.asyncDispose]();
});

/** Flips a bit of a file in its place. */
const flip = async (path: string, at: number, bit: number): Promise<void> => {
  const file = await open(path, 'r+');
  try {
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, at);
    byte[0] = (byte[0] ?? 0) ^ (1 << bit);
    await file.write(byte, 0, 1, at);
  } finally {
    await file.close();
  }
};

const sizesOf = async (paths: readonly string[]): Promise<readonly (readonly [string, number])[]> =>
  Promise.all(
    paths.map(async (path) => {
      await using file = await open(path, 'r');
      return [path, (await file.stat()).size] as const;
    }),
  );

/** Every byte is as likely as the others, and a small file has its share beside that. */
const places = (files: readonly (readonly [string, number])[]) => {
  const total = files.reduce((sum, [, size]) => sum + size, 0);
  const byByte = fc.nat(total - 1).map((nth) => {
    let rest = nth;
    for (const [path, size] of files) {
      if (rest < size) return { path, at: rest };
      rest -= size;
    }
    throw new Error(`there is no byte ${nth}`);
  });
  const byFile = fc
    .constantFrom(...files)
    .chain(([path, size]) => fc.record({ path: fc.constant(path), at: fc.nat(size - 1) }));
  return fc.oneof(fc.noShrink(byByte), fc.noShrink(byFile));
};

it.each(['backups', 'whole.tar'])(
  '`restore --verify` finds each of 200 flipped bits of %s that the program wrote',
  async (from) => {
    const root = join(folder.path, from);
    const files = await sizesOf(from === 'backups' ? await filesOf(root) : [root]);
    expect((await run('restore', from, '--verify')).code).toBe(0);
    const drawn = fc.sample(fc.tuple(places(files), fc.nat(7)), { numRuns: count, seed });
    const missed: string[] = [];
    for (const [{ path, at }, bit] of drawn) {
      await flip(path, at, bit);
      const { code, stdout, stderr } = await run('restore', from, '--verify');
      if (code !== 1) missed.push(`bit ${bit} of byte ${at} of ${path}: ${code} ${stdout}${stderr}`);
      else expect(stdout + stderr).toContain('damage');
      await flip(path, at, bit);
    }
    expect([seed, missed]).toEqual([seed, []]);
    expect((await run('restore', from, '--verify')).code).toBe(0);
  },
);
