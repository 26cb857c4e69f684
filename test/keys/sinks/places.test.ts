import { describe, expect, it } from 'vitest';
import { createSink, type SinkSpec, sinkSettings, thenSettings } from '../../../src/keys/index.ts';
import { locate, placeName, placesClash } from '../../../src/keys/sinks/places.ts';
import { approved, titled } from '../../support/approved.ts';
import { openSinkFixture, secretOf, delivery } from './support.ts';
import { z } from 'zod';

const file = (path: string, holds: object = { kind: 'variable', name: 'KEY' }): SinkSpec =>
  ({ kind: 'file', path, holds }) as SinkSpec;
const pointer = (at: string): SinkSpec => file('/a', { kind: 'pointer', pointer: at });
const command = (...argv: readonly string[]): SinkSpec => ({ kind: 'command', argv, env: [], timeout: 1 });
const vault = (path: string, field: string): SinkSpec => ({
  kind: 'vault',
  address: 'https://vault.example.com',
  mount: 'secret',
  path,
  field,
  token: { token: secretOf('hvs.abcdefghijklmnop') },
});
const webhook: SinkSpec = {
  kind: 'webhook',
  url: secretOf('https://hooks.example.com/t/very-secret-part/{service}?x={account}'),
  secret: secretOf('a-long-signing-secret'),
};
const kubernetes: SinkSpec = { kind: 'kubernetes', secret: '{service}-keys', key: 'KEY', rollout: [] };
const age = (path: string): SinkSpec => ({ kind: 'age', path, recipients: [] });
const aws = (field?: string, secret = 'prod/{service}'): SinkSpec => ({
  kind: 'aws',
  secret,
  region: 'eu-central-1',
  ...(field === undefined ? {} : { field }),
});

const names = (service: string, account = 'main') => ({ account, service });
const place = (spec: SinkSpec, service = 'billing') =>
  placeName(locate(spec, names(service), '/srv/toll').place);

describe('the location of a sink', () => {
  it('is the same at every start, and contains no secret', () => {
    expect(place(file('{account}/{service}.env'))).toBe('file:/srv/toll/main/billing.env#KEY');
    expect(place(file('/a.json', { kind: 'pointer', pointer: '/{service}/k' }), 'a/b~c')).toBe(
      'file:/a.json#/a~1b~0c/k',
    );
    expect(place(vault('apps/{service}', 'key'))).toBe(
      'vault:https://vault.example.com/secret/apps/billing#key',
    );
    expect(place(kubernetes)).toBe('kubernetes://billing-keys#KEY');
    expect(place(aws('key'))).toBe('aws:eu-central-1/prod/billing#key');
    expect(place(age('/out/{service}.age'))).toBe('file:/out/billing.age');
    expect(place(webhook)).toMatch(/^webhook:main\/billing:hooks\.example\.com~[0-9a-f]{12}$/);
  });

  it('rejects names of services that lead elsewhere or that the place does not allow', async () => {
    const rows: readonly (readonly [string, SinkSpec])[] = [
      ['../../etc/passwd', file('/secrets/{service}.env')],
      ['a\\b', file('/secrets/{service}.env')],
      ['..', file('/secrets/{service}/key')],
      ['.', file('/secrets/{service}{service}/key')],
      ['', file('/secrets/{service}.env')],
      ['a\nb', file('/secrets/{service}.env')],
      ['a\u0000b', file('/secrets/{service}.env')],
      ['my-app', file('/secrets/a.env', { kind: 'variable', name: 'KEY_{service}' })],
      ['a\nB=1', file('/secrets/a.env', { kind: 'variable', name: 'KEY_{service}' })],
      ['..', vault('apps/{service}/x', 'key')],
      ['a/b', vault('apps/{service}', 'key')],
      ['../b', webhook],
      ['Billing', kubernetes],
      ['a b', aws()],
      ['$(reboot)', command('sh', '-c', 'put {service}')],
      ['--delete', command('put', '{service}')],
      ['a', { ...webhook, url: secretOf('https://{service}.example.com/x') }],
    ];
    const refusals = rows.map(([service, spec]) => {
      try {
        return [JSON.stringify(service), placeName(locate(spec, names(service), '/').place)] as const;
      } catch (error) {
        expect(error).toMatchObject({ code: 'sink-refused' });
        return [`${spec.kind}: ${JSON.stringify(service)}`, String(error)] as const;
      }
    });
    await expect(titled(refusals)).toMatchFileSnapshot(approved('keys/sink-names'));
  });

  it('accepts names that only look like placeholders as they are', () => {
    expect(place(file('/{service}.env'), '{account}')).toBe('file:/{account}.env#KEY');
    expect(place(file('/${HOME}/{other}/{service}.env'))).toBe('file:/${HOME}/{other}/billing.env#KEY');
  });

  it('is https for secrets', async () => {
    await using fixture = await openSinkFixture();
    const open = { ...webhook, url: secretOf('http://hooks.example.com/x') };
    expect(() => createSink(open, names('a'), fixture.deps)).toThrow('not https');
    const plain = { ...vault('a', 'b'), address: 'http://vault.example.com' } as SinkSpec;
    expect(() => createSink(plain, names('a'), fixture.deps)).toThrow('not https');
  });
});

