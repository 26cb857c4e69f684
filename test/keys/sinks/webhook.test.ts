import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  delivery,
  key,
  never,
  openSinkFixture,
  plaintext,
  secretOf,
  sha,
  thrownBy,
  serve,
  type Reply,
} from './support.ts';

const signing = 'whsec-7b1f6f0e9ad14b5c';
const path = '/hooks/T0kenInTheAddress/billing';
const spec = (url: string) => ({
  kind: 'webhook' as const,
  url: secretOf(`${url}/hooks/T0kenInTheAddress/{service}`),
  secret: secretOf(signing),
});

describe('a webhook sink', () => {
  it('is posted the key, signed with the time, and proves it by its answer', async () => {
    await using fixture = await openSinkFixture();
    const fake = await serve(({ body }) => ({
      status: 200,
      body: { sha256: sha(JSON.parse(body).key).toUpperCase() },
    }));
    const sink = fixture.sink(spec(fake.url));
    expect(await sink.deliver(key, delivery, never)).toEqual({ fingerprint: sha(plaintext) });
    const [seen] = fake.seen;
    expect(seen).toMatchObject({ method: 'POST', path });
    const text = seen?.body ?? '';
    expect(JSON.parse(text)).toEqual({
      kind: 'api-key',
      account: 'main',
      service: 'billing',
      generation: 7,
      keyName: 'billing.g7',
      sha256: sha(plaintext),
      key: plaintext,
    });
    const seconds = Math.floor(fixture.clock.now() / 1000);
    const mac = createHmac('sha256', signing).update(`${seconds}.${text}`).digest('hex');
    expect(seen?.headers['x-tollkeeper-signature']).toBe(`t=${seconds},v1=${mac}`);
    await sink.deliver(key, delivery, never);
    expect(fake.seen[1]?.headers['idempotency-key']).toBe(seen?.headers['idempotency-key']);
    expect(await sink.fingerprint(delivery, never)).toMatchObject({ state: 'unreadable' });
    expect(fixture.deps.secrets.redact(`T0kenInTheAddress ${plaintext}`)).toBe('T0kenInTheAddress [secret]');
  });

  it.each<[string, Reply, string, string]>([
    ['lies', { status: 200, body: { sha256: sha('other') } }, 'sink-failed', 'SHA-256 of a different value'],
    ['proves nothing', { status: 204, body: '' }, 'sink-failed', 'did not prove'],
    ['says yes in words', { status: 200, body: 'ok' }, 'sink-failed', 'did not prove'],
    [
      'leads elsewhere',
      { status: 307, headers: { location: 'https://a.example.com/' } },
      'sink-refused',
      '307',
    ],
    ['refuses', { status: 403, body: `no ${plaintext} at ${path}` }, 'sink-refused', 'no [secret]'],
    ['is too busy', { status: 503, headers: { 'retry-after': '30' } }, 'sink-failed', '503'],
  ])('that %s fails, and its answer is shown without secrets', async (_, reply, code, message) => {
    await using fixture = await openSinkFixture();
    const fake = await serve(() => reply);
    const error = await thrownBy(fixture.sink(spec(fake.url)).deliver(key, delivery, never));
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(JSON.stringify([error, String(error)])).not.toMatch(/sk-Np|T0ken/);
    if (reply.status === 503) expect(error).toMatchObject({ retryAfter: 30_000 });
    expect(fake.seen).toHaveLength(1);
  });

  it('that is unreachable is retried later', async () => {
    await using fixture = await openSinkFixture();
    const gone = await serve(() => ({ status: 200 }));
    await gone[Symbol.asyncDispose]();
    const error = await thrownBy(fixture.sink(spec(gone.url)).deliver(key, delivery, never));
    expect(error).toMatchObject({ code: 'sink-failed', retryHelps: true });
    expect(String(error)).not.toContain('T0ken');
  });
});
