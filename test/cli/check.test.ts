import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approved } from '../support/approved.ts';
import { defaultConfig, openFolder, type Folder } from '../support/program.ts';
import { openCliFixture, unreachable } from './support/fixture.ts';

let folder: Folder;
beforeEach(async () => {
  folder = await openFolder();
  await defaultConfig(folder);
});
afterEach(() => folder[Symbol.asyncDispose]());

const check = (...argv: string[]) => folder.run(['check', ...argv], { env: unreachable });

/** A config without jobs, and a system whose container has so many megabytes. */
const withContainer = async (megabytes: number, warehouse = '{}'): Promise<string> => {
  await folder.write('config/tollkeeper.yaml', `warehouse: ${warehouse}\n`);
  await folder.write('config/jobs/spend.yaml', 'jobs:\n');
  await folder.write('system/proc/self/cgroup', '0::/\n');
  await folder.write('system/sys/fs/cgroup/memory.max', `${megabytes}000000\n`);
  return `${folder.path}/system`;
};

describe('the `check` command', () => {
  it('prints how the memory of the container is divided', async () => {
    const systemRoot = await withContainer(1000);
    const { code, stdout } = await folder.run(['check'], { systemRoot });
    expect(code).toBe(0);
    expect(stdout).toContain(
      'memory: 1000MB of the container · database 390MB · SQL of reports 360MB · Node.js 150MB\n',
    );
    const { stdout: json } = await folder.run(['check', '--json'], { systemRoot });
    expect(JSON.parse(json).memory).toMatchObject({
      limit: { bytes: 1_000_000_000, of: 'container' },
      database: 390_000_000,
    });
  });

  it('refuses a container that is too small, as the daemon does, with the smallest limit that works', async () => {
    const systemRoot = await withContainer(256);
    const checked = await folder.run(['check'], { systemRoot });
    expect(checked.code).toBe(1);
    expect(checked.stdout).toMatch(/ 256MB, .* at least 400MB\n.*raise the memory limit/);
    const served = await folder.run(['serve'], { systemRoot });
    expect(served.code).toBe(1);
    expect(served.stderr).toMatch(/at least 400MB[^]*\(memory-too-small\)/);
  });

  it('warns of a warehouse.memory_limit that the container does not have', async () => {
    const systemRoot = await withContainer(1000, '{ memory_limit: 1GB }');
    const { code, stdout } = await folder.run(['check'], { systemRoot });
    expect(code).toBe(0);
    expect(stdout).toMatch(/warning: warehouse\.memory_limit 1GB .* 1250MB .* 1000MB/);
  });

  it('warns of a configuration that every user can write, and accepts it', async () => {
    expect((await check()).stdout).not.toContain('warning: every user');
    const jobs = join(folder.path, 'config/jobs');
    await chmod(jobs, 0o777);
    const checked = await check();
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain(`${jobs}:1:1: warning: every user`);
    expect(checked.stdout).toContain(`run chmod o-w ${jobs}`);
  });

  it('refuses conditions of `send_when` that no report can meet, or that each one meets, and recipients that receive no part', async () => {
    const job = (more: string) =>
      `kind: report, report: spend-summary, mail: { to: [a@example.com] }, ${more}`;
    const checked = async (...jobs: readonly string[]) => {
      await folder.write('config/jobs/send.yaml', `jobs:\n${jobs.join('\n')}\n`);
      const { code, stdout } = await check();
      expect(code).toBe(1);
      return stdout.replaceAll(`${folder.path}/`, '');
    };
    const faults = [
      await checked(
        `  weekly: { schedule: "@weekly", ${job('send_when: { above: 5 }')} }`,
        `  form: { schedule: "@daily", ${job('send_when: sometimes')} }`,
        `  by: { schedule: "@daily", ${job('send_when: { changed: { by: ten } }')} }`,
      ),
      await checked(
        `  beside: { schedule: "@daily", kind: report, report: spend-summary, mail: { to: [each_owner, a@example.com] } }`,
        `  team: { schedule: "@daily", kind: report, report: showback, each_team: true, mail: { to: [each_cost_center] } }`,
        `  rest: { schedule: "@daily", ${job('each_team: true').replace('] }', '], remainder: [b@example.com] }')} }`,
        `  who: { schedule: "@daily", kind: report, report: showback, mail: { to: [each_body] } }`,
      ),
      await checked(
        `  unknown: { schedule: "@daily", ${job('send_when: { changed: { figure: forecst, by: 5% } }')} }`,
        `  known: { schedule: "@daily", ${job('send_when: { changed: { figure: forecast, by: 5% } }')} }`,
      ),
    ];
    await expect(faults.join('\n')).toMatchFileSnapshot(approved('check/send-when'));
  });

  it('shows the seconds of schedules that use them, and times as text in JSON', async () => {
    await folder.write(
      'config/jobs/spend.yaml',
      'jobs:\n  often: { kind: pull-logs, schedule: "*/20 * * * * *", since: 2026-01-01 }\n',
    );
    expect((await check()).stdout).toMatch(/next: .* 09:30:20, .* 09:30:40, .* 09:31:00$/m);
    const { jobs } = JSON.parse((await check('--json')).stdout) as { jobs: { next: string[] }[] };
    expect(jobs[0]?.next[0]).toBe('2026-11-20T09:30:20.000Z');
  });

  it('reports what is in place of tollkeeper.yaml', async () => {
    await folder.write('wrong/tollkeeper.yml', '');
    expect((await check('--config', 'wrong')).stdout).toContain('rename tollkeeper.yml');
    await folder.write('config/jobs/folder.yaml/inside', '');
    expect((await check()).stdout).toContain('where a file is expected');
    const file = await check('--config', 'config/tollkeeper.yaml');
    expect(file.stdout).toContain('where a folder is expected');
    expect(file.stdout).toContain('1 fault\n');
  });

  it('warns, as doctor does, of selectors that match nothing, with their places and similar names', async () => {
    await using fixture = await openCliFixture({
      callsPerDay: 40,
      settings: `timezone: UTC
accounts: { main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}", currency: USD } }
teams:
  growth: { keys: ["growth-*"] }
  mistyped: { keys: ["gro\u0301wth-maill"] }
budgets: { mini: { model: "gtp-4*", amount: 5 } }
`,
      jobs: 'jobs:\n  pull-logs: { kind: pull-logs, since: 2026-11-01 }\n',
    });
    const before = await fixture.folder.files();
    const unknown = await fixture.run(['check']);
    expect([unknown.code, unknown.stdout]).toEqual([0, expect.not.stringContaining('matches')]);
    expect(await fixture.folder.files()).toEqual(before);

    expect((await fixture.run(['run', 'pull-logs'])).code).toBe(0);
    const checked = await fixture.run(['check', '--json']);
    expect(checked.code).toBe(0);
    const { warnings } = JSON.parse(checked.stdout) as {
      warnings: { line: number; message: string; advice: string }[];
    };
    const shown = warnings.filter(({ message }) => message.includes('matches'));
    expect(shown.map(({ line, message }) => [line, message])).toEqual([
      [5, 'teams.mistyped.keys[0]: no key matches "gro\u0301wth-maill"'],
      [6, 'budgets.mini.model: no model matches "gtp-4*"'],
    ]);
    expect(shown[0]?.advice).toMatch(/similar names: growth-mail$/);
    expect(shown[1]?.advice).toMatch(/similar names: gpt-4/);

    const { stdout } = await fixture.run(['doctor']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/selector teams\.mistyped\.keys\[0\].* no key matches/);
    expect(stdout).not.toContain('selector teams.growth');
  });
});
