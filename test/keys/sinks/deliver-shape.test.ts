import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSink, sinkSettings, thenSettings } from '../../../src/keys/index.ts';
import { delivery, openSinkFixture } from './support.ts';

const deliverShape = z.array(sinkSettings).min(1);

const age = 'age1th4qn8xsqsfw7975g782t030rweykt8yee4gywjq4ftl2qng23hq3pczvj';

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
  age: { age: { path: '/out/{service}.age', recipients: [age] } },
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
      { webhook: { url: 'http://hooks.example.com/', secret: 'whsec-0123456789' } },
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
