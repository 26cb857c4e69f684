import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTown, type Town } from '../app/support/daemon.ts';
import { openKeyTown } from '../app/support/key-town.ts';
import { enableMetrics, scrape, seriesOf, valueOf } from './support/daemon-metrics.ts';
import { addMoney, money, sumMoney, type Money } from '../../src/core/index.ts';

const at = (moment: string): string => String(Date.parse(moment) / 1000);

const expectValues = (text: string, expected: Readonly<Record<string, string>>): void => {
  const found = Object.keys(expected).map((name) => [name, valueOf(text, name)]);
  expect(Object.fromEntries(found)).toEqual(expected);
};

describe('the metrics of a daemon', () => {
  it('are off by default', async () => {
    await using town = await openTown('2026-11-20T12:00:00Z');
    await town.jobs();
    const daemon = await town.serve();
    expect(await daemon.line({ message: 'serving' })).not.toHaveProperty('metrics');
  });

  it('show runs, watermarks, calls, rows, comparisons, mails, keys and memory', async () => {
    await using town = await openTown('2026-11-20T12:00:00Z');
    await enableMetrics(town);
    await town.jobs(
      'pull-logs: { kind: pull-logs, since: 2026-11-19, schedule: "7 * * * *" }',
      'snapshot: { kind: snapshot }',
      'rotate: { kind: rotate-keys, keys: { name: "*" }, every: 90d, suspend: true }',
      'daily: { kind: report, report: spend-summary, period: yesterday, mail: { to: [finance@example.com] } }',
    );
    const daemon = await town.serve();
    const first = await scrape(daemon);
    expect(
      valueOf(first, 'tollkeeper_job_last_success_timestamp_seconds{job_name="pull-logs",kind="pull-logs"}'),
    ).toBe(undefined);
    expect(
      valueOf(first, 'tollkeeper_job_next_run_timestamp_seconds{job_name="pull-logs",kind="pull-logs"}'),
    ).toBe(at('2026-11-20T12:07:00Z'));

    for (const job of ['pull-logs', 'snapshot', 'daily']) expect((await town.run('run', job)).code).toBe(0);
    await town.mails(daemon, 1);
    const text = await scrape(daemon);
    expectValues(text, {
      'tollkeeper_runs_total{kind="pull-logs",state="ok"}': '1',
      'tollkeeper_runs_total{kind="report",state="ok"}': '1',
      'tollkeeper_run_duration_seconds_count{kind="snapshot"}': '1',
      'tollkeeper_log_watermark_timestamp_seconds{account="main"}': at('2026-11-20T11:50:00Z'),
      'tollkeeper_job_watermark_timestamp_seconds{account="main",job_name="pull-logs"}':
        at('2026-11-20T11:50:00Z'),
      'tollkeeper_job_failed{job_name="pull-logs",kind="pull-logs"}': '0',
      'tollkeeper_job_outage{job_name="pull-logs",kind="pull-logs"}': '0',
      'tollkeeper_gateway_calls_total{endpoint="GET /api/user/self",outcome="ok"}': '1',
      'tollkeeper_outbox_messages{state="waiting"}': '0',
      'tollkeeper_mail_attempts_total{route="mail",outcome="sent"}': '1',
      'tollkeeper_reconciliation_difference{account="main",source="statistics",unit="USD"}': '0',
      'tollkeeper_reconciliation_bad{account="main",source="statistics"}': '0',
      'tollkeeper_rotations_overdue{account="main"}': '0',
      tollkeeper_config_faults: '0',
      process_start_time_seconds: at('2026-11-20T12:00:00Z'),
    });
    for (const series of [
      'tollkeeper_pulled_rows_total{job_name="pull-logs",kind="pull-logs"}',
      'tollkeeper_pulled_bytes_total{job_name="pull-logs",kind="pull-logs"}',
      'tollkeeper_database_memory_bytes',
      'tollkeeper_database_file_bytes',
      'process_resident_memory_bytes',
    ])
      expect(Number(valueOf(text, series))).toBeGreaterThan(0);
    const ages = seriesOf(text, 'tollkeeper_key_age_seconds');
    const limits = seriesOf(text, 'tollkeeper_key_age_limit_seconds');
    expect(ages.length).toBeGreaterThan(0);
    expect(limits).toHaveLength(ages.length);
    expect(valueOf(text, limits[0] ?? '')).toBe('7776000');
    expect(text).not.toContain('tollkeeper_metrics_errors_total{');
    expect(text).not.toContain('tollkeeper_metrics_series_dropped{');
  });

  it('show budgets as ratios, unknown ones without figures, and alerts that fire', async () => {
    await using town = await openTown('2026-11-20T12:00:00Z');
    await enableMetrics(
      town,
      `budgets:
  tiny: { amount: "0.01", forecast_thresholds: [] }
  large: { amount: "1000000" }
  free: { amount: "0", thresholds: ["1"], forecast_thresholds: [] }
  typo: { model: gtp-5, amount: 5 }
`,
    );
    await town.jobs(
      'pull-logs: { kind: pull-logs, since: 2026-11-01, schedule: "7 * * * *" }',
      'budgets: { kind: alert, needs: [pull-logs] }',
    );
    const daemon = await town.serve();
    expect(seriesOf(await scrape(daemon), 'tollkeeper_budget_use_ratio')).toEqual([]);
    expect((await town.run('run', 'budgets')).code).toBe(0);
    const text = await scrape(daemon);
    const value = (name: string, labels: string): number =>
      Number(valueOf(text, `${name}{account="main",${labels}}`));
    const spend = value('tollkeeper_budget_spend', 'budget="tiny",currency="USD"');
    expect(spend).toBeGreaterThan(0.01);
    expect(value('tollkeeper_budget_use_ratio', 'budget="tiny"')).toBeCloseTo(spend * 100, 6);
    expect(value('tollkeeper_budget_use_ratio', 'budget="large"')).toBeCloseTo(spend / 1_000_000, 12);
    expect(value('tollkeeper_budget_forecast_ratio', 'budget="large"')).toBeGreaterThan(spend / 1_000_000);
    expect(value('tollkeeper_budget_amount', 'budget="large",currency="USD"')).toBe(1_000_000);
    expect(value('tollkeeper_alert_firing', 'alert="tiny"')).toBe(1);
    expect(value('tollkeeper_alert_firing', 'alert="large"')).toBe(0);
    expect(value('tollkeeper_budget_unknown', 'budget="typo"')).toBe(1);
    const ratios = seriesOf(text, 'tollkeeper_budget_use_ratio').join(' ');
    expect(ratios).not.toContain('typo');
    expect(ratios).not.toContain('free');
  });

  it('show a failed job with its outage, and faults of a new configuration', async () => {
    await using town = await openTown('2026-11-20T12:00:00Z');
    await enableMetrics(town);
    const file = join(town.folder.path, 'config/tollkeeper.yaml');
    const config = await readFile(file, 'utf8');
    await writeFile(file, config.replace('"${GATEWAY_BASE_URL}"', 'http://127.0.0.1:9'));
    await town.jobs('snapshot: { kind: snapshot, schedule: "1 12 * * *", retries: { limit: 0 } }');
    const daemon = await town.serve();
    const before = await scrape(daemon);
    expect(valueOf(before, 'tollkeeper_job_failed{job_name="snapshot",kind="snapshot"}')).toBe('0');
    town.clock.advance(61_000);
    await daemon.line({ message: 'the run failed', job: 'snapshot' });
    await writeFile(file, 'accounts: 1\n');
    while (
      !daemon
        .lines()
        .some(({ message }) => message === 'the new configuration is invalid and was not applied')
    ) {
      town.clock.advance(3_500);
      await scrape(daemon);
    }
    const text = await scrape(daemon);
    expectValues(text, {
      'tollkeeper_job_failed{job_name="snapshot",kind="snapshot"}': '1',
      'tollkeeper_job_outage{job_name="snapshot",kind="snapshot"}': '1',
      'tollkeeper_runs_total{kind="snapshot",state="failed"}': '1',
      tollkeeper_config_faults: '1',
    });
    const calls = seriesOf(text, 'tollkeeper_gateway_calls_total');
    expect(calls).toContain(
      'tollkeeper_gateway_calls_total{endpoint="GET /api/user/self",outcome="gateway-unreachable"}',
    );
  });

  it('show the age and the limit of the key that consumers hold, and the stage of its rotation', async () => {
    await using town = await openKeyTown();
    await enableMetrics(town);
    const daemon = await town.serve();
    expect((await town.run('run', 'pull-logs')).code).toBe(0);
    expect((await town.run('keys', 'create', 'batch', '--job', 'rotate-prod', '--unlimited')).code).toBe(0);
    const age = async () =>
      valueOf(await scrape(daemon), 'tollkeeper_key_age_seconds{account="main",service="batch"}');
    expect(await age()).toBe('0');
    town.clock.advance(100_000);
    expect(await age()).toBe('100');
    expect((await town.run('keys', 'rotate', 'batch')).code).toBe(0);
    const text = await scrape(daemon);
    expect(valueOf(text, 'tollkeeper_key_age_seconds{account="main",service="batch"}')).toBe('0');
    expect(valueOf(text, 'tollkeeper_key_age_limit_seconds{account="main",service="batch"}')).toBe('2592000');
    expect(valueOf(text, 'tollkeeper_rotations{account="main",stage="current"}')).toBe('1');
    expect(valueOf(text, 'tollkeeper_gateway_calls_total{endpoint="POST /v1/embeddings",outcome="ok"}')).toBe(
      '2',
    );
  });
});

