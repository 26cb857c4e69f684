import { describe, expect, it } from 'vitest';
import { openFolder, defaultConfig } from '../support/program.ts';
import { openTown } from './support/daemon.ts';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const pull = 'pull-logs: { kind: pull-logs, since: 2026-11-19, schedule: "0 9 * * *", notify: [] }';

describe('the log of the daemon', () => {
  it('has the run id on each line of a run, its gateway calls included', async () => {
    await using town = await openTown('2026-11-20T08:30:00Z', { env: { TOLLKEEPER_LOG_LEVEL: 'debug' } });
    await town.jobs(pull);
    const daemon = await town.serve();
    town.clock.set(Date.parse('2026-11-20T09:00:01Z'));
    const { slot, run } = await daemon.line({ job: 'pull-logs', message: 'run succeeded' });
    expect([slot, run]).toEqual(['2026-11-20T09:00:00.000Z', 'pull-logs-20261120T090000000Z']);
    const lines = daemon.lines();
    const ofJob = lines.filter(({ job }) => job === 'pull-logs');
    expect(ofJob.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'run started',
        'gateway answered',
        'landed a call log window',
        'run succeeded',
      ]),
    );
    expect(ofJob.filter((line) => line['run'] !== run)).toEqual([]);
    expect(lines.filter(({ message, job }) => message === 'gateway answered' && job === undefined)).toEqual(
      [],
    );
  });

  it('follows TOLLKEEPER_LOG_LEVEL in place of log.level', async () => {
    await using town = await openTown('2026-11-20T08:30:00Z', { env: { TOLLKEEPER_LOG_LEVEL: 'info' } });
    await town.configure((settings) => `${settings}log: { level: debug }\n`);
    await town.jobs(pull);
    const daemon = await town.serve();
    expect((await town.run('run', 'pull-logs')).code).toBe(0);
    const levels = new Set(daemon.lines().map(({ level }) => level));
    expect([levels.has('info'), levels.has('debug')]).toEqual([true, false]);
  });

  it('does not start with an unknown level in TOLLKEEPER_LOG_LEVEL, and the error names the levels', async () => {
    await using folder = await openFolder();
    await defaultConfig(folder);
    const env = {
      GATEWAY_BASE_URL: 'http://127.0.0.1:9',
      GATEWAY_ADMIN_KEY: 'sk-admin-0123456789abcdef',
      SMTP_URL: 'smtp://127.0.0.1:9',
      TOLLKEEPER_LOG_LEVEL: 'verbose',
    };
    const { code, stdout, stderr } = await folder.run(['serve'], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('TOLLKEEPER_LOG_LEVEL is "verbose"');
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/debug, info, warn, error .*silent/);
    expect(await folder.files()).not.toContain('data/tollkeeper.duckdb');
  });
});

/** A town whose systemd-notify is this script; the folder is that of the script. */
const openTownOf = async (script: string) => {
  const folder = await openFolder();
  await chmod(await folder.write('bin/systemd-notify', `#!/bin/sh\ncd ${folder.path}\n${script}\n`), 0o755);
  const env = {
    NOTIFY_SOCKET: '/run/systemd/notify',
    PATH: `${join(folder.path, 'bin')}:${process.env['PATH'] ?? ''}`,
  };
  const town = await openTown('2026-11-20T08:30:00Z', { env });
  return {
    town,
    notified: () => readFile(join(folder.path, 'notified'), 'utf8'),
    [Symbol.asyncDispose]: async () => {
      await town[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};

it('a daemon that systemd started reports that it is ready once it serves, and that it stops', async () => {
  await using place = await openTownOf('echo "$NOTIFY_SOCKET $* $(env | grep -c GATEWAY)" >> notified');
  const daemon = await place.town.serve();
  expect((await daemon.stop()).code).toBe(0);
  // Secrets of the environment are not passed on.
  expect(await place.notified()).toBe('/run/systemd/notify READY=1 0\n/run/systemd/notify STOPPING=1 0\n');
});

it('a daemon that cannot reach systemd warns and serves', async () => {
  await using place = await openTownOf('exit 1');
  const daemon = await place.town.serve();
  expect(await daemon.line({ message: 'could not notify systemd: READY=1' })).toMatchObject({
    level: 'warn',
  });
  expect((await daemon.stop()).code).toBe(0);
});
