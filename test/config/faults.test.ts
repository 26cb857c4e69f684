import { describe, expect, it } from 'vitest';
import { goodEnv, goodFiles, goodJobs, goodSettings, load } from './support/load.ts';

describe('faults across files', () => {
  it('are all reported at once in the order of the files', async () => {
    const { faults } = await load(
      {
        'config/tollkeeper.yaml': goodSettings.replace('USD', 'EUR').replace('1GB', 'x'),
        'config/jobs/a.yaml': 'jobs: { "broken',
        'config/jobs/b.yaml': goodJobs.replace('10m', 'x').replace('[model, token]', '3'),
      },
      goodEnv,
    );
    expect(faults.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'config/jobs/a.yaml:1',
      'config/jobs/b.yaml:2',
      'config/jobs/b.yaml:3',
      'config/tollkeeper.yaml:3',
      'config/tollkeeper.yaml:4',
    ]);
  });

  it('include both positions of a job that is configured twice', async () => {
    const { text } = await load(
      { ...goodFiles, 'config/jobs/zz.yaml': 'jobs:\n  pull-logs: { kind: pull-logs, since: 2025-01-01 }\n' },
      goodEnv,
    );
    expect(text).toMatch(/^config\/jobs\/zz\.yaml:2:3: job "pull-logs" .* config\/jobs\/spend\.yaml:2:3\n/);
  });

  it('ask for an account when there is none or several', async () => {
    const jobs = 'jobs: { a: { kind: pull-logs, since: 2025-01-01 } }';
    const none = await load({ 'config/tollkeeper.yaml': 'timezone: UTC\n', 'config/jobs/a.yaml': jobs });
    expect(none.text).toContain('config/jobs/a.yaml:1:9: job a has no account');
    const account = '{ base_url: "https://g.example", admin_key: "${K}" }';
    const settings = `accounts:\n  one: ${account}\n  two: ${account}\n`;
    const two = await load(
      { 'config/tollkeeper.yaml': settings, 'config/jobs/a.yaml': jobs },
      { K: 'sk-admin-1' },
    );
    expect(two.text).toMatch(/^config\/jobs\/a\.yaml:1:9: .*\n.* one of one, two$/);
  });

  it('ask for a mail server when a job sends mail', async () => {
    const settings = goodSettings.replace(/^mail:.*\n/m, '');
    const { text } = await load({ ...goodFiles, 'config/tollkeeper.yaml': settings }, goodEnv);
    expect(text).toMatch(/^config\/jobs\/spend.yaml:12:5: .* has no mail server/);
  });

  it('include a schedule that never fires in the zone of the job', async () => {
    const asked: string[] = [];
    const { text } = await load(goodFiles, goodEnv, {
      checkSchedule: ({ expression, zone }) => {
        asked.push(`${expression} ${zone}`);
        return expression === '20 1 * * *' ? { message: 'it never matches' } : undefined;
      },
    });
    expect(asked).toEqual(['7 * * * * Europe/Berlin', '20 1 * * * Europe/Berlin', '0 8 * * * Asia/Shanghai']);
    expect(text).toContain('spend.yaml:3:45: jobs.pull-usage.schedule "20 1 * * *": it never matches');
  });

  it('include a missing tollkeeper.yaml', async () => {
    const { text } = await load({});
    expect(text).toContain('config/tollkeeper.yaml:1:1: no tollkeeper.yaml in config');
    expect(text).toContain('point --config at the folder');
  });

  it('include a file that cannot be read', async () => {
    const { text } = await load(goodFiles, goodEnv, {
      readFile: () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })),
    });
    expect(text).toMatch(/config\/tollkeeper\.yaml:1:1: .*\(EACCES\)/);
    expect(text).toMatch(/config\/jobs\/spend\.yaml:1:1: .*\(EACCES\)/);
  });

  it('exclude jobs for values that a broken tollkeeper.yaml leaves unknown', async () => {
    const { faults } = await load({ ...goodFiles, 'config/tollkeeper.yaml': 'a: [' }, goodEnv);
    expect(faults.map(({ file }) => file)).toEqual(['config/tollkeeper.yaml']);
  });
});
