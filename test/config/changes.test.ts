import { describe, expect, it } from 'vitest';
import { describeChanges, type Config } from '../../src/config/index.ts';
import { approved, titled } from '../support/approved.ts';
import { goodEnv, goodFiles, goodJobs, goodSettings, load, type Files } from './support/load.ts';

const configOf = async (files: Files, env: Readonly<Record<string, string>> = goodEnv): Promise<Config> => {
  const { config, text } = await load(files, env);
  if (config === undefined) throw new Error(text);
  return config;
};

type Edit = readonly [from: string | RegExp, to: string];

const edited = (edits: readonly Edit[]): Files => {
  const texts = { settings: goodSettings, jobs: goodJobs };
  for (const [from, to] of edits) {
    const before = { ...texts };
    texts.settings = texts.settings.replace(from, () => to);
    texts.jobs = texts.jobs.replace(from, () => to);
    if (before.settings === texts.settings && before.jobs === texts.jobs) throw new Error(`no ${from}`);
  }
  return { 'config/tollkeeper.yaml': texts.settings, 'config/jobs/spend.yaml': texts.jobs };
};

const changed: readonly (readonly [what: string, ...edits: readonly Edit[]])[] = [
  ['nothing'],
  ['a remark', ['jobs:', '# a remark\njobs:']],
  [
    'the same in other words',
    ['30m', '1800s'],
    ['schedule: "7 * * * *", ', 'schedule: "7 * * * *", catchup: latest, '],
  ],
  ['a job that is added', ['jobs:', 'jobs:\n  more: { kind: pull-logs, since: 2025-01-01 }']],
  ['a job that is removed', [/^ {2}pull-usage.*\n/m, '']],
  ['a schedule that is removed', ['    schedule: "0 8 * * *"\n', '']],
  ['a span of time', ['30m', '1h30m']],
  ['a key within a key', ['timeout: 30m', 'timeout: 30m\n    retries: { limit: 5, initial: 90s }']],
  ['a key that has no default', ['timeout: 30m', 'timeout: 30m\n    starting_deadline: 2h']],
  ['a list', ['[pull-logs]', '[pull-logs, pull-usage]']],
  ['a kind', ['kind: pull-usage,', 'kind: pull-logs,'], [', group_by: [model, token], granularity: day', '']],
  ['the zone of all jobs', ['timezone: Europe/Berlin', 'timezone: UTC']],
  ['the zone of one job', ['timezone: Asia/Shanghai', 'timezone: UTC']],
  ['a sender', ['reports@example.com', 'spend@example.com']],
  ['an account', ['currency: USD', 'currency: CNY']],
  [
    'an account that is added',
    [
      'accounts:',
      'accounts:\n  old.one: { base_url: "https://g.example", admin_key: "${GATEWAY_ADMIN_KEY}" }',
    ],
    ['since: 2025-01-01, lag', 'account: main, since: 2025-01-01, lag'],
    ['granularity: day', 'account: main'],
    ['period: yesterday', 'account: main'],
  ],
  ['a budget', ['500', '750.5']],
  ['a budget that is removed', [', budget: { month: 500 }', '']],
  ['a team that is removed', [/^ {2}growth.*\n/m, '']],
  [
    'what takes effect at the next start, beside a job',
    ['memory_limit: 1GB', 'memory_limit: 2GB, threads: 4'],
    [
      'warehouse:',
      'health: { port: 9090 }\nstatus: { names: [a.example] }\nmetrics: { enabled: true }\nwarehouse:',
    ],
    ['30m', '20m'],
  ],
];

describe('a change in a reload', () => {
  it('is described, and marked when it takes effect only at the next start', async () => {
    const before = await configOf(goodFiles);
    const texts: [what: string, text: string][] = [];
    for (const [what, ...edits] of changed) {
      const { changes, atNextStart } = describeChanges(before, await configOf(edited(edits)));
      texts.push([
        what,
        [...changes, ...atNextStart.map((text) => `(at the next start) ${text}`)].join('\n'),
      ]);
    }
    await expect(titled(texts)).toMatchFileSnapshot(approved('config/changes'));
  });

  it('is reported for a job without its own zone when the default zone changes', async () => {
    const own: Edit = ['schedule: "7 * * * *",', 'schedule: "7 * * * *", timezone: Europe/Berlin,'];
    const before = await configOf(edited([own]));
    const after = await configOf(edited([own, ['timezone: Europe/Berlin', 'timezone: UTC']]));
    expect(describeChanges(before, after).changes).toEqual(['timezone "Europe/Berlin" → "UTC"']);
  });

  it('is reported for certificates replaced under the same path', async () => {
    const files = edited([['currency: USD', 'tls: { ca: ca.pem }']]);
    const before = await configOf({ ...files, 'ca.pem': '-----BEGIN CERTIFICATE-----\nold' });
    const after = await configOf({ ...files, 'ca.pem': '-----BEGIN CERTIFICATE-----\nnew' });
    expect(describeChanges(before, before).changes).toEqual([]);
    expect(describeChanges(before, after).changes).toEqual([
      'account main: tls.ca: the certificates in its file changed',
    ]);
  });
});

describe('a referenced or secret value', () => {
  const planted = 'planted-s3cret-value';
  const files = edited([
    ['period: yesterday', 'period: "${P}"\n    heartbeat_url: "https://hc.example/${H}"'],
    ['[finance@example.com]', '[finance@example.com, "${P}@example.com"]'],
    ['memory_limit: 1GB', 'temp_directory: "/tmp/${P}"'],
  ]);
  const before = { ...goodEnv, P: 'before', H: 'before-of-h' };

  it('is named in a change and never shown', async () => {
    const after = {
      GATEWAY_BASE_URL: `https://${planted}.example.com`,
      GATEWAY_ADMIN_KEY: planted,
      SMTP_URL: `smtp://u:${planted}@mail.example.com`,
      P: planted,
      H: planted,
    };
    const changes = describeChanges(await configOf(files, before), await configOf(files, after));
    expect(changes).toEqual({
      changes: [
        'mail.smtp changed',
        'account main: base_url changed',
        'account main: admin_key changed',
        'job daily-spend: heartbeat_url changed',
        'job daily-spend: period changed',
        'job daily-spend: mail.to changed',
      ],
      atNextStart: ['warehouse.temp_directory changed'],
    });
    expect(JSON.stringify(changes)).not.toContain(planted);
    expect(JSON.stringify(changes)).not.toContain('before');
  });

  it('is compared by value, so that the same value from another source is no change', async () => {
    const elsewhere = edited([['${GATEWAY_ADMIN_KEY}', '${file:/run/secrets/key}']]);
    const config = await configOf({ ...elsewhere, '/run/secrets/key': `${goodEnv.GATEWAY_ADMIN_KEY}\n` });
    expect(describeChanges(await configOf(goodFiles), config)).toEqual({ changes: [], atNextStart: [] });
  });

  it('is not shown when it is added, removed or replaced by a literal value', async () => {
    const plain = edited([
      ['timeout: 30m', 'timeout: 30m\n    heartbeat_url: https://hc.example/written-out-uuid'],
    ]);
    const [with_, without] = [await configOf(plain), await configOf(goodFiles)];
    expect(describeChanges(without, with_).changes).toEqual(['job daily-spend: heartbeat_url added']);
    expect(describeChanges(with_, without).changes).toEqual(['job daily-spend: heartbeat_url removed']);
    const referred = edited([['yesterday', '${P}']]);
    expect(describeChanges(without, await configOf(referred, { ...goodEnv, P: planted })).changes).toEqual([
      'job daily-spend: period changed',
    ]);
  });
});
