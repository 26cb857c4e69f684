import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { openFixture, parsed, pullLogs, saying, yearly } from './support/fixture.ts';

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

const rarely = `schedule: "${yearly()}"`;

describe.concurrent('a configuration changed while the daemon runs', () => {
  it('is applied automatically, and running jobs continue', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs('schedule: "* * * * * *", timeout: 30m'));
    fixture.gateway.holdAfter(0);
    const daemon = await fixture.serve();
    await fixture.gateway.blocked();
    const { slot } = parsed(await daemon.line('"run started"'));
    await fixture.jobs(pullLogs(`${rarely}, timeout: 45m`), `fresh: { kind: pull-usage, since: 2026-01-01 }`);
    const reported = parsed(await daemon.line('applied the new configuration'));
    expect(reported['changes']).toContain('job pull-logs: timeout 30m → 45m');
    expect(reported['changes']).toContain('job pull-logs: schedule "* * * * * *" → ');
    expect(reported['changes']).toContain('job fresh added');
    const status = JSON.parse((await fixture.command('status', '--json')).stdout) as {
      jobs: { job: string }[];
      open: { slot: string; state: string }[];
    };
    expect(status.jobs.map(({ job }) => job)).toEqual(['pull-logs', 'fresh']);
    expect(status.open).toContainEqual(expect.objectContaining({ slot, state: 'running' }));
    fixture.gateway.release();
    fixture.gateway.resume();
    expect(parsed(await daemon.line('"run succeeded"'))).toMatchObject({ slot });
    expect(saying(daemon, 'the run was interrupted')).toEqual([]);
    expect((await fixture.command('run', 'fresh')).code).toBe(0);
  });

  it('is applied at once on SIGHUP, with a note on settings that need a restart', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(rarely));
    const daemon = await fixture.serve();
    await fixture.settings('log: { level: debug }\nscheduler: { max_running: 2 }', '600MB');
    daemon.kill('SIGHUP');
    const reported = parsed(await daemon.line('applied the new configuration'));
    expect(reported['changes']).toBe('scheduler.max_running 4 → 2; log.level "info" → "debug"');
    expect(parsed(await daemon.line('take effect after a restart'))['settings']).toBe(
      'warehouse.memory_limit "512MB" → "600MB"',
    );
    const status = await fixture.command('status');
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toContain('requires a restart: warehouse.memory_limit');
    // The level is in force.
    expect(parsed(await daemon.line('"command":"status"'))).toMatchObject({ level: 'debug' });
  });

  it('changes the level of the log after the second SIGUSR2, as the first one sets it to debug', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(rarely));
    const daemon = await fixture.serve();
    daemon.kill('SIGUSR2');
    expect(parsed(await daemon.line('received SIGUSR2'))).toMatchObject({ log_level: 'debug' });
    await fixture.settings('log: { level: error }');
    daemon.kill('SIGHUP');
    await daemon.line('applied the new configuration');
    expect((await fixture.command('status')).code).toBe(0);
    expect(parsed(await daemon.line('"command":"status"'))).toMatchObject({ level: 'debug' });
    daemon.kill('SIGUSR2');
    // Logged although the level is above that of the line.
    const switched = await daemon.line('received SIGUSR2', 2);
    expect(parsed(switched)).toMatchObject({ level: 'info', log_level: 'error' });
    expect((await fixture.command('status')).code).toBe(0);
    expect(daemon.stdout().at(-1)).toBe(switched);
  });

  it('with faults is not applied, and its faults are logged, shown and mailed once until they are fixed', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(rarely));
    const daemon = await fixture.serve();
    await fixture.jobs(pullLogs(`${rarely}, timeot: 1h`), 'spend: { kind: report, report: no-such }');
    const line = parsed(await daemon.line('the new configuration is invalid and was not applied'));
    expect(line).toMatchObject({
      level: 'error',
      place: expect.stringMatching(/config\/jobs\/jobs\.yaml:2:\d+$/) as string,
      error: expect.stringContaining('timeot') as string,
    });
    const status = await fixture.command('status');
    expect(status.code).toBe(1);
    expect(status.stdout).toMatch(/jobs\.yaml:2:\d+: .*timeot/);
    expect(status.stdout).toMatch(/jobs\.yaml:3:\d+: .*no-such/);
    expect(status.stdout).toMatch(/action required: \d faults /);
    expect((await fixture.command('runs')).code).toBe(0);
    expect((await fixture.command('run', 'pull-logs')).code).toBe(0);

    await daemon.line('ops@example.com');
    const found = saying(daemon, 'the new configuration is invalid and was not applied').length;
    daemon.kill('SIGHUP');
    await daemon.line('the new configuration is invalid and was not applied', 2 * found);
    // Another fault is the same trouble still.
    await fixture.jobs(pullLogs(`${rarely}, timeowt: 1h`));
    daemon.kill('SIGHUP');
    await daemon.line('timeowt');
    await fixture.jobs(pullLogs(rarely));
    daemon.kill('SIGHUP');
    expect(parsed(await daemon.line('applied the new configuration'))['changes']).toBe('none');
    expect((await fixture.command('status')).code).toBe(0);
    expect(fixture.mail.taken).toHaveLength(1);
    const [mail] = fixture.mail.taken;
    expect(mail?.recipients).toEqual(['ops@example.com']);
    expect(mail?.parsed.subject).toMatch(/The new config has \d faults/);
    expect(mail?.parsed.text).toMatch(/jobs\.yaml:2:\d+/);

    await fixture.jobs(pullLogs(`${rarely}, timeot: 1h`));
    daemon.kill('SIGHUP');
    await daemon.line('ops@example.com', 2);
    expect(fixture.mail.taken).toHaveLength(2);
  });

  it('behind swapped symbolic links, as in a ConfigMap, is applied with its new secret', async () => {
    await using fixture = await openFixture(program);
    const secrets = join(fixture.folder.path, 'secrets');
    const version = async (name: string, key: string): Promise<void> => {
      await fixture.folder.write(`secrets/${name}/admin-key`, `${key}\n`);
      await symlink(name, join(secrets, '..next'));
      await rename(join(secrets, '..next'), join(secrets, '..data'));
    };
    await mkdir(secrets);
    await version('..2026_1', 'sk-admin-wrong-wrong-wrong');
    await symlink('..data/admin-key', join(secrets, 'admin-key'));
    await fixture.folder.write(
      'config/tollkeeper.yaml',
      `accounts:
  main: { base_url: "${fixture.gateway.baseUrl}", admin_key: "\${file:${secrets}/admin-key}" }
warehouse: { memory_limit: 512MB, threads: 1 }
health: { host: 127.0.0.1, port: 0 }
status: { port: 0 }
`,
    );
    await fixture.jobs(pullLogs(`${rarely}, notify: []`));
    const daemon = await fixture.serve();
    expect((await fixture.command('run', 'pull-logs')).stderr).toContain('gateway-key-refused');
    await version('..2026_2', fixture.sandbox.adminKey);
    expect(parsed(await daemon.line('applied the new configuration'))['changes']).toBe(
      'account main: admin_key changed',
    );
    const good = await fixture.command('run', 'pull-logs');
    expect(good.code).toBe(0);
    const log = daemon.stdout().join('\n');
    expect(log).not.toContain('wrong-wrong');
    expect(log).not.toContain(fixture.sandbox.adminKey);
  });

  it('during a report does not affect that report', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(rarely));
    const daemon = await fixture.serve();
    expect((await fixture.command('run', 'pull-logs')).code).toBe(0);
    fixture.gateway.holdAfter(0, '/api/log/self/stat');
    const report = fixture.start('report', 'spend-summary', '--period', 'last-week', '--out', 'out');
    await fixture.gateway.blocked();
    await fixture.jobs(pullLogs(`${rarely}, timeout: 45m`));
    daemon.kill('SIGHUP');
    await daemon.line('applied the new configuration');
    fixture.gateway.release();
    fixture.gateway.resume();
    expect(await report.ended).toEqual({ code: 0, signal: null });
    const { readFile } = await import('node:fs/promises');
    const text = await readFile(join(fixture.folder.path, 'out/spend-summary.txt'), 'utf8');
    expect(text).toMatch(/Reconciliation: .*: [\d.]+ USD\./s);
  });
});