describe('services with the same location', () => {
  const clash = (...services: readonly (readonly [string, ...SinkSpec[]])[]) =>
    placesClash(
      services.map(([service, ...sinks]) => ({ ...names(service), sinks })),
      '/data',
    ).map((one) => [one.place, one.services.map(({ service }) => service)]);

  it.each<[string, SinkSpec, SinkSpec, boolean]>([
    ['one variable', file('/a.env'), file('/a.env'), true],
    ['two variables of a file', file('/a.env'), file('/a.env', { kind: 'variable', name: 'KEY2' }), false],
    ['one path written in two ways', file('b/../a.env'), file('/data/a.env'), true],
    ['a variable and the whole file', file('/a.env'), file('/a.env', { kind: 'raw' }), true],
    ['the whole file and a sealed one', file('/a', { kind: 'raw' }), age('/a'), true],
    ['a variable and a value of JSON', file('/a'), pointer('/x'), true],
    ['a value within another', pointer('/x'), pointer('/x/y'), true],
    ['two values of JSON', pointer('/x'), pointer('/xy'), false],
    ['one field', vault('a', 'k'), vault('a', 'k'), true],
    ['two fields', vault('a', 'k'), vault('a', 'k2'), false],
    ['a field and the whole', aws('k', 'x'), aws(undefined, 'x'), true],
    ['a program that is told whose key it is', command('put'), command('put'), false],
  ])('are detected: %s', (_, left, right, shared) => {
    expect(clash(['a', left], ['b', right])).toHaveLength(shared ? 1 : 0);
    expect(clash(['b', right], ['a', left])).toHaveLength(shared ? 1 : 0);
  });

  it('are all named with the location, and a placeholder keeps them apart', () => {
    expect(clash(['a', file('/x')], ['b', file('/x')], ['c', file('/x'), file('/y')])).toEqual([
      ['file:/x#KEY', ['a', 'b', 'c']],
    ]);
    expect(clash(['a', file('/x'), file('/x')])).toEqual([['file:/x#KEY', ['a', 'a']]]);
    expect(clash(['a', file('/{service}.env')], ['b', file('/{service}.env')])).toEqual([]);
  });
});

const deliverShape = z.array(sinkSettings).min(1);

const recipient = 'age1th4qn8xsqsfw7975g782t030rweykt8yee4gywjq4ftl2qng23hq3pczvj';

const written = {
  variable: { file: { path: '/secrets/{service}.env', variable: 'GATEWAY_API_KEY' } },
  pointer: { file: { path: 'app.json', pointer: '/gateway/api_key', mode: '0640' } },
  raw: { file: { path: '/run/key', raw: true } },
  command: {
    command: { run: ['put', '{service}'], read: ['get', '{service}'], env: ['STORE'], timeout: '30s' },
  },
  webhook: { webhook: { url: 'https://hooks.example.com/{service}', secret: 'whsec-0123456789' } },
  vault: {
    vault: { address: 'https://vault.example.com', path: 'apps/{service}', field: 'key', token_file: '/t' },
  },
  kubernetes: { kubernetes: { secret: 'keys', key: '{service}', rollout: ['deployment/{service}'] } },
  cluster: {
    kubernetes: { secret: 'keys', key: 'k', cluster: { server: 'https://k8s.example.com', token: 'abc' } },
  },
  aws: { aws: { secret: 'prod/{service}', access_key_id: 'AKIA', secret_access_key: 'wJalr' } },
  age: { age: { path: '/out/{service}.age', recipients: [recipient] } },
};

describe('deliver of a job', () => {
  it('accepts each kind of sink as written in YAML, and a sink is created from it', async () => {
    await using fixture = await openSinkFixture();
    const specs = deliverShape.parse(Object.values(written));
    const places = specs.map((spec) => createSink(spec, delivery, fixture.deps).place);
    expect(new Set(places).size).toBe(places.length);
    expect(places.slice(0, 3)).toEqual([
      'file:/secrets/billing.env#GATEWAY_API_KEY',
      `file:${fixture.folder}/app.json#/gateway/api_key`,
      'file:/run/key',
    ]);
    expect(specs[1]).toMatchObject({ mode: 0o640 });
    expect(specs[3]).toMatchObject({ kind: 'command', argv: ['put', '{service}'], timeout: 30_000 });
    expect(specs[5]).toMatchObject({ mount: 'secret', token: { tokenFile: '/t' } });
    expect(specs[6]).toMatchObject({ rollout: [{ kind: 'deployment', name: '{service}' }] });
    expect(JSON.stringify(specs)).not.toMatch(/whsec|wJalr|abc"/);
  });

  it.each<[string, object]>([
    ['no kind', {}],
    ['two kinds', { ...written.raw, ...written.age }],
    ['two parts of a file', { file: { path: 'a', raw: true, variable: 'A' } }],
    ['no part of a file', { file: { path: 'a' } }],
    ['a mode for everybody', { file: { path: 'a', raw: true, mode: '0644' } }],
    ['no program', { command: { run: [] } }],
    [
      'a web address without TLS',
      { webhook: { ...written.webhook.webhook, url: 'http://hooks.example.com/' } },
    ],
    ['Vault without TLS', { vault: { ...written.vault.vault, address: 'http://vault.example.com' } }],
    ['two tokens', { vault: { ...written.vault.vault, token: 'hvs' } }],
    ['half of the credentials', { aws: { secret: 'a', access_key_id: 'AKIA' } }],
    ['a recipient that is an identity', { age: { path: 'a', recipients: ['AGE-SECRET-KEY-1ABC'] } }],
    ['a workload of no kind', { kubernetes: { secret: 'a', key: 'b', rollout: ['pod/x'] } }],
  ])('rejects a sink with %s', (_, sink) => {
    expect(deliverShape.safeParse([sink]).success).toBe(false);
  });

  it('has a JSON Schema, and so has the command after it', () => {
    const schema = [deliverShape, thenSettings]
      .map((shape) => JSON.stringify(z.toJSONSchema(shape, { io: 'input' })))
      .join();
    expect(schema).toContain('token_file');
    expect(thenSettings.parse({ command: ['systemctl', 'reload', 'billing'] })).toEqual({
      argv: ['systemctl', 'reload', 'billing'],
      env: [],
      timeout: 60_000,
    });
  });
});
