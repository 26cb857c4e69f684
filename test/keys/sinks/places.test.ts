import { describe, expect, it } from 'vitest';
import { createSink, type SinkSpec } from '../../../src/keys/index.ts';
import { locate, placeName, placesClash } from '../../../src/keys/sinks/places.ts';
import { approved, titled } from '../../support/approved.ts';
import { openSinkFixture, secretOf } from './support.ts';

const file = (path: string, holds: object = { kind: 'variable', name: 'KEY' }): SinkSpec =>
  ({ kind: 'file', path, holds }) as SinkSpec;
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
const aws = (field?: string): SinkSpec => ({
  kind: 'aws',
  secret: 'prod/{service}',
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
    expect(place({ kind: 'age', path: '/out/{service}.age', recipients: [] })).toBe('file:/out/billing.age');
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
      ['$(reboot)', { kind: 'command', argv: ['sh', '-c', 'put {service}'], env: [], timeout: 1 }],
      ['--delete', { kind: 'command', argv: ['put', '{service}'], env: [], timeout: 1 }],
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
    [
      'the whole file and a sealed one',
      file('/a', { kind: 'raw' }),
      { kind: 'age', path: '/a', recipients: [] },
      true,
    ],
    ['a variable and a value of JSON', file('/a'), file('/a', { kind: 'pointer', pointer: '/x' }), true],
    [
      'a value within another',
      file('/a', { kind: 'pointer', pointer: '/x' }),
      file('/a', { kind: 'pointer', pointer: '/x/y' }),
      true,
    ],
    [
      'two values of JSON',
      file('/a', { kind: 'pointer', pointer: '/x' }),
      file('/a', { kind: 'pointer', pointer: '/xy' }),
      false,
    ],
    ['one field', vault('a', 'k'), vault('a', 'k'), true],
    ['two fields', vault('a', 'k'), vault('a', 'k2'), false],
    [
      'a field and the whole',
      { ...aws('k'), secret: 'x' } as SinkSpec,
      { ...aws(), secret: 'x' } as SinkSpec,
      true,
    ],
    [
      'a program that is told whose key it is',
      { kind: 'command', argv: ['put'], env: [], timeout: 1 },
      { kind: 'command', argv: ['put'], env: [], timeout: 1 },
      false,
    ],
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
