import { connect, type AddressInfo, type Socket } from 'node:net';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isLoopback } from '../../src/core/index.ts';
import { proxyFor, proxySettings } from '../../src/http/proxy-settings.ts';
import { certificate, hello, plainServer, rejection, testHttp, tlsServer } from './support/servers.ts';

/** A CONNECT proxy that leads every tunnel to the port given, whatever name was asked for, or refuses with a status. */
const tunnelProxy = async (target: number | { readonly refuse: number }) => {
  const asked: { host: string; authorization: string | undefined }[] = [];
  const sockets: Socket[] = [];
  const server = createServer();
  server.on('connect', (request, socket: Socket) => {
    asked.push({ host: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    sockets.push(socket);
    if (typeof target !== 'number') {
      socket.end(`HTTP/1.1 ${target.refuse} No\r\n\r\n`);
      return;
    }
    const onward = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    sockets.push(onward);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  return { asked, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const get = (url: string) => ({ method: 'GET' as const, url: new URL(url) });

describe('a proxy', () => {
  it('in HTTPS_PROXY is used as a tunnel with its credentials, and the certificate behind it is verified', async () => {
    const server = await tlsServer(hello, 'localhost');
    const proxy = await tunnelProxy(server.port);
    const http = testHttp({
      env: { HTTPS_PROXY: `http://user:pass%21@${proxy.address}` },
      ca: [certificate('ca.pem')],
    });
    const error = await rejection(http.send(get('https://gateway.invalid/x')));
    expect(error).toMatchObject({ kind: 'certificate' });
    expect(String(error)).toContain('gateway.invalid');
    expect(String(error)).not.toContain('pass');
    expect(proxy.asked[0]).toEqual({
      host: 'gateway.invalid:443',
      authorization: `Basic ${Buffer.from('user:pass!').toString('base64')}`,
    });
    expect(server.requests).toEqual([]);
  });

  it('delivers an https response through the tunnel over one persistent connection', async () => {
    const server = await tlsServer(hello, 'localhost');
    const proxy = await tunnelProxy(server.port);
    const http = testHttp({ env: { HTTPS_PROXY: `http://${proxy.address}` }, ca: [certificate('ca.pem')] });
    // With the dot of the root it is the certificate's name and yet not taken for loopback.
    for (let count = 0; count < 6; count += 1)
      expect(await (await http.send(get('https://localhost./x'))).text(10)).toBe('hello');
    expect(proxy.asked[0]?.host).toBe('localhost.:443');
    expect(proxy.asked.length).toBeLessThanOrEqual(2);
    expect(server.requests).toHaveLength(6);
  });

  it('in HTTP_PROXY tunnels plain http and delivers the response', async () => {
    const server = await plainServer(hello);
    const proxy = await tunnelProxy(server.port);
    const http = testHttp({ env: { http_proxy: proxy.address } });
    expect(await (await http.send(get('http://gateway.invalid/x'))).text(10)).toBe('hello');
    expect(server.requests).toEqual(['GET /x']);
    expect(proxy.asked.map(({ host }) => host)).toEqual(['gateway.invalid:80']);
  });

  it('is not used for loopback or hosts in NO_PROXY', async () => {
    const server = await plainServer(hello);
    const proxy = await tunnelProxy(server.port);
    const http = testHttp({ env: { HTTP_PROXY: `http://${proxy.address}`, NO_PROXY: 'gateway.invalid' } });
    expect(await (await http.send(get(server.url.href))).text(10)).toBe('hello');
    expect(await (await http.send(get(`http://localhost:${server.port}/`))).text(10)).toBe('hello');
    expect(await rejection(http.send(get('http://gateway.invalid/')))).toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/^gateway\.invalid has no address/) as unknown,
    });
    expect(proxy.asked).toEqual([]);
  });

  it.each([407, 403, 502])('is named in the problem if it answers %d', async (status) => {
    const proxy = await tunnelProxy({ refuse: status });
    const http = testHttp({ env: { HTTPS_PROXY: `http://user:hush@${proxy.address}` } });
    const error = await rejection(http.send(get('https://gateway.invalid/')));
    expect(error).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining(`gateway.invalid (through the proxy ${proxy.address})`) as string,
    });
    expect(String(error)).toContain(`answered ${status} to the CONNECT`);
    expect(String(error)).not.toContain('hush');
  });

  it('that is invalid is rejected at the start and not quoted', () => {
    for (const value of ['http://', 'socks5://user:hush@proxy:1', 'http://user:hush@'])
      expect(() => testHttp({ env: { HTTPS_PROXY: value } })).toThrow(/^HTTPS_PROXY is not a proxy address$/);
  });

  it('is that of the protocol, and is excluded by no_proxy in lower case', () => {
    const via = (url: string, env: Record<string, string>): string | undefined =>
      proxyFor(new URL(url), proxySettings({ HTTPS_PROXY: 'proxy:3128', ...env }));
    expect(via('https://a.example.com', {})).toBe('proxy:3128');
    expect(via('http://a.example.com', {})).toBeUndefined();
    expect(via('https://a.example.com', { no_proxy: '*' })).toBeUndefined();
  });

  it.each([
    ['https://a.example.com', 'example.com', undefined],
    ['https://a.example.com', '.example.com, b.org', undefined],
    ['https://a.example.com', 'a.example.com:8443', 'proxy:3128'],
    ['https://a.example.com', 'a.example.com:443', undefined],
    ['https://badexample.com', 'example.com', 'proxy:3128'],
    ['https://a.example.com.', 'example.com', undefined],
    ['https://a.example.com', 'b.org,*', undefined],
    ['https://10.96.0.1', '10.96.0.0/12', undefined],
    ['https://10.112.0.1', '10.96.0.0/12', 'proxy:3128'],
    ['https://10.96.0.1:6443', '10.96.0.0/12:6443', undefined],
    ['https://10.96.0.1', '10.96.0.1', undefined],
    ['https://10.96.0.1', '10.96.0.1:6443', 'proxy:3128'],
    ['https://[::1]', '::1', undefined],
    ['https://[fd00::5]', 'fd00::/8', undefined],
    ['https://[fe80::5]', 'fd00::/8', 'proxy:3128'],
    ['https://[fd00::5]:8443', '[fd00::5]:8443', undefined],
    ['https://[fd00::5]', '[fd00::5]:8443', 'proxy:3128'],
    ['https://[fd00:0:0::5]', '[fd00::5]', undefined],
    // Names are not resolved, and what is no range exempts nothing.
    ['https://gateway.example.com', '10.0.0.0/8', 'proxy:3128'],
    ['https://10.0.0.1', '10.0.0.0/99', 'proxy:3128'],
    ['https://10.0.0.1', '10.0.0.0/', 'proxy:3128'],
  ])('for %s with NO_PROXY=%s is %s', (url, except, proxy) => {
    expect(proxyFor(new URL(url), proxySettings({ HTTPS_PROXY: 'proxy:3128', NO_PROXY: except }))).toBe(
      proxy,
    );
  });

  it('is not used for the API server of the cluster that Tollkeeper runs in', () => {
    const settings = proxySettings({ HTTPS_PROXY: 'proxy:3128', KUBERNETES_SERVICE_HOST: '10.96.0.1' });
    expect(proxyFor(new URL('https://10.96.0.1:443/api'), settings)).toBeUndefined();
    expect(proxyFor(new URL('https://10.96.0.2/api'), settings)).toBe('proxy:3128');
  });

  it('in a range of NO_PROXY is not used by the transport either', async () => {
    const proxy = await tunnelProxy({ refuse: 403 });
    const http = testHttp({
      env: { HTTP_PROXY: `http://${proxy.address}`, NO_PROXY: '192.0.2.0/24' },
      timeouts: { connect: 50, headers: 50, idle: 50, total: 100 },
    });
    await rejection(http.send(get('http://192.0.2.1/')));
    expect(proxy.asked).toEqual([]);
  });

  it('is not used for loopback addresses, which are recognized by number', () => {
    const is = (url: string): boolean => isLoopback(new URL(url).hostname);
    for (const url of [
      'http://localhost',
      'http://127.0.0.1:1',
      'http://127.9.8.7',
      'http://[::1]:80',
      'http://127.1',
    ])
      expect(is(url), url).toBe(true);
    for (const url of [
      'http://127.0.0.1.evil.com',
      'http://localhost.evil.com',
      'http://0.0.0.0',
      'http://10.0.0.1',
      'http://[::2]',
    ])
      expect(is(url), url).toBe(false);
  });
});
