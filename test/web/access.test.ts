import { describe, expect, it } from 'vitest';
import { createSecretRegistry, deriveKey, fault, unixMillis } from '../../src/core/index.ts';
import { signAlertLink } from '../../src/monitoring/index.ts';
import { at } from '../control/support/control-fixture.ts';
import { manualClock } from '../support/manual-clock.ts';
import {
  endedSessions,
  noActions,
  notedActions,
  openPageFixture,
  type Done,
  type PageFixture,
} from './support/page-fixture.ts';

const plaintext = 'a-token-of-the-status-page';
const secretOf = (text: string) => createSecretRegistry().register(text);
const token = secretOf(plaintext);
const day = 86_400_000;

/** A page on which everything can be done, and what was done. */
const openActing = async (
  more: Parameters<typeof openPageFixture>[1] = {},
): Promise<PageFixture & { readonly done: Done[] }> => {
  const { done, actions } = notedActions();
  const page = await openPageFixture({}, { token, actions, ...more });
  return { ...page, done };
};

const own = { 'sec-fetch-site': 'same-origin' };

const logIn = async (page: PageFixture, form: Readonly<Record<string, string>> = {}) => {
  const answer = await page.ask('/login', { headers: own, form: { token: plaintext, ...form } });
  const [cookie = ''] = (answer.headers['set-cookie'] as readonly string[] | undefined) ?? [];
  return { answer, cookie, headers: { ...own, cookie: cookie.split(';')[0] ?? '' } };
};

const csrfOf = async (page: PageFixture, headers: Readonly<Record<string, string>>): Promise<string> =>
  /name="csrf" value="([^"]+)"/.exec((await page.ask('/', { headers })).text)?.[1] ?? '';

const reasons = (page: PageFixture): readonly unknown[] =>
  page
    .logged()
    .split('\n')
    .filter((line) => line.includes('refused a request'))
    .map((line) => (JSON.parse(line) as { readonly reason: string }).reason);