/** The exact spend of each team in a report on the period; keys of no team are under the name of the metric. */
const reported = async (town: Town, period: string): Promise<ReadonlyMap<string, Money>> => {
  const ran = await town.run('report', 'spend-summary', '--period', period, '--attach', 'csv');
  expect([ran.code, ran.code === 0 ? '' : ran.stderr]).toEqual([0, '']);
  const csv = await readFile(join(town.folder.path, 'out/spend-summary-teams.csv'), 'utf8');
  const rows = csv
    .trim()
    .split('\r\n')
    .slice(1)
    .map((row) => row.split(','));
  return new Map(
    rows.map(([team = '', spend = '']) => [team === '' ? '(none)' : team, money(spend)] as const),
  );
};

/** The spend of each team at `/metrics`. */
const shown = (text: string, period: string): ReadonlyMap<string, Money> =>
  new Map(
    seriesOf(text, 'tollkeeper_team_spend')
      .filter((series) => series.includes(`period="${period}"`))
      .map((series) => [/team="([^"]*)"/.exec(series)?.[1] ?? '', money(valueOf(text, series) ?? '')]),
  );

const total = (text: string, period: string): Money =>
  money(valueOf(text, `tollkeeper_spend{account="main",currency="USD",period="${period}"}`) ?? '');

