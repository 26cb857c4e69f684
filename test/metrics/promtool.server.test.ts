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

const account = 'account="main"';
const growth = `${account}, budget="growth"`;
const [batch, young, unlimited] = ['batch', 'young', 'unlimited'].map(
  (name) => `${account}, service="${name}"`,
);
const [tokens, self] = ['token/', 'user/self'].map((path) => `endpoint="GET /api/${path}"`);

/** Series of some hours, by name and labels, and the labels of the alerts that fire in the end; without them, none does. */
const causes: readonly (readonly [
  alert: string,
  series: readonly (readonly [name: string, labels: string | undefined, values: string])[],
  fires?: string,
])[] = [
  ['StandsStill', [['tollkeeper_working', '', '0x600']], 'severity="critical"'],
  ['ReplicasDiffer', [['tollkeeper_replicas_different', '', '1x600']], 'severity="warning"'],
  ['Down', [['up', '', '0x600']], 'severity="critical"'],
  [
    'JobOutage',
    [['tollkeeper_job_outage', 'job_name="pull-logs", kind="pull-logs"', '1x600']],
    'severity="critical", job_name="pull-logs", kind="pull-logs"',
  ],
  [
    'DataLate',
    [['tollkeeper_log_watermark_timestamp_seconds', account, '0x600']],
    `severity="warning", ${account}`,
  ],
  [
    'BudgetForecast',
    [
      ['tollkeeper_budget_forecast_ratio', growth, '1.2x600'],
      ['tollkeeper_budget_use_ratio', growth, '0.7x600'],
    ],
    `severity="warning", ${growth}`,
  ],
  [
    'BudgetForecast',
    [
      ['tollkeeper_budget_forecast_ratio', growth, '1.2x600'],
      ['tollkeeper_budget_use_ratio', growth, '1x600'],
    ],
  ],
  [
    'KeyOld',
    [
      ['tollkeeper_key_age_seconds', batch, '5000000x600'],
      ['tollkeeper_key_age_limit_seconds', batch, '2592000x600'],
      ['tollkeeper_key_age_seconds', young, '2600000x600'],
      ['tollkeeper_key_age_limit_seconds', young, '2592000x600'],
      ['tollkeeper_key_age_seconds', unlimited, '9000000x600'],
    ],
    `severity="warning", ${batch}`,
  ],
  ['OutboxStuck', [['tollkeeper_outbox_messages', 'state="waiting"', '2x600']], 'severity="warning"'],
  ['OutboxStuck', [['tollkeeper_outbox_messages', 'state="waiting"', '2x510 0 2x600']]],
  [
    'GatewayErrors',
    [
      ['tollkeeper_gateway_calls_total', `${tokens}, outcome="ok"`, '0+1x600'],
      ['tollkeeper_gateway_calls_total', `${tokens}, outcome="gateway-failed"`, '0+3x600'],
      ['tollkeeper_gateway_calls_total', `${self}, outcome="ok"`, '0+3x600'],
    ],
    `severity="warning", ${tokens}`,
  ],
];

/** Names in `{job="a", kind="b"}`. */
const namesIn = (labels: string): string =>
  Array.from(labels.matchAll(/(\w+)="/g), ([, name = '']) => name).join(', ');

test('the alert rules fire for the series that they are about', async () => {
  await using folder = await openFolder();
  const content = {
    rule_files: [rules],
    evaluation_interval: '1m',
    tests: causes.map(([alert, series, fires = '']) => ({
      interval: '1m',
      input_series: series.map(([name, labels = '', values]) => ({
        series: `${name}{${[target, labels].filter((part) => part !== '').join(', ')}}`,
        values,
      })),
      promql_expr_test: [
        {
          eval_time: '9h',
          expr: `count by (${namesIn(fires)}) (ALERTS{alertname="Tollkeeper${alert}", alertstate="firing"})`,
          exp_samples: fires === '' ? [] : [{ labels: `{${fires}}`, value: 1 }],
        },
      ],
    })),
  };
  const file = await folder.write('rules-test.yaml', stringify(content));
  expect(await promtool(['test', 'rules', file])).toEqual([0, expect.stringContaining('SUCCESS')]);
});
