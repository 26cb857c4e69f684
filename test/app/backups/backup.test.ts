import { mkdir, symlink } from 'node:fs/promises';
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
    expect(await succeeds('run', 'drill')).toContain('20261120T080200Z was restored');
    const status = (await succeeds('status')).replaceAll(/\s+/g, ' ');
    expect(status).toMatch(
      /2026-11-20 08:02 UTC in \S+backups: \S+ MB, .* [kM]B were new; restored .* 2026-11-20 08:02 UTC/,
    );
    const { data } = JSON.parse(await succeeds('status', '--json')) as { data: { backup: unknown } };
    expect(data.backup).toMatchObject({
      taken: { name: '20261120T080200Z', takenAt: '2026-11-20T08:02:00.000Z' },
      restored: { name: '20261120T080200Z', drilledAt: '2026-11-20T08:02:00.000Z' },
    });
  });

  it('notifies operators once of a drill that fails, with the damage and what to do', async () => {
    await town.jobs(
      'drill: { kind: restore-drill, from: backups, schedule: "0 * * * *", retries: { limit: 0 } }',
    );
    await succeeds('backup', 'backups');
    const chunk = (await town.folder.files()).find((file) => /^backups\/chunks\/../.test(file)) ?? '';
    await town.folder.write(chunk, 'damaged');
    const daemon = await town.serve();
    for (const nth of [1, 2]) {
      town.clock.advance(3_600_000);
      await daemon.settled();
      await daemon.line({ event: 'run-end', job: 'drill' }, nth);
    }
    const mails = await town.mails(daemon, 1);
    expect(mails.map(({ parsed }) => parsed.subject)).toEqual([expect.stringContaining('drill')]);
    const text = mails[0]?.parsed.text?.replaceAll(/\s+/g, ' ') ?? '';
    expect(text).toContain('does not match its checksum');
    expect(text).toContain('take a new backup');
  });

  it('of a job is refused by `check` if it lies in the data folder, also through a link', async () => {
    await mkdir(join(town.folder.path, 'data'), { recursive: true });
    await symlink('data', join(town.folder.path, 'volume'));
    const targets = ['data/backups', 'volume/backups', 'elsewhere'];
    const job = (to: string, index: number) =>
      `  backup-${index}: { kind: backup, schedule: "5 3 * * *", to: ${to} }\n`;
    await town.folder.write('config/jobs/backups.yaml', `jobs:\n${targets.map(job).join('')}`);
    const checked = await town.run('check', '--json');
    expect(checked.code).toBe(1);
    const { faults } = JSON.parse(checked.stdout) as { faults: { line: number; message: string }[] };
    expect(faults.map(({ line }) => line)).toEqual([2, 3]);
    expect(faults[0]?.message).toContain('jobs.backup-0.to: ');
    expect(faults[1]?.message).toContain('which is backed up');
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
      stderr: expect.stringContaining('contains no backups') as string,
    });
    expect(await town.folder.files()).not.toContain('photos/tollkeeper-backups');
  });
});
