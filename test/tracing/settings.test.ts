import { describe, expect, it } from 'vitest';
import { createSecretRegistry, silentLog, type LogFields } from '../../src/core/index.ts';
import { readSettings } from '../../src/tracing/index.ts';
import { openReceiver } from './support/receiver.ts';
import { startTraced } from './support/tracing-fixture.ts';

const endpoint = 'http://collector.example.com:4318';

const read = (env: Readonly<Record<string, string>>) => {
  const warnings: LogFields[] = [];
  const log = { ...silentLog, warn: (_: string, fields: LogFields = {}) => void warnings.push(fields) };
  return { settings: readSettings(env, createSecretRegistry(), log), warnings };
};

const addressOf = (env: Readonly<Record<string, string>>): string | undefined => read(env).settings?.url.href;

describe('the variables of OpenTelemetry', () => {
  it('switch traces on with an endpoint alone', () => {
    expect(read({}).settings).toBe(undefined);
    expect(read({ OTEL_SERVICE_NAME: 'billing', OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }).settings).toBe(undefined);
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).settings).toMatchObject({
      headers: {},
      timeout: 10_000,
      resource: { 'service.name': 'tollkeeper' },
      sampler: 'parentbased_always_on',
      ratio: 1,
    });
  });

  it.each([{ OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_TRACES_EXPORTER: 'none' }])(
    'switch traces off with %j',
    (off) => {
      expect(read({ ...off, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual({ warnings: [] });
    },
  );

  it('give the path of traces to the common endpoint, and leave that of traces as it is', () => {
    expect(addressOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toBe(`${endpoint}/v1/traces`);
    expect(addressOf({ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/otlp/` })).toBe(
      `${endpoint}/otlp/v1/traces`,
    );
    expect(
      addressOf({
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/in?tenant=1',
      }),
    ).toBe('https://traces.example.com/in?tenant=1');
  });

  it('of traces come before the common ones', () => {
    const { settings } = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=2, =3,c',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=4%204',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '700',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=test',
      OTEL_SERVICE_NAME: 'billing',
    });
    expect(settings).toMatchObject({
      headers: { a: '1', b: '4 4' },
      timeout: 700,
      resource: { 'service.name': 'billing', 'deployment.environment.name': 'test' },
    });
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is not an HTTP URL'],
    [
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://user:hidden@example.com' },
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT (host example.com) contains a user',
    ],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL is grpc'],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER is not a known sampler'],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG is not a number'],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' }, 'OTEL_EXPORTER_OTLP_TIMEOUT is not a number'],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER is zipkin'],
  ])('switch traces off with a warning if one is wrong: %j', (wrong, message) => {
    const { settings, warnings } = read({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...wrong });
    expect(settings).toBe(undefined);
    expect(warnings).toEqual([expect.objectContaining({ error: expect.stringContaining(message) })]);
    expect(JSON.stringify(warnings)).not.toContain('hidden');
  });

  it('name the resource of the spans', async () => {
    await using receiver = await openReceiver();
    const { tracing, measureCalls } = await startTraced({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/in?tenant=1`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=a%20b',
    });
    measureCalls(1);
    await tracing[Symbol.asyncDispose]();
    expect(receiver.posted[0]?.url).toBe('/in?tenant=1');
    expect(receiver.resource()).toMatchObject({
      'service.name': 'tollkeeper',
      'service.version': '1.2.3',
      'deployment.environment.name': 'a b',
    });
  });

  it.each([
    ['always_on', '', 1],
    ['always_off', '', 0],
    ['traceidratio', '0', 0],
    ['parentbased_traceidratio', '0', 0],
    ['parentbased_traceidratio', '1', 1],
    ['parentbased_always_off', '', 0],
  ])(
    'choose with the sampler %s and the argument “%s” which traces are sent',
    async (name, argument, sent) => {
      await using receiver = await openReceiver();
      const { tracing, measureCalls } = await startTraced({
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_TRACES_SAMPLER: name,
        OTEL_TRACES_SAMPLER_ARG: argument,
      });
      measureCalls(1);
      await tracing[Symbol.asyncDispose]();
      expect(receiver.spans()).toHaveLength(sent);
    },
  );
});
