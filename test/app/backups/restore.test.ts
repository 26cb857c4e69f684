import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queueMails } from '../../support/queue-mails.ts';
import { openTown, type Town } from '../support/daemon.ts';

const hour = 3_600_000;

let town: Town;
beforeEach(async () => {
  town = await openTown('2026-11-20T08:00:00Z');
  await town.jobs(
    'pull-logs: { kind: pull-logs, since: 2026-11-01 }',
    'daily-spend: { kind: report, report: spend-summary, period: yesterday, schedule: "0 7 * * *", catchup: all, mail: { to: [a@example.com] } }',
  );
});
afterEach(() => town[Symbol.asyncDispose]());

const succeeds = async (...argv: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await town.run(...argv);
  expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  return stdout.replaceAll(/\s+/g, ' ');
};
const fails = async (code: number, ...argv: readonly string[]): Promise<string> => {
  const ran = await town.run(...argv);
  expect([ran.code, ran.stdout]).toEqual([code, expect.any(String)]);
  return (ran.stderr + ran.stdout).replaceAll(/\s+/g, ' ');
};

/** Calls, a schedule that has begun, and two mails that were not sent. */
const live = async (): Promise<void> => {
  const daemon = await town.serve();
  await succeeds('run', 'pull-logs');
  await daemon.stop();
  await queueMails(town.folder.path, town.clock, ['one@example.com', 'two@example.com']);
};

const spend = (period = '2026-11-01..2026-11-20'): Promise<string> =>
  succeeds(
    'query',
    'SELECT sum(calls) AS calls, sum(spend) AS spend FROM cube',
    '--period',
    period,
    '--format',
    'json',
  );

