import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTown, type Town } from '../support/daemon.ts';

type Shown = { readonly name: string; readonly bytes: number; readonly newBytes: number };

let town: Town;
beforeEach(async () => {
  town = await openTown('2026-11-20T08:00:00Z');
  await town.jobs(
    'pull-logs: { kind: pull-logs, since: 2026-11-01 }',
    'nightly: { kind: backup, to: backups }',
    'drill: { kind: restore-drill, from: backups }',
    'daily-spend: { kind: report, report: spend-summary, period: yesterday, schedule: "0 7 * * *", mail: { to: [a@example.com] } }',
  );
});
afterEach(() => town[Symbol.asyncDispose]());

const succeeds = async (...argv: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await town.run(...argv);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
};

const backUp = async (): Promise<Shown> => JSON.parse(await succeeds('backup', 'backups', '--json')) as Shown;

describe('`tollkeeper backup DIR`', () => {
  it('stores everything while the daemon runs, and the second time only what is new', async () => {
    await town.serve();
    await succeeds('run', 'pull-logs');
    await succeeds('run', 'daily-spend');
    const shown = await succeeds('backup', 'backups');
    expect(shown).toMatch(
      /^backup 20261120T080000Z in \S+backups: \d+ files, [\d.]+ MB, of which .* read back and equal$/m,
    );
    town.clock.advance(60_000);
    const second = await backUp();
    expect(second.name).toBe('20261120T080100Z');
    expect(second.newBytes).toBeLessThan(second.bytes / 2);

    town.clock.advance(60_000);
    expect(await succeeds('run', 'nightly')).toMatch(/\d+ files, .* read back and equal/);
    expect(await succeeds('run', 'drill')).toContain('backup 20261120T080200Z was restored and is equal');
  });

  it('refuses a target within the data folder and one that holds something else', async () => {
    await succeeds('run', 'pull-logs');
    const inside = await town.run('backup', 'data/../data/backups');
    expect(inside).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('which is backed up') as string,
    });
    await mkdir(join(town.folder.path, 'photos'));
    await town.folder.write('photos/one.jpg', 'x');
    const foreign = await town.run('backup', 'photos');
    expect(foreign).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not empty and contains no backups of Tollkeeper') as string,
    });
    expect(await town.folder.files()).not.toContain('photos/tollkeeper-backups');
  });
});