it('the spend at /metrics equals that of the reports on the same days', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  await enableMetrics(
    town,
    'teams:\n  growth: { keys: ["growth-*"] }\n  search: { keys: ["search-*"] }\n  idle: { keys: ["nothing"] }\n',
  );
  await town.jobs('pull-logs: { kind: pull-logs, since: 2026-11-01, schedule: "7 * * * *" }');
  const daemon = await town.serve();
  expect(seriesOf(await scrape(daemon), 'tollkeeper_spend')).toEqual([]);
  expect((await town.run('run', 'pull-logs')).code).toBe(0);
  const text = await scrape(daemon);

  const yesterday = await reported(town, 'yesterday');
  expect([...yesterday.keys()].toSorted()).toEqual(['(none)', 'growth', 'search']);
  expect(shown(text, 'yesterday')).toEqual(yesterday);
  expect(total(text, 'yesterday')).toBe(sumMoney(yesterday.values()));

  // A report on the month ends with its last whole day.
  const before = await reported(town, 'month-to-date');
  const today = shown(text, 'today');
  const month = new Map(
    [...before].map(([team, spend]) => [team, addMoney(spend, today.get(team) ?? money('0'))]),
  );
  expect(shown(text, 'month')).toEqual(month);
  expect(total(text, 'month')).toBe(sumMoney(month.values()));
});
