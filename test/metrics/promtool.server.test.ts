import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { expect, test } from 'vitest';
import { money } from '../../src/core/index.ts';
import { catalogue, metricNames, type GaugeName } from '../../src/metrics/catalogue.ts';
import type { Sample } from '../../src/metrics/index.ts';
import { hostileNames } from '../reports/hostile.ts';
import { openFolder } from '../support/program.ts';
import { openMetricsFixture } from './support/metrics-fixture.ts';

/** Runs promtool of Debian's package prometheus. */
const promtool = async (args: readonly string[], input = ''): Promise<readonly [unknown, string]> => {
  const child = spawn('promtool', args);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      output += piece.toString();
    });
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as readonly unknown[];
  return [code, output];
};

/** Samples of every gauge with these label values. */
const samplesOf = (values: readonly string[]): readonly Sample[] =>
  metricNames
    .filter((name): name is GaugeName => catalogue[name].type === 'gauge')
    .flatMap((name) =>
      values.map((value) => ({
        name,
        labels: Object.fromEntries(catalogue[name].labels.map((label) => [label, value])),
        value: money('-1234567.000000000001'),
      })),
    );

test('promtool finds no fault in metrics, also with hostile names', async () => {
  await using fixture = await openMetricsFixture({
    part: () =>
      Promise.resolve(samplesOf(['usual', ...hostileNames, 'a"} 1\nx 2', 'back\\slash', '\u0000\ud83d'])),
    broken: () => Promise.reject(new Error('unreadable')),
  });
  for (const name of ['usual', ...hostileNames]) {
    fixture.metrics.measure({ what: 'run-ended', kind: name, state: name, seconds: 0.25 });
    fixture.metrics.measure({ what: 'pulled', job: name, kind: name, rows: 1, bytes: 1e21 });
    fixture.metrics.measure({
      what: 'gateway-call',
      endpoint: name,
      origin: 'https://gateway.example.com',
      outcome: name,
      seconds: 1e-7,
    });
    fixture.metrics.measure({ what: 'mail-attempt', route: name, outcome: name });
  }
  const { text } = await fixture.ask();
  for (const name of metricNames) expect(text).toMatch(new RegExp(`^${name}(_bucket)?[{ ]`, 'm'));
  expect(await promtool(['check', 'metrics'], text)).toEqual([0, '']);
});

const rules = fileURLToPath(new URL('../../config/monitoring/rules.yaml', import.meta.url));

test('promtool finds no fault in the alert rules', async () => {
  const [code, output] = await promtool(['check', 'rules', '--lint=all', '--lint-fatal', rules]);
  expect([code, output]).toEqual([0, expect.stringContaining('SUCCESS')]);
});

const target = 'job="tollkeeper", instance="tollkeeper:9464"';

/** Series of some hours, and the labels of the alerts that fire in the end. */
const causes: readonly {
  readonly alert: string;
  readonly series: Readonly<Record<string, string>>;
  /** As PromQL writes labels; without them, no alert fires. */
  readonly fires?: string;
}[] = [
  {
    alert: 'TollkeeperStandsStill',
    series: { [`tollkeeper_working{${target}}`]: '0x600' },
    fires: '{severity="critical"}',
  },
  {
    alert: 'TollkeeperReplicasDiffer',
    series: { [`tollkeeper_replicas_different{${target}}`]: '1x600' },
    fires: '{severity="warning"}',
  },
  { alert: 'TollkeeperDown', series: { [`up{${target}}`]: '0x600' }, fires: '{severity="critical"}' },
  {
    alert: 'TollkeeperJobOutage',
    series: { [`tollkeeper_job_outage{${target}, job_name="pull-logs", kind="pull-logs"}`]: '1x600' },
    fires: '{severity="critical", job_name="pull-logs", kind="pull-logs"}',
  },
  {
    alert: 'TollkeeperDataLate',
    series: { [`tollkeeper_log_watermark_timestamp_seconds{${target}, account="main"}`]: '0x600' },
    fires: '{severity="warning", account="main"}',
  },
  {
    alert: 'TollkeeperBudgetForecast',
    series: {
      [`tollkeeper_budget_forecast_ratio{${target}, account="main", budget="growth"}`]: '1.2x600',
      [`tollkeeper_budget_use_ratio{${target}, account="main", budget="growth"}`]: '0.7x600',
    },
    fires: '{severity="warning", account="main", budget="growth"}',
  },
  {
    alert: 'TollkeeperBudgetForecast',
    series: {
      [`tollkeeper_budget_forecast_ratio{${target}, account="main", budget="growth"}`]: '1.2x600',
      [`tollkeeper_budget_use_ratio{${target}, account="main", budget="growth"}`]: '1x600',
    },
  },
  {
    alert: 'TollkeeperKeyOld',
    series: {
      [`tollkeeper_key_age_seconds{${target}, account="main", service="batch"}`]: '5000000x600',
      [`tollkeeper_key_age_limit_seconds{${target}, account="main", service="batch"}`]: '2592000x600',
      [`tollkeeper_key_age_seconds{${target}, account="main", service="young"}`]: '2600000x600',
      [`tollkeeper_key_age_limit_seconds{${target}, account="main", service="young"}`]: '2592000x600',
      [`tollkeeper_key_age_seconds{${target}, account="main", service="unlimited"}`]: '9000000x600',
    },
    fires: '{severity="warning", account="main", service="batch"}',
  },
  {
    alert: 'TollkeeperOutboxStuck',
    series: { [`tollkeeper_outbox_messages{${target}, state="waiting"}`]: '2x600' },
    fires: '{severity="warning"}',
  },
  {
    alert: 'TollkeeperOutboxStuck',
    series: { [`tollkeeper_outbox_messages{${target}, state="waiting"}`]: '2x510 0 2x600' },
  },
  {
    alert: 'TollkeeperGatewayErrors',
    series: {
      [`tollkeeper_gateway_calls_total{${target}, endpoint="GET /api/token/", outcome="ok"}`]: '0+1x600',
      [`tollkeeper_gateway_calls_total{${target}, endpoint="GET /api/token/", outcome="gateway-failed"}`]:
        '0+3x600',
      [`tollkeeper_gateway_calls_total{${target}, endpoint="GET /api/user/self", outcome="ok"}`]: '0+3x600',
    },
    fires: '{severity="warning", endpoint="GET /api/token/"}',
  },
];

/** Names in `{job="a", kind="b"}`. */
const namesIn = (labels: string): string =>
  Array.from(labels.matchAll(/(\w+)="/g), ([, name = '']) => name).join(', ');

test('the alert rules fire for the series that they are about', async () => {
  await using folder = await openFolder();
  const content = {
    rule_files: [rules],
    evaluation_interval: '1m',
    tests: causes.map(({ alert, series, fires = '' }) => ({
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        {
          eval_time: '9h',
          expr: `count by (${namesIn(fires)}) (ALERTS{alertname="${alert}", alertstate="firing"})`,
          exp_samples: fires === '' ? [] : [{ labels: fires, value: 1 }],
        },
      ],
    })),
  };
  const file = await folder.write('rules-test.yaml', stringify(content));
  expect(await promtool(['test', 'rules', file])).toEqual([0, expect.stringContaining('SUCCESS')]);
});
