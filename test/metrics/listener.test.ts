import { describe, expect, it } from 'vitest';
import type { Secret } from '../../src/core/index.ts';
import { openMetricsFixture } from './support/metrics-fixture.ts';

const token: Secret = { reveal: () => 'a-token-of-24-characters', toString: () => '', toJSON: () => '' };

const refusals = (lines: readonly Readonly<Record<string, unknown>>[]) =>
  lines
    .filter(({ message }) => message === 'refused a request for metrics')
    .map(({ reason, requests }) => [reason, requests]);

describe('the metrics listener', () => {
  it('answers GET /metrics in the text format of Prometheus, and nothing else', async () => {
    await using fixture = await openMetricsFixture({});
    const { status, headers, text } = await fixture.ask();
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(headers['cache-control']).toBe('no-store');
    expect(text).toContain('# TYPE tollkeeper_runs_total counter');
    expect((await fixture.ask({ path: '/' })).status).toBe(404);
    for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) {
      const answer = await fixture.ask({ method });
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET']);
    }
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer a-token-of-24-character',
    'Bearer a-token-of-24-characters-and-more',
    'Bearer a-token-of-24-characters x',
    'Basic a-token-of-24-characters',
    'a-token-of-24-characters',
  ])('refuses the authorization %j if a token is set', async (authorization) => {
    await using fixture = await openMetricsFixture({}, { token });
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await fixture.ask({ headers });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.text).not.toContain('tollkeeper_');
    expect(refusals(fixture.logged())).toHaveLength(1);
  });

  it('accepts the token', async () => {
    await using fixture = await openMetricsFixture({}, { token });
    const answer = await fixture.ask({ headers: { authorization: `Bearer ${token.reveal()}` } });
    expect(answer.status).toBe(200);
  });

  it.each(['metrics.example.com', 'localhost.example.com', '127.0.0.1.nip.io'])(
    'refuses the forged Host %s',
    async (host) => {
      await using fixture = await openMetricsFixture({}, { names: ['tollkeeper'] });
      const { status, text } = await fixture.ask({ headers: { host } });
      expect(status).toBe(421);
      expect(text).not.toContain('# TYPE');
      expect(refusals(fixture.logged())).toEqual([['unknown host name', 1]]);
    },
  );

  it.each(['tollkeeper:9464', 'localhost', '127.0.0.1:9464', '[::1]:9464'])(
    'answers to the Host %s',
    async (host) => {
      await using fixture = await openMetricsFixture({}, { names: ['Tollkeeper'] });
      expect((await fixture.ask({ headers: { host } })).status).toBe(200);
    },
  );

  it('logs each kind of refusal once a minute, with the number of requests', async () => {
    await using fixture = await openMetricsFixture({}, { token });
    const foreign = { headers: { authorization: 'Bearer of-somebody-else' } };
    for (const _ of Array.from({ length: 5 })) await fixture.ask(foreign);
    await fixture.ask();
    expect(refusals(fixture.logged())).toEqual([
      ['wrong bearer token', 1],
      ['no bearer token', 1],
    ]);
    fixture.clock.advance(60_000);
    await fixture.ask(foreign);
    expect(refusals(fixture.logged()).at(-1)).toEqual(['wrong bearer token', 5]);
    expect(JSON.stringify(fixture.logged())).not.toContain('of-somebody-else');
  });
});
