import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { VaultSpec } from '../../../src/keys/sinks/vault/settings.ts';
import type { Asked } from '../../notify/support/web-server.ts';
import {
  delivery,
  key,
  never,
  older,
  openSinkFixture,
  plaintext,
  secretOf,
  sha,
  thrownBy,
  serve,
  type Fake,
  type Reply,
} from './support.ts';

const token = 'hvs.CAESIJ2kT0pSecretToken';

type Kv = { version: number; data: string | undefined; deleted: boolean; engine: string; may: string[] };

const errors = (status: number, ...list: string[]): Reply => ({ status, body: { errors: list } });

/** Answers as the API of KV version 2 is documented; the data is JSON text, so that it can be compared as written. */
const openVault = async (kv: Partial<Kv> = {}, between: (state: Kv) => void = () => undefined) => {
  const state: Kv = {
    version: 0,
    data: undefined,
    deleted: false,
    engine: '2',
    may: ['create', 'read', 'update'],
    ...kv,
  };
  const metadata = () =>
    `{"created_time":"2026-01-01T00:00:00Z","deletion_time":"${state.deleted ? '2026-01-02T00:00:00Z' : ''}","destroyed":false,"version":${state.version}}`;
  const data = ({ method, body }: Asked): Reply => {
    if (method === 'GET') {
      const answer = {
        version: state.version,
        deleted: state.deleted,
        text: `{"request_id":"1","data":{"data":${state.deleted ? 'null' : (state.data ?? 'null')},"metadata":${metadata()}}}`,
      };
      between(state);
      if (answer.version === 0) return errors(404);
      return { status: answer.deleted ? 404 : 200, body: answer.text };
    }
    const cas = /^\{"options":\{"cas":(\d+)\},"data":(.*)\}$/s.exec(body);
    if (cas?.[1] !== String(state.version))
      return errors(400, 'check-and-set parameter did not match the current version');
    Object.assign(state, { version: state.version + 1, data: cas[2], deleted: false });
    return { status: 200, body: `{"data":${metadata()}}` };
  };
  const fake = await serve((seen) => {
    if (seen.headers['x-vault-token'] !== token)
      return errors(403, 'permission denied', `bad token ${String(seen.headers['x-vault-token'])}`);
    if (seen.path === '/v1/team%20a/data/apps/billing') return data(seen);
    if (seen.path === '/v1/sys/capabilities-self')
      return { status: 200, body: { capabilities: state.may, 'team a/data/apps/billing': state.may } };
    if (seen.path === '/v1/sys/internal/ui/mounts/team%20a')
      return { status: 200, body: { data: { type: 'kv', options: { version: state.engine } } } };
    return errors(404);
  });
  return { fake, state };
};

const spec = ({ url }: Fake, change: Partial<VaultSpec> = {}): VaultSpec => ({
  kind: 'vault',
  address: url,
  mount: 'team a',
  path: 'apps/{service}',
  field: 'api_key',
  token: { token: secretOf(token) },
  ...change,
});

const others = '"n": 12345678901234567890, "f": 1.0, "other": "é"';

