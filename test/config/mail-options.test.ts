import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { approved, titled } from '../support/approved.ts';
import { goodEnv, goodFiles, goodJobs, goodSettings, load } from './support/load.ts';
import type { Secret } from '../../src/core/index.ts';

const pem = ({ privateKey }: { readonly privateKey: KeyObject }): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const rsa = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }));

/** A config with more settings of `mail`. */
const loadMail = (mail: string, env: Readonly<Record<string, string>> = {}) => {
  const operators = 'operators: [ops@example.com]';
  const settings = goodSettings.replace(`${operators} }`, `${operators}, ${mail} }`);
  return load(
    { ...goodFiles, '/run/secrets/dkim.pem': rsa, 'config/tollkeeper.yaml': settings },
    { ...goodEnv, SMTP_URL: 'smtp://reports%40example.com@mail.example.com:587', ...env },
  );
};

const oauth2 =
  'oauth2: { client_id: c, client_secret: "${SECRET}", refresh_token: "${TOKEN}", token_url: https://id.example.com/token }';
const oauthEnv = { SECRET: 'oauth-client-secret', TOKEN: 'oauth-refresh-token' };

describe('the mail settings', () => {
  it('include DKIM, OAuth 2.0, reply-to and unsubscribe', async () => {
    const { config, text, secrets } = await loadMail(
      `reply_to: ops@example.com, require_tls: true, dkim: { domain: example.com, selector: tk, key: "\${file:/run/secrets/dkim.pem}" }, ${oauth2}, list_unsubscribe: { mailto: stop@example.com, url: "https://example.com/stop?who={recipient}" }`,
      oauthEnv,
    );
    expect(text).toBe('');
    const mail = config?.settings.mail;
    expect(mail).toMatchObject({
      reply_to: 'ops@example.com',
      require_tls: true,
      dkim: { domain: 'example.com', selector: 'tk' },
      list_unsubscribe: { mailto: 'stop@example.com', url: 'https://example.com/stop?who={recipient}' },
    });
    expect(mail?.dkim?.key.reveal()).toBe(rsa.trimEnd());
    for (const secret of [rsa.trimEnd(), ...Object.values(oauthEnv)])
      expect(secrets.redact(`a ${secret} b`)).toBe('a [secret] b');
    expect(JSON.stringify(mail)).not.toMatch(/PRIVATE|oauth-/);
  });

  it('that contradict each other or contain a plaintext secret are a fault', async () => {
    const reported: [name: string, fault: string][] = [];
    const login = 'smtp://reports%40example.com@mail.example.com:587';
    for (const [mail, url] of [
      ['dkim: { domain: example.com, selector: tk, key: "abc" }', login],
      ['dkim: { domain: "a b", selector: tk, key: "${TOKEN}" }', login],
      ['dkim: { domain: example.com, selector: "a b", key: "${TOKEN}" }', login],
      ['dkim: { domain: example.com, selector: tk, key: "${TOKEN}" }', login],
      ['dkim: { domain: example.com, selector: tk, key: "${ED25519}" }', login],
      ['list_unsubscribe: {}', login],
      ['list_unsubscribe: { url: "http://example.com/" }', login],
      [oauth2.replace('https:', 'http:'), login],
      ['insecure: true', login],
      ['insecure: true, require_tls: true', login],
      [oauth2, 'smtp://mail.example.com'],
      [oauth2, 'smtp://u:secret-password@mail.example.com'],
    ] as const) {
      const { text } = await loadMail(mail, {
        ...oauthEnv,
        ED25519: pem(generateKeyPairSync('ed25519')),
        SMTP_URL: url,
      });
      expect([mail, text]).not.toContain('');
      expect(text).not.toMatch(/PRIVATE KEY-|oauth-refresh-token|secret-password/);
      reported.push([url === login ? mail : `${mail} with another login`, text]);
    }
    await expect(titled(reported)).toMatchFileSnapshot(approved('config/mail'));
  });
});

const routes = `routes:
  ledger: { webhook: { url: "https://ledger.example.com/hook", secret: "\${HOOK_SECRET}" } }
  finance-chat: { slack: { url: "\${SLACK_URL}" } }
  ops-chat: { teams: { url: "\${TEAMS_URL}", rate: 2/s } }
`;
const routeEnv = {
  HOOK_SECRET: 'hook-secret-0123',
  SLACK_URL: 'https://hooks.slack.example/services/T000/B000/XXXXXXXX',
  TEAMS_URL: 'https://teams.example/workflows/abcdef?sig=0123456789',
};

describe('routes beside mail', () => {
  it('are read by name, and can be notified like operators', async () => {
    const { config, text, secrets } = await load(
      {
        ...goodFiles,
        'config/tollkeeper.yaml':
          goodSettings.replace('[ops@example.com]', '[ops@example.com, ops-chat]') + routes,
        'config/jobs/spend.yaml': goodJobs.replace('timeout: 30m', 'notify_to: [finance-chat]'),
      },
      { ...goodEnv, ...routeEnv },
    );
    expect(text).toBe('');
    const { settings, jobs } = config ?? {};
    expect(settings?.mail?.operators).toEqual(['ops@example.com', 'ops-chat']);
    expect(jobs?.['daily-spend']?.notifyTo).toEqual(['finance-chat']);
    expect(settings?.routes['ops-chat']).toMatchObject({ teams: { rate: { count: 2, per: 1000 } } });
    const slack = settings?.routes['finance-chat']?.['slack'] as { readonly url: Secret } | undefined;
    expect(slack?.url.reveal()).toBe(routeEnv.SLACK_URL);
    for (const secret of Object.values(routeEnv)) expect(secrets.redact(secret)).toBe('[secret]');
    expect(secrets.redact('https://ledger.example.com/hook')).toBe('[secret]');
  });
});

describe('the mail rate and retention', () => {
  it.each([
    ['30/m', { count: 30, per: 60_000 }],
    ['5/s', { count: 5, per: 1000 }],
    ['500/h', { count: 500, per: 3_600_000 }],
    ['2000/d', { count: 2000, per: 86_400_000 }],
  ])('accept the rate %s', async (rate, read) => {
    const { config, text } = await loadMail(`rate: ${rate}, keep: 30d`);
    expect(text).toBe('');
    expect(config?.settings.mail).toMatchObject({ rate: read, keep: 30 * 86_400_000 });
  });

  it.each(['0/m', '30', '30/w', '-1/m', '1.5/s', 'fast'])('reject %s as a rate', async (rate) => {
    expect((await loadMail(`rate: "${rate}"`)).text).toContain('must be a rate');
  });
});