describe('the page on loopback', () => {
  it('is read-only without a token: no forms, no login, no POST', async () => {
    await using page = await openPageFixture({});
    const { text } = await page.ask('/');
    expect(text).not.toMatch(/<form|<button|\/login/);
    expect((await page.ask('/login')).status).toBe(404);
    for (const path of ['/actions/run', '/login', '/alert-links/x'])
      expect((await page.ask(path, { headers: own, form: { job: 'daily-spend' } })).status).toBe(405);
  });

  it('can be read by all with a token, and offers actions only after a login', async () => {
    await using page = await openActing();
    const { done } = page;
    const before = await page.ask('/');
    expect(before.status).toBe(200);
    expect(before.text).toContain('href="./login"');
    expect(before.text).not.toContain('<button');
    const form = await page.ask('/login');
    expect([form.status, form.text]).toEqual([200, expect.stringContaining('name="token"')]);
    const { answer, cookie, headers } = await logIn(page, { name: 'Anna <b>' });
    expect([answer.status, answer.headers['location']]).toEqual([303, './']);
    expect(cookie).toMatch(/^tollkeeper-session=[\w.-]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    const { text } = await page.ask('/', { headers });
    expect(text).toContain('Logged in as <bdi>Anna &lt;b&gt;</bdi>');
    const csrf = await csrfOf(page, headers);
    const act = async (action: string, form: Readonly<Record<string, string>>) => {
      const { status, headers: answered } = await page.ask(`/actions/${action}`, {
        headers,
        form: { csrf, ...form },
      });
      return [status, answered['location']];
    };
    expect(await act('run', { job: 'daily-spend' })).toEqual([303, '../#jobs']);
    expect(await act('mute', { alert: 'a', account: 'main', days: '7' })).toEqual([
      303,
      '../#budgets-and-alerts',
    ]);
    await act('unmute', { alert: 'a', account: 'main' });
    await act('acknowledge', { alert: 'a', account: 'main' });
    expect(await act('resend', { id: '4' })).toEqual([303, '../#mail']);
    expect(await act('destroy', {})).toEqual([404, undefined]);
    expect(await act('constructor', {})).toEqual([404, undefined]);
    const who = 'person Anna <b>';
    expect(done).toEqual([
      ['run', 'daily-spend'],
      ['mute', { alert: 'a', account: 'main', who, until: at + 7 * day }],
      ['unmute', { alert: 'a', account: 'main', who }],
      ['acknowledge', { alert: 'a', account: 'main', who }],
      ['resend', '4'],
    ]);
    const out = await page.ask('/logout', { headers, form: {} });
    expect(String(out.headers['set-cookie'])).toContain('Max-Age=0');
  });

  it('refuses an action without a login, from another site, or with the form token of another session', async () => {
    await using page = await openActing();
    const { done } = page;
    const { headers } = await logIn(page);
    const other = await logIn(page, { name: 'another' });
    const csrf = await csrfOf(page, headers);
    const ask = async (sent: Readonly<Record<string, string>>, form: Readonly<Record<string, string>>) =>
      (await page.ask('/actions/run', { headers: sent, form: { job: 'daily-spend', ...form } })).status;
    expect(await ask(own, { csrf })).toBe(401);
    expect(await ask({ ...own, cookie: `${headers.cookie}x` }, { csrf })).toBe(401);
    expect(await ask(headers, {})).toBe(403);
    expect(await ask(headers, { csrf: await csrfOf(page, other.headers) })).toBe(403);
    const { 'sec-fetch-site': _site, ...withoutSite } = headers;
    for (const foreign of [
      { ...headers, 'sec-fetch-site': 'cross-site' },
      { ...headers, 'sec-fetch-site': 'same-site', origin: 'http://evil.example' },
      { ...withoutSite, origin: 'http://evil.example' },
      { ...withoutSite, origin: 'null' },
      withoutSite,
    ])
      expect(await ask(foreign, { csrf })).toBe(403);
    expect(done).toEqual([]);
    expect(await ask({ ...withoutSite, origin: `http://127.0.0.1:${page.port}` }, { csrf })).toBe(303);
    expect(reasons(page)).toEqual([
      'action without a login',
      expect.stringContaining('page or session'),
      'form of another site',
    ]);
  });

  it('refuses wrong tokens, and any token after ten wrong ones in a minute', async () => {
    const clock = manualClock(at);
    await using page = await openActing({ clock });
    const status = async (given: string): Promise<number | undefined> =>
      (await logIn(page, { token: given })).answer.status;
    for (let count = 0; count < 10; count += 1) expect(await status(`wrong ${count}`)).toBe(401);
    expect(await status(plaintext)).toBe(429);
    clock.advance(60_000);
    expect(await status(plaintext)).toBe(303);
    expect(reasons(page)).toEqual(['wrong token at the login', 'too many wrong tokens']);
    expect(page.logged()).not.toContain(plaintext);
  });

  it('ends a session after twelve hours, and with another token', async () => {
    const clock = manualClock(at);
    await using page = await openActing({ clock });
    const { headers } = await logIn(page);
    await using changed = await openActing({ clock, token: secretOf('another-token-of-the-page') });
    expect((await changed.ask('/', { headers })).text).not.toContain('Logged in');
    clock.advance(12 * 3_600_000 - 1);
    expect((await page.ask('/', { headers })).text).toContain('Logged in');
    clock.advance(1);
    expect((await page.ask('/', { headers })).text).not.toContain('Logged in');
  });

  it('ends a session at the server when its person logs out, also on the page of another replica', async () => {
    const ended = endedSessions();
    await using page = await openActing({ ended });
    await using other = await openActing({ ended });
    const { headers } = await logIn(page);
    const { headers: kept } = await logIn(page);
    const csrf = await csrfOf(page, headers);
    expect((await other.ask('/', { headers })).text).toContain('Logged in');
    expect((await page.ask('/logout', { headers, form: {} })).status).toBe(303);
    for (const one of [page, other]) {
      expect((await one.ask('/', { headers })).text).not.toContain('Logged in');
      expect((await one.ask('/actions/run', { headers, form: { csrf, job: 'daily-spend' } })).status).toBe(
        401,
      );
      expect((await one.ask('/', { headers: kept })).text).toContain('Logged in');
    }
  });

  it('lets a person log in while another address guesses tokens', async () => {
    const clock = manualClock(at);
    const proxies = { addresses: ['127.0.0.1'], header: 'X-Forwarded-User' };
    await using page = await openActing({ clock, proxies });
    const from = async (address: string, given: string) =>
      (
        await page.ask('/login', {
          headers: { ...own, 'x-forwarded-for': `198.51.100.9, ${address}` },
          form: { token: given },
        })
      ).status;
    for (let count = 0; count < 200; count += 1) await from('203.0.113.5', `wrong ${count}`);
    expect(await from('203.0.113.5', plaintext)).toBe(429);
    expect(await from('203.0.113.6', plaintext)).toBe(303);
  });

  it('ignores a forwarded address of a client that is no proxy', async () => {
    await using page = await openActing({ clock: manualClock(at) });
    const from = async (address: string, given: string) =>
      (await page.ask('/login', { headers: { ...own, 'x-forwarded-for': address }, form: { token: given } }))
        .status;
    for (let count = 0; count < 10; count += 1) await from(`203.0.113.${count}`, 'wrong');
    expect(await from('203.0.113.99', plaintext)).toBe(429);
  });

  it('explains an action that is not possible, and refuses a form that is too large', async () => {
    await using page = await openActing({
      actions: {
        ...noActions,
        acknowledge: () =>
          Promise.reject(
            fault('wrong-use', 'the alert <a> does not fire', { advice: 'run `tollkeeper alerts`' }),
          ),
      },
    });
    const { headers } = await logIn(page);
    const csrf = await csrfOf(page, headers);
    const answer = await page.ask('/actions/acknowledge', {
      headers,
      form: { csrf, alert: '<a>', account: 'main' },
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('the alert &lt;a&gt; does not fire');
    expect(answer.text).toContain('<code>tollkeeper alerts</code>');
    const large = await page.ask('/actions/run', { headers, form: { csrf, job: 'x'.repeat(20_000) } });
    expect(large.status).toBe(413);
  });

  it('sends its cookie only over HTTPS where readers reach it so', async () => {
    await using page = await openActing({ publicUrl: 'https://tollkeeper.example.com/' });
    const { cookie } = await logIn(page);
    expect(cookie).toContain('; Secure');
    // The proxy that ends TLS sends the origin of the public address.
    const { headers } = await logIn(page);
    const { 'sec-fetch-site': _site, ...rest } = headers;
    const sent = { ...rest, origin: 'https://tollkeeper.example.com' };
    const csrf = await csrfOf(page, headers);
    expect((await page.ask('/actions/run', { headers: sent, form: { csrf, job: 'a' } })).status).toBe(303);
  });
});

describe('the page on another address', () => {
  const elsewhere = { isOpen: false };

  it('can be read only after a login or with the bearer token', async () => {
    await using page = await openActing(elsewhere);
    const home = await page.ask('/');
    expect([home.status, home.headers['location']]).toEqual([303, './login']);
    for (const path of [
      '/status.json',
      '/feed.atom',
      '/badge/daily-spend.svg',
      '/reports/daily-spend/20261121T050000.000Z',
      '/nothing',
    ]) {
      const answer = await page.ask(path);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    }
    const bearer = async (given: string) =>
      (await page.ask('/status.json', { headers: { authorization: `Bearer ${given}` } })).status;
    expect([await bearer(plaintext), await bearer(`${plaintext}x`), await bearer('')]).toEqual([
      200, 401, 401,
    ]);
    const { headers } = await logIn(page);
    expect((await page.ask('/', { headers })).status).toBe(200);
    expect(reasons(page)).toEqual(['reading without a login']);
  });

  it('refuses guesses of the bearer token after ten wrong ones, and lets the correct one pass', async () => {
    const clock = manualClock(at);
    await using page = await openActing({ ...elsewhere, clock });
    const bearer = async (given: string) =>
      (await page.ask('/status.json', { headers: { authorization: `Bearer ${given}` } })).status;
    for (let count = 0; count < 9; count += 1) expect(await bearer(`wrong-${count}`)).toBe(401);
    expect(await bearer('wrong-9')).toBe(429);
    expect([await bearer('wrong-10'), await bearer(plaintext)]).toEqual([429, 200]);
    clock.advance(60_000);
    expect(await bearer('wrong-11')).toBe(401);
  });

  it('can be read through a proxy that names the user, and by no one else who sends the header', async () => {
    const header = 'X-Forwarded-User';
    const sent = { [header]: 'anna' };
    await using proxied = await openPageFixture(
      {},
      { ...elsewhere, proxies: { addresses: ['127.0.0.0/8', 'fd00::/8'], header } },
    );
    expect((await proxied.ask('/', { headers: sent })).status).toBe(200);
    expect((await proxied.ask('/', { headers: { [header]: ' ' } })).status).toBe(403);
    expect((await proxied.ask('/')).status).toBe(403);
    await using foreign = await openPageFixture(
      {},
      { ...elsewhere, token, proxies: { addresses: ['10.0.0.5', '::1'], header } },
    );
    expect((await foreign.ask('/status.json', { headers: sent })).status).toBe(401);
    expect(reasons(foreign)).toEqual([expect.stringMatching(/^proxy header /), 'reading without a login']);
    expect(foreign.logged()).toContain('add 127.0.0.1 to status.proxies.addresses');
  });
});

describe('the link of an alert mail', () => {
  const key = deriveKey(token, 'links in alert mails');
  const link = { account: 'main', alert: 'account <main>', id: '1a2b', expiresAt: unixMillis(at + 7 * day) };
  const path = (more: Partial<typeof link> = {}, own = key): string =>
    `/alert-links/${signAlertLink({ ...link, ...more }, own)}`;

  const openLinked = async (clock = manualClock(at)) => {
    const done: Done[] = [];
    const used = new Set<string>();
    const note =
      (action: string) =>
      async (what: { readonly who: string }): Promise<void> => {
        done.push([action, what]);
        used.add(what.who);
      };
    const page = await openActing({
      isOpen: false,
      clock,
      actions: { ...noActions, acknowledge: note('acknowledge'), mute: note('mute') },
      links: { key, wasUsed: async (who) => used.has(who) },
    });
    return { ...page, done };
  };

  it('asks without a login, changes nothing when it is opened, and acts once', async () => {
    await using page = await openLinked();
    const { done } = page;
    const opened = await page.ask(path());
    expect(opened.status).toBe(200);
    expect(opened.text).toContain('account &lt;main&gt;');
    expect(done).toEqual([]);
    const acted = await page.ask(path(), { headers: own, form: { action: 'mute', days: '3' } });
    expect([acted.status, acted.text.includes('is muted')]).toEqual([200, true]);
    expect(done).toEqual([
      ['mute', { account: 'main', alert: 'account <main>', who: 'mail link 1a2b', until: at + 3 * day }],
    ]);
    for (const replay of [{}, { headers: own, form: { action: 'acknowledge' } }])
      expect((await page.ask(path(), replay)).status).toBe(410);
    expect(done).toHaveLength(1);
    expect(reasons(page)).toEqual(['used alert link']);
  });

  it('acts once when two requests come at the same time', async () => {
    await using page = await openLinked();
    const { done } = page;
    const act = async (): Promise<number | undefined> => {
      const { status } = await page.ask(path(), { headers: own, form: { action: 'acknowledge' } });
      return status;
    };
    const statuses = await Promise.all([act(), act()]);
    expect([statuses.sort(), done.length]).toEqual([[200, 410], 1]);
  });

  it('acknowledges, and never acts on a form of another site', async () => {
    await using page = await openLinked();
    const { done } = page;
    const form = { action: 'acknowledge' };
    expect((await page.ask(path(), { headers: { 'sec-fetch-site': 'cross-site' }, form })).status).toBe(403);
    expect((await page.ask(path(), { headers: own, form })).status).toBe(200);
    expect(done).toEqual([
      ['acknowledge', { account: 'main', alert: 'account <main>', who: 'mail link 1a2b' }],
    ]);
  });

  it('is refused when it has expired, was changed, or is signed with another key', async () => {
    const clock = manualClock(at);
    await using page = await openLinked(clock);
    const { done } = page;
    const good = path();
    const [payload = '', mac = ''] = good.slice('/alert-links/'.length).split('.');
    const other = Buffer.from(JSON.stringify({ ...link, alert: 'other' })).toString('base64url');
    for (const bad of [
      path({}, deriveKey(token, 'session of the status page')),
      `/alert-links/${other}.${mac}`,
      `/alert-links/${payload}`,
      `/alert-links/${payload}.${mac}x`,
      `/alert-links/${payload}.${mac}.${mac}`,
      '/alert-links/.',
      '/alert-links/%00',
    ])
      for (const form of [undefined, { action: 'mute' }])
        expect((await page.ask(bad, { headers: own, ...(form === undefined ? {} : { form }) })).status).toBe(
          404,
        );
    clock.advance(7 * day);
    expect((await page.ask(good)).status).toBe(410);
    expect((await page.ask(good, { headers: own, form: { action: 'mute' } })).status).toBe(410);
    expect(done).toEqual([]);
    expect(reasons(page)).toEqual(['invalid alert link', 'expired alert link']);
  });
});

describe('a token in a URL', () => {
  const feedToken = secretOf('a-token-of-the-feed');
  const elsewhere = { isOpen: false, feedToken };

  it('opens the feed or one badge, and nothing else', async () => {
    await using page = await openActing(elsewhere);
    const { headers } = await logIn(page);
    const { text } = await page.ask('/', { headers });
    const addresses = [...text.matchAll(/<a href="(\.\/(?:feed|badge)[^"]+)"/g)].map(([, href = '']) => href);
    expect(addresses.slice(0, 2)).toEqual([
      './feed.atom?token=a-token-of-the-feed',
      expect.stringMatching(/^\.\/badge\/[\w-]+\.svg\?token=[\w%-]+$/),
    ]);
    const [feed = '', badge = ''] = addresses.map((address) => address.slice(1));
    const status = async (path: string) => (await page.ask(path)).status;
    expect([await status(feed), await status(badge)]).toEqual([200, 200]);
    const token = badge.slice(badge.indexOf('?'));
    for (const path of [
      `/feed.atom${token}`,
      `/status.json${token}`,
      '/status.json?token=a-token-of-the-feed',
      '/?token=a-token-of-the-feed',
      `${badge.slice(0, badge.indexOf('?'))}?token=a-token-of-the-feed`,
      `/badge/another.svg${token}`,
      '/feed.atom?token=',
    ])
      expect([path, await status(path)]).toEqual([path, 401]);
    expect((await page.ask('/', { headers: own })).text).not.toContain('a-token-of-the-feed');
  });

  it('can be guessed ten times a minute', async () => {
    await using page = await openActing({ ...elsewhere, token: undefined, clock: manualClock(at) });
    for (let count = 0; count < 9; count += 1) await page.ask(`/feed.atom?token=wrong-${count}`);
    expect((await page.ask('/feed.atom?token=wrong-9')).status).toBe(429);
    expect((await page.ask('/feed.atom?token=a-token-of-the-feed')).status).toBe(200);
  });
});

it('every link of the page stays below the path at which a proxy serves it', async () => {
  await using page = await openActing({
    isOpen: false,
    feedToken: secretOf('a-token-of-the-feed'),
    publicUrl: 'https://tools.example.com/tollkeeper/',
  });
  const { headers, answer } = await logIn(page);
  const outside = 'https://tools.example.com/tollkeeper';
  const isBelow = (path: string, link: string): boolean =>
    new URL(link, `${outside}${path}`).href.startsWith(`${outside}/`);
  expect(isBelow('/login', String(answer.headers['location']))).toBe(true);
  expect(isBelow('/', String((await page.ask('/')).headers['location']))).toBe(true);
  let links = 0;
  for (const [path, sent] of [
    ['/', headers],
    ['/login', own],
    ['/actions/run', { ...headers, form: 'wrong' }],
    ['/actions/run', own],
    ['/alert-links/none', own],
  ] as const) {
    const isForm = path === '/actions/run';
    const { text } = await page.ask(path, { headers: sent, ...(isForm ? { form: { job: 'a' } } : {}) });
    for (const [, link = ''] of text.matchAll(/(?:href|action)="([^"]*)"/g)) {
      if (link.startsWith('data:') || link.startsWith('#')) continue;
      links += 1;
      expect([path, link, isBelow(path, link)]).toEqual([path, link, true]);
    }
  }
  expect(links).toBeGreaterThan(10);
});