describe('a field of Vault', () => {
  it('is written by check-and-set, the other fields stay as written, and a repeated delivery changes nothing', async () => {
    await using fixture = await openSinkFixture();
    const { fake, state } = await openVault({ version: 4, data: `{${others}, "api_key": "${older}"}` });
    const sink = fixture.sink(spec(fake, { namespace: 'ns1' }));
    expect(await sink.problems(never)).toEqual([]);
    await sink.deliver(key, delivery, never);
    expect(state).toMatchObject({ version: 5, data: `{${others}, "api_key": "${plaintext}"}` });
    expect(fake.seen.at(-1)?.headers['x-vault-namespace']).toBe('ns1');
    await sink.deliver(key, delivery, never);
    expect(state.version).toBe(5);
    expect(await sink.fingerprint(delivery, never)).toEqual({ state: 'holds', fingerprint: sha(plaintext) });
  });

  it.each([
    ['nothing ever was', {}, 1],
    ['the newest version was deleted', { version: 3, data: '{"x":1}', deleted: true }, 4],
  ])('is created where %s', async (_, kv, version) => {
    await using fixture = await openSinkFixture();
    const { fake, state } = await openVault(kv);
    const sink = fixture.sink(spec(fake));
    expect(await sink.fingerprint(delivery, never)).toEqual({ state: 'empty' });
    await sink.deliver(key, delivery, never);
    expect(state.version).toBe(version);
    expect(JSON.parse(state.data ?? '')).toEqual({ api_key: plaintext });
  });

  it('is read again after a concurrent write, and given up when that never ends', async () => {
    await using fixture = await openSinkFixture();
    let rivals = 2;
    const rival = (state: Kv): void => {
      if (rivals === 0) return;
      rivals -= 1;
      Object.assign(state, { version: state.version + 1, data: `{"rival":${rivals}}` });
    };
    const { fake, state } = await openVault({ version: 1, data: '{}' }, rival);
    const sink = fixture.sink(spec(fake));
    await sink.deliver(key, delivery, never);
    expect(JSON.parse(state.data ?? '')).toEqual({ rival: 0, api_key: plaintext });
    expect(fixture.clock.waits).toHaveLength(2);
    rivals = 1000;
    expect(await thrownBy(sink.deliver(secretOf(older), delivery, never))).toMatchObject({
      code: 'sink-failed',
      message: expect.stringContaining('changed continuously by another program'),
    });
    expect(fake.seen.length).toBeLessThan(40);
  });

  it('is written with a token that is read from a file each time and never shown', async () => {
    await using fixture = await openSinkFixture();
    const { fake } = await openVault({ version: 1, data: '{}' });
    const tokenFile = join(fixture.folder, 'token');
    const sink = fixture.sink(spec(fake, { token: { tokenFile: 'token' } }));
    expect(await sink.problems(never)).toMatchObject([{ message: expect.stringContaining('ENOENT') }]);
    await writeFile(tokenFile, 'hvs.WrongTokenOfYesterday\n');
    const error = await thrownBy(sink.deliver(key, delivery, never));
    expect(error).toMatchObject({
      code: 'sink-refused',
      message: expect.stringContaining('permission denied; bad token [secret]'),
    });
    expect(await sink.problems(never)).toMatchObject([
      { message: expect.stringContaining('permission denied') },
    ]);
    await writeFile(tokenFile, `${token}\n`);
    await sink.deliver(key, delivery, never);
    expect(await sink.problems(never)).toEqual([]);
  });

  it.each<[Partial<Kv>, string]>([
    [{ engine: '1' }, 'is kv 1'],
    [{ may: ['read'] }, 'may not create, update'],
    [{ version: 1, data: '{"api_key":{"deep":1}}' }, 'an object is where'],
  ])('has permanent problems found in advance: %j', async (kv, message) => {
    await using fixture = await openSinkFixture();
    const { fake, state } = await openVault(kv);
    expect(await fixture.sink(spec(fake)).problems(never)).toMatchObject([
      { message: expect.stringContaining(message) },
    ]);
    expect(state.version).toBe(kv.version ?? 0);
  });

  it.each<[Reply, string]>([
    [errors(503, 'Vault is sealed'), 'sink-failed'],
    [{ status: 307, headers: { location: 'http://other/' } }, 'sink-refused'],
    [{ status: 200, body: '{"data":{"api_key":"x"}}' }, 'sink-failed'],
    [{ status: 200, body: `<html>${older}</html>` }, 'sink-failed'],
    [{ status: 500, body: `{"data":{"data":{"other":"PLAIN-OTHER-SECRET"}}}` }, 'sink-failed'],
  ])('fails with %j, and its contents are not quoted', async (reply, code) => {
    await using fixture = await openSinkFixture();
    const fake = await serve(() => reply);
    const error = await thrownBy(fixture.sink(spec(fake)).deliver(key, delivery, never));
    expect(error).toMatchObject({ code });
    expect(String(error)).not.toMatch(/OTHER-SECRET|AAAAold/);
    expect(fake.seen.every(({ method }) => method === 'GET')).toBe(true);
  });
});
