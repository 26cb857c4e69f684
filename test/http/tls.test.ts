import { describe, expect, it } from 'vitest';
import { certificate, get, hello, plainServer, rejection, testHttp, tlsServer } from './support/servers.ts';

const ca = certificate('ca.pem');

describe('a TLS connection', () => {
  it('accepts a certificate of an added authority, and is reused', async () => {
    const server = await tlsServer(hello, 'localhost');
    const http = testHttp({ ca: [ca] });
    for (let count = 0; count < 6; count += 1)
      expect(await (await http.send(get(server.url))).text(10)).toBe('hello');
    expect(server.sockets.length).toBeLessThanOrEqual(2);
    const byName = await http.send(get(new URL(`https://localhost:${server.port}`)));
    expect(await byName.text(10)).toBe('hello');
  });

  it('rejects an unknown authority, a self-signed certificate and one for another name', async () => {
    const known = await tlsServer(hello, 'localhost');
    const stranger = await tlsServer(hello, 'stranger');
    const trusting = testHttp({ ca: [ca] });
    for (const [http, url] of [
      [testHttp(), known.url],
      [testHttp(), stranger.url],
      [trusting, stranger.url],
      [trusting, new URL(`https://127.0.0.2:${known.port}`)],
    ] as const) {
      const error = await rejection(http.send(get(url)));
      // On machines where 127.0.0.2 is no address of this one, the last is not reached at all.
      const kinds =
        url.hostname === '127.0.0.2' ? ['certificate', 'unreachable', 'timeout'] : ['certificate'];
      expect(kinds).toContain((error as { kind: string }).kind);
      expect(String(error)).toContain(url.host);
    }
    expect(known.requests).toEqual([]);
    expect(stranger.requests).toEqual([]);
  });

  it('is verified whatever the environment says', async () => {
    const stranger = await tlsServer(hello, 'stranger');
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await rejection(testHttp().send(get(stranger.url)))).toMatchObject({ kind: 'certificate' });
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });

  it('is reported if the port does not use TLS', async () => {
    const server = await plainServer(hello);
    const error = await rejection(testHttp().send(get(new URL(`https://127.0.0.1:${server.port}`))));
    expect(error).toMatchObject({ kind: 'tls' });
  });

  it('rejects an invalid certificate authority at the start', () => {
    expect(() => testHttp({ ca: ['not a certificate'] })).toThrow(/tls\.ca contains no certificate/);
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    expect(() => testHttp({ ca: [broken] })).toThrow(/invalid certificate/);
  });
});
