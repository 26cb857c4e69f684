import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { money } from '../../src/core/index.ts';
import { catalogue, metricNames, type GaugeName } from '../../src/metrics/catalogue.ts';
import type { Sample } from '../../src/metrics/index.ts';
import { hostileNames } from '../reports/hostile.ts';
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
    fixture.metrics.measure({ what: 'gateway-call', endpoint: name, outcome: name, seconds: 1e-7 });
    fixture.metrics.measure({ what: 'mail-attempt', route: name, outcome: name });
  }
  const { text } = await fixture.ask();
  for (const name of metricNames) expect(text).toMatch(new RegExp(`^${name}(_bucket)?[{ ]`, 'm'));
  expect(await promtool(['check', 'metrics'], text)).toEqual([0, '']);
});

test('promtool finds no fault in the alert rules', async () => {
  const rules = fileURLToPath(new URL('../../config/monitoring/rules.yaml', import.meta.url));
  const [code, output] = await promtool(['check', 'rules', '--lint=all', '--lint-fatal', rules]);
  expect([code, output]).toEqual([0, expect.stringContaining('SUCCESS')]);
});