describe('`tollkeeper restore`', () => {
  it('restores the data, holds unsent mails, skips the slots since the backup, and keeps the present data', async () => {
    await live();
    await succeeds('backup', 'backups');
    const before = await succeeds('runs', '--json');
    town.clock.advance(48 * hour);
    await succeeds('run', 'pull-logs');

    expect(await fails(2, 'restore', 'backups')).toMatch(/data is not empty: .*test|tollkeeper\.duckdb/);
    const restored = await succeeds('restore', 'backups', '--replace');
    expect(restored).toMatch(/^restored backup 20261120T080000Z .*data: \d+ files, .* equal to the backup/);
    expect(restored).toContain('data/replaced-20261122T080000Z');
    expect(restored).toContain('2 mails held');
    expect(restored).toMatch(
      /daily-spend 2 2026-11-21 07:00 to 2026-11-22 07:00 tollkeeper run daily-spend --from 2026-11-21T07:00:00.000Z --to 2026-11-22T07:00:01.000Z/,
    );
    expect(await readdir(join(town.folder.path, 'data', 'replaced-20261122T080000Z'))).toContain(
      'tollkeeper.duckdb',
    );
    expect(await readdir(join(town.folder.path, 'data'))).not.toContain('restoring');
    expect(before).toContain('pull-logs');

    const daemon = await town.serve();
    await daemon.settled();
    town.clock.advance(60_000);
    await daemon.settled();
    expect(await succeeds('runs', 'daily-spend')).toMatch(/skipped .*restored: its slot/);
    expect(town.mail.taken).toEqual([]);
    expect(await fails(1, 'status')).toContain('2 held since a restore');
    // The daemon's own pass over the outbox may be sending one of them.
    expect(await succeeds('outbox', 'release')).toMatch(
      /1: (being )?sent to one@example.com 2: (being )?sent to two@example.com/,
    );
    await daemon.line({ message: 'mail sent' }, 2);
    expect(town.mail.taken).toHaveLength(2);
    await succeeds('status');
    await succeeds(
      'run',
      'daily-spend',
      '--from',
      '2026-11-21T07:00:00.000Z',
      '--to',
      '2026-11-22T07:00:01.000Z',
    );
    await daemon.line({ message: 'mail sent' }, 4);
    expect(town.mail.taken).toHaveLength(4);
  });

  it('leaves the slots since the backup to the jobs with --catch-up', async () => {
    await live();
    await succeeds('backup', 'backups');
    town.clock.advance(48 * hour);
    await rm(join(town.folder.path, 'data'), { recursive: true });
    expect(await succeeds('restore', 'backups', '--catch-up')).not.toContain('skipped (restored)');
    const daemon = await town.serve();
    await daemon.settled();
    expect(await succeeds('runs', 'daily-spend')).toMatch(/2026-11-22 07:00 .*2026-11-21 07:00/);
    expect(await succeeds('runs', 'daily-spend')).not.toContain('restored');
  });

  it('refuses while a daemon runs, and changes nothing', async () => {
    await live();
    await succeeds('backup', 'backups');
    await town.serve();
    expect(await fails(1, 'restore', 'backups', '--replace')).toMatch(
      /another daemon is[^]*data folder alone/,
    );
    await succeeds('query', 'SELECT 1 AS one');
  });

  it('restores an archive elsewhere to where it was, and keeps the present one beside it', async () => {
    const config = join(town.folder.path, 'config', 'tollkeeper.yaml');
    const settings = await readFile(config, 'utf8');
    await writeFile(
      config,
      settings.replace('threads: 1 }', 'threads: 1, archive: { path: elsewhere/archive } }'),
    );
    await town.jobs(
      'pull-logs: { kind: pull-logs, since: 2026-10-20 }',
      'archive: { kind: archive, retain: 1d }',
    );
    await succeeds('run', 'pull-logs');
    expect(await succeeds('run', 'archive')).toContain('1 month left the table');
    const archived = (await town.folder.files()).filter((file) => file.startsWith('elsewhere/'));
    const before = await spend('2026-10-20..2026-11-20');
    await succeeds('backup', 'backups');
    await rm(join(town.folder.path, 'elsewhere', 'archive'), { recursive: true });
    await mkdir(join(town.folder.path, 'elsewhere', 'archive', 'other'), { recursive: true });
    expect(await succeeds('restore', 'backups', '--replace')).toContain(
      'elsewhere/archive.replaced-20261120T080000Z',
    );
    expect((await town.folder.files()).filter((file) => file.startsWith('elsewhere/'))).toEqual(archived);
    expect(await spend('2026-10-20..2026-11-20')).toBe(before);
  });

  it('replaces a damaged or a missing database, as the error says that refuses to start', async () => {
    await live();
    await succeeds('backup', 'backups');
    const database = join(town.folder.path, 'data', 'tollkeeper.duckdb');
    await writeFile(database, 'damaged');
    expect(await fails(1, 'status')).toContain('`tollkeeper restore FROM --replace`');
    await succeeds('restore', 'backups', '--replace');
    await succeeds('query', 'SELECT 1 AS one');
    expect((await town.folder.files()).filter((file) => file.endsWith('tollkeeper.duckdb'))).toHaveLength(2);

    town.clock.advance(60_000);
    await rm(database);
    expect(await fails(1, 'status')).toContain('`tollkeeper restore FROM --replace`');
    await succeeds('restore', 'backups', '--replace');
    expect(await fails(1, 'status')).toContain('2 held since a restore');
  });

  it('leaves a data folder that cannot be started when it is interrupted between the old and the new data', async () => {
    await live();
    await succeeds('backup', 'backups');
    const data = join(town.folder.path, 'data');
    await mkdir(join(data, 'replaced-20261120T080000Z'));
    for (const name of await readdir(data))
      if (!name.startsWith('replaced-'))
        await rename(join(data, name), join(data, 'replaced-20261120T080000Z', name));
    expect(await fails(1, 'run', 'pull-logs')).toContain('data/replaced-20261120T080000Z');
    await succeeds('restore', 'backups');
    await succeeds('run', 'pull-logs');
  });

  it('restores a whole file, and an encrypted backup only with its identity', async () => {
    await live();
    const data = join(town.folder.path, 'data');
    const before = await spend();
    await succeeds('backup', 'whole.tar');
    await rm(data, { recursive: true });
    await succeeds('restore', 'whole.tar');
    expect(await spend()).toBe(before);

    const identity = await generateIdentity();
    await town.folder.write('key.txt', `# created: today\n${identity}\n`);
    await town.folder.write('other.txt', `${await generateIdentity()}\n`);
    const recipient = await identityToRecipient(identity);
    for (const target of ['secret.tar.age', 'secrets']) {
      expect(await succeeds('backup', target, '--recipient', recipient)).toContain(
        'restored and equal before',
      );
      await rm(data, { recursive: true });
      expect(await fails(1, 'restore', target)).toContain('no identity is given');
      expect(await fails(1, 'restore', target, '--identity', 'other.txt')).toContain(
        'the identity does not decrypt',
      );
      await succeeds('restore', target, '--identity', 'key.txt', '--replace');
      expect(await spend()).toBe(before);
    }
  });
});
