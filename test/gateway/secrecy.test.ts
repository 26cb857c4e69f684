import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSecretRegistry, describeError, errorFields, silentLog } from '../../src/core/index.ts';
import { createGateway, type Gateway } from '../../src/gateway/index.ts';
import { collect, plainServer, rejection, testHttp } from '../http/support/servers.ts';
import { manualClock } from '../support/manual-clock.ts';
import {
  adminKey,
  csv,
  json,
  ok,
  scriptedGateway,
  type Answer,
  spec,
  logs,
} from './support/scripted-gateway.ts';

const plaintext = 'sk-Zq8PlaintextOfANewKey42';

const gatewayAt = (baseUrl: string, key = adminKey) => {
  const secrets = createSecretRegistry();
  return createGateway({
    baseUrl,
    adminKey: secrets.register(key),
    http: testHttp(),
    clock: manualClock(),
    random: () => 0,
    log: silentLog,
    secrets,
  });
};

/** Everything that anyone could see of an error. */
const shown = (error: unknown): string =>
  [
    describeError(error),
    JSON.stringify(errorFields(error)),
    inspect(error, { depth: 20, showHidden: true }),
  ].join('\n');

describe('base_url', () => {
  it('must be https, or http on loopback (G1.1)', () => {
    for (const url of [
      'https://gw.example.com',
      'https://gw.example.com/v/',
      'http://localhost:1',
      'http://127.3.2.1',
      'http://[::1]:8080',
      // The same machine, in other ways of writing 127.0.0.1.
      'http://2130706433',
      'http://0x7f.1',
      'http://127.1:80',
    ])
      expect(() => gatewayAt(url), url).not.toThrow();
    for (const url of [
      'http://gw.example.com',
      'http://127.0.0.1.evil.example',
      'http://localhost.evil.example',
      'http://127.0.0.1%2eevil.example',
      'http://127.0.0.1@evil.example',
      'http://localhost:80@evil.example',
      'http://127-0-0-1.evil.example',
      'http://127.evil.example',
      'http://2130706434.evil.example',
      'http://3232235777',
      'http://[::2]',
      'http://[::ffff:10.0.0.1]',
      'http://0.0.0.0',
      'http://10.0.0.1',
      'ftp://gw.example.com',
      'ws://localhost',
    ])
      expect(() => gatewayAt(url), url).toThrow(expect.objectContaining({ code: 'gateway-url-insecure' }));
  });

  it('must not contain user, password, query or fragment, which are never quoted', () => {
    for (const [url, code] of [
      ['https://user:hushhush@gw.example.com', 'gateway-url-insecure'],
      ['https://gw.example.com/?token=hushhush', 'config-invalid'],
      ['https://gw.example.com/#hushhush', 'config-invalid'],
      ['gw.example.com/hushhush', 'config-invalid'],
    ] as const) {
      const thrown = (() => {
        try {
          return gatewayAt(url);
        } catch (error) {
          return error;
        }
      })();
      expect(thrown).toMatchObject({ code, exitCode: 2 });
      expect(shown(thrown)).not.toContain('hushhush');
    }
  });

  it('needs a key that a header can carry', () => {
    for (const key of ['sk-admin-abc\n', 'sk-admin abc', 'sk-admin-ключ', ''])
      expect(() => gatewayAt('https://gw.example.com', key)).toThrow(
        expect.objectContaining({ code: 'gateway-key-refused' }),
      );
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('%d to another origin never carries the key there', async (status) => {
    const thief = await plainServer((_request, response) => response.end('{}'));
    const location = `${thief.url.origin}/api/user/self?key=${adminKey}`;
    const { gateway } = await scriptedGateway([{ status, headers: { location } }]);
    for (const call of [
      () => gateway.profile(),
      () => gateway.exportLogs(logs),
      () => gateway.createKey(spec),
      () => gateway.deleteKey(1),
    ]) {
      const error = await rejection(call());
      expect(error).toMatchObject({ code: 'gateway-redirect' });
      expect(String(error)).toContain(`redirected to ${thief.url.origin}/api/user/self (${status})`);
      expect(shown(error)).not.toContain(adminKey);
    }
    expect(thief.sockets).toEqual([]);
  });
});

const echoing: readonly (readonly [string, Answer])[] = [
  ['in an error page', { status: 401, body: `<h1>no such key: ${adminKey}</h1>` }],
  ['in an envelope', json({ success: false, message: `key ${adminKey} lacks a scope` })],
  ['in place of an envelope', json({ key: adminKey })],
  ['base64 in a message', json({ message: Buffer.from(adminKey).toString('base64') }, 400)],
  ['in the path of a redirect', { status: 302, headers: { location: `/login/${adminKey}` } }],
  ['in place of JSON', { body: `Bearer ${adminKey}` }],
  ['at the place where a message is cut', json({ message: `${'x'.repeat(190)}${adminKey}` }, 400)],
  ['split by tags', { status: 400, body: `<p>${adminKey.slice(0, 9)}<b>${adminKey.slice(9)}</b></p>` }],
  ['in a status line', (response) => response.writeHead(400, adminKey).end()],
  ['before a broken connection', (response) => response.write(adminKey, () => response.destroy())],
  ['as something else than HTTP', (response) => response.socket?.end(`${adminKey}\r\n`)],
];

describe('the Admin Key', () => {
  it.each(echoing)('echoed %s appears in no error and no log line', async (_where, answer) => {
    const { gateway, lines, secrets } = await scriptedGateway([answer]);
    const exporting = async (): Promise<Buffer> => collect((await gateway.exportLogs(logs)).body);
    const calls = [() => gateway.profile(), () => gateway.createKey(spec), exporting];
    let failures = 0;
    for (const call of calls) {
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      // Plain text in place of CSV is taken for CSV here, and is for the reader to refuse.
      if (!(error instanceof Error)) continue;
      failures += 1;
      expect(describeError(error)).not.toContain(adminKey);
      expect(JSON.stringify(errorFields(error))).not.toContain(adminKey);
      expect(secrets.redact(shown(error))).not.toContain(adminKey);
    }
    expect(failures).toBeGreaterThanOrEqual(2);
    expect(lines.join('\n')).not.toContain(adminKey);
    expect(lines.join('\n')).not.toContain(adminKey.slice(0, 20));
  });

  it('appears in no log line of successful calls', async () => {
    const { gateway, lines } = await scriptedGateway([csv('a\n')]);
    await collect((await gateway.exportLogs(logs)).body);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('\n')).not.toContain('sk-admin');
  });
});

describe('the plaintext of a new key', () => {
  it('is a secret from the moment it arrives (G2.6)', async () => {
    const { gateway, secrets, lines } = await scriptedGateway([ok({ id: 1, key: plaintext })]);
    const { key } = await gateway.createKey(spec);
    expect(key.reveal()).toBe(plaintext);
    expect(`${String(key)} ${JSON.stringify({ key })}`).toBe('[secret] {"key":"[secret]"}');
    expect(secrets.redact(`a ${plaintext} b ${plaintext.slice(3)} c`)).toBe('a [secret] b [secret] c');
    expect(lines.join('\n')).not.toContain(plaintext);
  });

  it('may lack its prefix and be short', async () => {
    const { gateway, secrets } = await scriptedGateway([ok({ id: 1, key: 'short7' })]);
    expect((await gateway.createKey(spec)).key.reveal()).toBe('short7');
    expect(secrets.redact('short7')).toBe('[secret]');
  });

  const broken: readonly (readonly [string, Answer])[] = [
    ['without an id', ok({ key: plaintext })],
    ['under success: false', json({ success: false, message: plaintext, data: { key: plaintext } })],
    ['in JSON that breaks off', { body: `{"success":true,"data":{"id":3,"key":"${plaintext}` }],
    ['in an error', json({ error: { message: `made ${plaintext}` } }, 500)],
    ['written with escapes', { body: `{"data":{"key":"${plaintext.replace('P', '\\u0050')}"}` }],
    ['in plain text', { body: `your key: ${plaintext}.` }],
  ];
  it.each(broken)('is a secret even when the response is unusable: %s', async (_how, answer) => {
    const { gateway, secrets, lines } = await scriptedGateway([answer]);
    const error = await rejection(gateway.createKey(spec));
    expect(shown(error)).not.toContain(plaintext);
    expect(lines.join('\n')).not.toContain(plaintext);
    expect(secrets.redact(plaintext)).not.toContain('Plaintext');
  });
});

describe('the plaintext of a key in a read, against the contract', () => {
  const shownKey = {
    id: 1,
    name: 'n',
    key: plaintext,
    key_mask: 'sk-Zq8P**********ey42',
    remain_quota: '1.0000',
    unlimited_quota: false,
    expired_time: -1,
  };
  const masked = JSON.stringify({ success: true, data: { ...shownKey, key: 'Zq8P**********wKey42' } });
  const calls: readonly (readonly [string, unknown, (gateway: Gateway) => Promise<unknown>])[] = [
    ['list', { items: [shownKey], page: 1, page_size: 10, total: 1 }, (gateway) => gateway.listKeys()],
    ['read', shownKey, (gateway) => gateway.readKey(1)],
    ['update', shownKey, (gateway) => gateway.updateKey({ ...spec, id: 1 })],
    ['delete', shownKey, (gateway) => gateway.deleteKey(1)],
  ];

  it.each(calls)(
    'is a secret in the response of %s, complete or broken (G2.6)',
    async (_name, data, call) => {
      const whole = await scriptedGateway([ok(data)]);
      expect(JSON.stringify(await call(whole.gateway)) ?? '').not.toContain(plaintext);
      expect(whole.secrets.redact(plaintext)).toBe('[secret]');
      const text = JSON.stringify({ success: true, data });
      const broken = await scriptedGateway([{ body: text.slice(0, text.indexOf('"key_mask"')) }]);
      const error = await rejection(call(broken.gateway));
      expect(shown(error)).not.toContain(plaintext);
      expect(broken.lines.join('\n')).not.toContain(plaintext);
    },
  );

  it('is not registered for a masked value, which stays readable', async () => {
    const { gateway, secrets } = await scriptedGateway([{ body: masked }]);
    await gateway.readKey(1);
    expect(secrets.redact('Zq8P**********wKey42')).toBe('Zq8P**********wKey42');
  });
});
