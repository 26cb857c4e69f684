import { describe, expect, it } from 'vitest';
import { fieldsOf, profileOf } from '../../src/config/index.ts';
import { goodEnv, goodFiles, goodJobs, goodSettings, load, pullLogs, report } from './support/load.ts';

describe('a valid config', () => {
  it('is read completely, with defaults filled in', async () => {
    const { config, text } = await load(goodFiles, goodEnv);
    expect(text).toBe('');
    expect(config?.settings.timezone).toBe('Europe/Berlin');
    expect(config?.settings.accounts['main']?.base_url).toBe('https://gateway.example.com');
    expect(config?.settings.warehouse).toEqual({
      path: 'data/tollkeeper.duckdb',
      memory_limit: '1GB',
      threads: 2,
    });
    expect(config?.settings.teams['growth']?.budget?.month).toBe('500');
    expect(Object.keys(config?.jobs ?? {})).toEqual(['pull-logs', 'pull-usage', 'daily-spend']);
    const daily = config?.jobs['daily-spend'];
    expect(daily).toMatchObject({
      account: 'main',
      timezone: 'Asia/Shanghai',
      timeout: 1_800_000,
      needs: ['pull-logs'],
      suspend: false,
      place: { file: 'config/jobs/spend.yaml', line: 4, column: 3 },
    });
    expect(config?.jobs['pull-logs']).toMatchObject({ timezone: 'Europe/Berlin', timeout: 3_600_000 });
  });

  it('has the typed keys of each job kind', async () => {
    const { config } = await load(goodFiles, goodEnv);
    const pull = config?.jobs['pull-logs'];
    const daily = config?.jobs['daily-spend'];
    if (pull === undefined || daily === undefined) throw new Error('jobs are missing');
    const lag: number = fieldsOf(pullLogs, pull).lag;
    expect(lag).toBe(600_000);
    expect(fieldsOf(report, daily)).toEqual({
      report: 'spend-summary',
      period: 'yesterday',
      mail: { to: ['finance@example.com'] },
    });
    expect(() => fieldsOf(report, pull)).toThrow(/is pull-logs, not report/);
  });

  it('may be empty, and then runs no jobs', async () => {
    for (const text of ['', '# nothing yet\n', 'accounts:\nteams:\n']) {
      const { config, text: faults } = await load({
        'config/tollkeeper.yaml': text,
        'config/jobs/a.yaml': 'jobs:\n',
      });
      expect(faults).toBe('');
      expect(config?.jobs).toEqual({});
      expect(config?.settings.timezone).toBe('UTC');
    }
  });

  it('overrides the observed export format of a gateway, and supplies what its data cannot show', async () => {
    const { config, text } = await load(
      {
        'config/tollkeeper.yaml': `accounts:
  a:
    base_url: "https://g.example"
    admin_key: "\${K}"
    gateway: { timestamps: naive, naive_zone: Asia/Shanghai, units_per_currency: 1000, columns: { quota: charge }, kinds: { 扣费: consumption }, title_lines: 1, total_line: false, guards: true }
`,
      },
      { K: 'sk-admin-x' },
    );
    expect(text).toBe('');
    const account = config?.settings.accounts['a'];
    expect(account && profileOf(account)).toEqual({
      timestamps: 'naive',
      naiveZone: 'Asia/Shanghai',
      amounts: 'auto',
      unitsPerCurrency: 1000,
      unitsStated: true,
      usageZone: 'UTC',
      logExport: {
        columns: { quota: 'charge' },
        kinds: { 扣费: 'consumption' },
        titleLines: 1,
        totalLine: false,
        guards: true,
      },
    });
  });
});

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

  it('ask for an account when there is none', async () => {
    const jobs = 'jobs: { a: { kind: pull-logs, since: 2025-01-01 } }';
    const none = await load({ 'config/tollkeeper.yaml': 'timezone: UTC\n', 'config/jobs/a.yaml': jobs });
    expect(none.text).toContain('config/jobs/a.yaml:1:9: job a has no account');
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
});
