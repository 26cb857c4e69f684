import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTown, type Town } from '../daemon/support/daemon.ts';
import { askPort } from './support/metrics-fixture.ts';

const enable = async ({ folder }: Town, more = ''): Promise<void> => {
  const config = await readFile(join(folder.path, 'config/tollkeeper.yaml'), 'utf8');
  await folder.write('config/tollkeeper.yaml', `${config}metrics: { enabled: true, port: 0${more} }\n`);
};

const portOf = (address: unknown): number => Number(/:(\d+)$/.exec(String(address))?.[1]);

/** The value of a series, as text. */
const valueOf = (text: string, series: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${series} `))
    ?.slice(series.length + 1);

const at = (moment: string): string => String(Date.parse(moment) / 1000);

describe('the metrics of a daemon', () => {
  it('are off by default', async () => {
    await using town = await openTown('2026-11-20T12:00:00Z');
    await town.jobs();
    const daemon = await town.serve();
    expect(await daemon.line({ message: 'serving' })).not.toHaveProperty('metrics');
  });

  it('show runs, watermarks, calls, rows, comparisons, mails, keys and memory', async () => {
    await using town = await openTown('2026-11-20T12:00:00Z');
    await enable(town);
    await town.jobs(
      'pull-logs: { kind: pull-logs, since: 2026-11-19, schedule: "7 * * * *" }',
      'snapshot: { kind: snapshot }',
      'rotate: { kind: rotate-keys, keys: { name: "*" }, every: 90d, suspend: true }',
      'daily: { kind: report, report: spend-summary, period: yesterday, mail: { to: [finance@example.com] } }',
    );
    const daemon = await town.serve();
    const port = portOf((await daemon.line({ message: 'serving' }))['metrics']);
    const first = (await askPort(port)).text;
    expect(
      valueOf(first, 'tollkeeper_job_last_success_timestamp_seconds{job_name="pull-logs",kind="pull-logs"}'),
    ).toBe(undefined);
    expect(
      valueOf(first, 'tollkeeper_job_next_run_timestamp_seconds{job_name="pull-logs",kind="pull-logs"}'),
    ).toBe(at('2026-11-20T12:07:00Z'));

    for (const job of ['pull-logs', 'snapshot', 'daily']) expect((await town.run('run', job)).code).toBe(0);
    await town.mails(daemon, 1);
    const { text } = await askPort(port);
    const expected: Readonly<Record<string, string>> = {
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
    };
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, valueOf(text, name)]))).toEqual(
      expected,
    );
    for (const series of [
      'tollkeeper_pulled_rows_total{job_name="pull-logs",kind="pull-logs"}',
      'tollkeeper_pulled_bytes_total{job_name="pull-logs",kind="pull-logs"}',
      'tollkeeper_database_memory_bytes',
      'tollkeeper_database_file_bytes',
      'process_resident_memory_bytes',
    ])
      expect(Number(valueOf(text, series))).toBeGreaterThan(0);
    const ages = text.split('\n').filter((line) => line.startsWith('tollkeeper_key_age_seconds{'));
    const limits = text.split('\n').filter((line) => line.startsWith('tollkeeper_key_age_limit_seconds{'));
    expect(ages.length).toBeGreaterThan(0);
    expect(limits).toHaveLength(ages.length);
    expect(limits[0]).toMatch(/ 7776000$/);
    expect(text).not.toContain('tollkeeper_metrics_errors_total{');
    expect(text).not.toContain('tollkeeper_metrics_series_dropped{');
  });
});
