import { describe, expect, it } from 'vitest';
import { fieldsOf, profileOf } from '../../src/config/index.ts';
import { goodEnv, goodFiles, load, pullLogs, report } from './support/load.ts';

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
    expect(config?.settings.health).toEqual({ host: '0.0.0.0', port: 8080 });
    expect(config?.settings.status).toEqual({ enabled: true, host: '127.0.0.1', port: 8081, names: [] });
    expect(config?.settings.log.level).toBe('info');
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

  it('finds no job for names of prototype properties', async () => {
    const { config } = await load(goodFiles, goodEnv);
    expect(config?.jobs['constructor']).toBeUndefined();
  });

  it('overrides the observed export format of a gateway', async () => {
    const files = {
      'config/tollkeeper.yaml':
        'accounts:\n  a: { base_url: "https://g.example", admin_key: "${K}", gateway: { timestamps: naive, naive_zone: Asia/Shanghai, units_per_currency: 1000 } }\n',
    };
    const { config, text } = await load(files, { K: 'sk-admin-x' });
    expect(text).toBe('');
    const account = config?.settings.accounts['a'];
    expect(account && profileOf(account)).toEqual({
      timestamps: 'naive',
      naiveZone: 'Asia/Shanghai',
      amounts: 'auto',
      unitsPerCurrency: 1000,
      unitsStated: true,
      usageZone: 'UTC',
    });
  });

  it('supplies what the data of the log export cannot show', async () => {
    const files = {
      'config/tollkeeper.yaml': `accounts:
  a:
    base_url: "https://g.example"
    admin_key: "\${K}"
    gateway: { columns: { quota: charge }, kinds: { 扣费: consumption }, title_lines: 1, total_line: false, guards: true }
`,
    };
    const { config, text } = await load(files, { K: 'sk-admin-x' });
    expect(text).toBe('');
    const account = config?.settings.accounts['a'];
    expect(account && profileOf(account).logExport).toEqual({
      columns: { quota: 'charge' },
      kinds: { 扣费: 'consumption' },
      titleLines: 1,
      totalLine: false,
      guards: true,
    });
    const wrong = files['config/tollkeeper.yaml'].replace('quota:', 'qota:').replace('consumption', 'spend');
    const faults = (await load({ 'config/tollkeeper.yaml': wrong }, { K: 'sk-admin-x' })).text;
    expect(faults).toContain('did you mean "quota"?');
    expect(faults).toContain('gateway.kinds');
  });
});
