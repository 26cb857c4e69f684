import { expect, it } from 'vitest';
import { openReceiver } from '../tracing/support/receiver.ts';
import { buildProgram } from './support/built-program.ts';
import { openFixture, yearly } from './support/fixture.ts';

it('the built program sends the trace of a run and its calls', async () => {
  await using program = await buildProgram();
  await using fixture = await openFixture(program);
  await using receiver = await openReceiver();
  Object.assign(fixture.env, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SERVICE_NAME: 'spend' });
  await fixture.jobs(`snapshot: { kind: snapshot, schedule: "${yearly()}" }`);
  const { code, stderr } = await fixture.command('run', 'snapshot');
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('traces')]);
  const [run, ...others] = receiver.spans().toSorted((one, other) => one.kind - other.kind);
  expect(run).toMatchObject({ name: 'run snapshot', attributes: { 'tollkeeper.run.state': 'ok' } });
  expect(others.length).toBeGreaterThan(1);
  for (const call of others) expect(call).toMatchObject({ parentSpanId: run?.spanId, traceId: run?.traceId });
  expect(receiver.resource()).toMatchObject({ 'service.name': 'spend' });
});
