import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { renderPage } from '../../src/web/page/page.ts';
import { hostileNames } from '../reports/hostile.ts';
import type { PageView } from '../../src/web/index.ts';
import { approved, titled } from '../support/approved.ts';
import { at, deferred } from '../control/support/control-fixture.ts';
import { badMails, badStatus, goodStatus, openPageFixture } from './support/page-fixture.ts';
import { unknownQuotas, viewOf } from './support/page-views.ts';

type Node = {
  readonly nodeName: string;
  readonly value?: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly Node[];
};

const nodesOf = (node: Node): readonly Node[] => [node, ...(node.childNodes ?? []).flatMap(nodesOf)];

const blocks = new Set('h1 h2 h3 p tr li dt dd div section header footer form'.split(' '));

/** The words of a page, each block on a line of its own. */
const wordsOf = ({ nodeName, value, childNodes = [] }: Node): string => {
  if (nodeName === '#text') return ` ${value?.replaceAll(/\s+/g, ' ')} `;
  if (nodeName === 'style' || nodeName === 'script') return '';
  const words = childNodes.map(wordsOf).join('');
  return blocks.has(nodeName) ? `\n${words}\n` : words;
};

const read = (text: string) => {
  const page = parse(text);
  const lines = wordsOf(page)
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ').trim())
    .filter((line) => line !== '');
  return { nodes: nodesOf(page), lines, shown: lines.join(' ') };
};

/** A view with alerts that are unknown for one reason, and such alerts in another state. */
const unknownView = () => {
  const [one] = unknownQuotas(['muted']);
  if (one === undefined) throw new Error('there is one');
  const mute = {
    account: 'main',
    alert: 'key:muted',
    until: unixMillis(at),
    mutedAt: unixMillis(at),
    by: 'ann',
  };
  const names = ['<b>x</b>', 'a'.repeat(100), ...Array.from({ length: 13 }, (_, index) => `ci-${index}`)];
  const view = viewOf(goodStatus);
  const alerts = [
    ...view.alerts,
    ...unknownQuotas(names),
    ...unknownQuotas(['old-1', 'old-2'], ['the last snapshot is too old', 'Check `it`.']),
    ...unknownQuotas(['alone'], ['the cause is not known', 'Ask.']),
    { ...one, mute },
  ];
  return { ...view, alerts };
};

/** A view in which this month cost as much as the last one by then. */
const unchangedView = () => {
  const view = viewOf(goodStatus);
  const spend = view.spend.map((one) =>
    one.sums === undefined ? one : { ...one, sums: { ...one.sums, lastMonthToDate: one.sums.month } },
  );
  return { ...view, spend };
};

it('the status page shows jobs, data, spend, alerts, mails, faults, gaps and rotations with what to do', async () => {
  const ann = ['ann@example.com'];
  const both = [...ann, 'bob@example.com'];
  const views: readonly (readonly [string, PageView])[] = [
    ['in order', viewOf(goodStatus)],
    ['a month as the last one, where it differs from the page in order', unchangedView()],
    ['alerts that are unknown', unknownView()],
    [
      'unsent mails',
      viewOf(
        { ...goodStatus, mail: { waiting: 3, failed: 1, unknown: 1, held: 0 } },
        { mails: badMails(ann) },
      ),
    ],
    ['faults', viewOf(badStatus(both), { mails: badMails(both), names: both })],
  ];
  const pages: [string, string][] = [];
  const usual = new Set<string>();
  for (const [title, view] of views) {
    await using fixture = await openPageFixture({ view: async () => view });
    const { lines } = read((await fixture.ask('/')).text);
    pages.push([title, lines.filter((line) => !usual.has(line)).join('\n')]);
    if (usual.size === 0) for (const line of lines) usual.add(line);
  }
  await expect(titled(pages)).toMatchFileSnapshot(approved('web/page'));
});

/** Each field of JSON in a line, and each entry of a list. */
const fieldsOf = (json: object, path = ''): readonly string[] =>
  Object.entries(json).flatMap(([key, value]: [string, unknown]) =>
    Array.isArray(value)
      ? value.map((one, index) => `${path}${key}[${index}]: ${JSON.stringify(one)}`)
      : [`${path}${key}: ${JSON.stringify(value)}`],
  );

it('/status.json has the fields of each section of the page, times in ISO 8601 and amounts as decimal text', async () => {
  const names = ['prod-search', 'growth-batch'];
  const views: Readonly<Record<string, PageView>> = {
    'in order': viewOf(goodStatus),
    'with problems': viewOf(badStatus(names), { mails: badMails(names), names }),
    'of a team': viewOf(goodStatus, { team: 'search' }),
  };
  const shown: [string, string][] = [];
  for (const [title, view] of Object.entries(views)) {
    await using fixture = await openPageFixture({ view: async () => view });
    const { data, ...rest } = JSON.parse((await fixture.ask('/status.json')).text) as Record<string, object>;
    shown.push([title, [...fieldsOf(rest), ...fieldsOf(data ?? {}, 'data.')].join('\n')]);
  }
  await expect(titled(shown)).toMatchFileSnapshot(approved('web/status-json'));
});

describe('the status page', () => {
  it('links to the page of each team and to each report', async () => {
    await using fixture = await openPageFixture({});
    const { status, headers, text } = await fixture.ask('/');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=UTF-8');
    const { nodes } = read(text);
    const links = nodes.filter(({ nodeName }) => nodeName === 'a').map(({ attrs }) => attrs?.[0]?.value);
    expect(links).toEqual([
      './?team=search',
      './?team=chat',
      './?team=search',
      './?team=chat',
      './reports/daily-spend/20261121T050000.000Z',
    ]);
  });

  it('shows the first 200 jobs and how many more there are', async () => {
    const [job] = goodStatus.jobs;
    if (job === undefined) throw new Error('no job');
    const jobs = Array.from({ length: 201 }, (_, at) => ({ ...job, job: `job-${at}` }));
    await using fixture = await openPageFixture({ status: async () => ({ ...goodStatus, jobs }) });
    const { shown } = read((await fixture.ask('/')).text);
    expect(shown).toContain('job-199 ');
    expect(shown).not.toContain('job-200');
    expect(shown).toContain('… and 1 more: ');
  });

  it('lets a person who is logged in mute each alert that one line contains', async () => {
    const view = { ...viewOf(goodStatus), alerts: unknownQuotas(['ci-1', 'ci-2']) };
    const { nodes } = read(
      String(
        await renderPage(view, {
          canLogIn: true,
          session: { id: 'id', name: 'Anna', csrf: 'token', expiresAt: unixMillis(0) },
          addresses: [],
        }),
      ),
    );
    const labels = nodes
      .filter(({ nodeName }) => nodeName === 'button')
      .flatMap(({ attrs = [] }) => attrs.filter(({ name }) => name === 'aria-label'))
      .map(({ value }) => value);
    expect(labels).toEqual(expect.arrayContaining(['Mute for a day: key:ci-1', 'Mute for a day: key:ci-2']));
  });

  it('renders hostile names harmlessly', async () => {
    await using fixture = await openPageFixture({
      view: async () =>
        viewOf(badStatus(hostileNames), { mails: badMails(hostileNames), names: hostileNames }),
    });
    const { text } = await fixture.ask('/');
    const { shown, nodes } = read(text);
    for (const message of [
      `${hostileNames.length} faults in the config`,
      'config/jobs/spend.yaml:0:3: <script>alert(1)</script>',
      `… and ${hostileNames.length - 20} more: `,
    ])
      expect(shown).toContain(message);
    const elements = new Set(nodes.map(({ nodeName }) => nodeName).filter((name) => !name.startsWith('#')));
    for (const planted of ['img', 'iframe', 'object']) expect(elements).not.toContain(planted);
    for (const own of ['style', 'script'])
      expect(nodes.filter(({ nodeName }) => nodeName === own)).toHaveLength(1);
    expect(nodes.filter(({ nodeName }) => nodeName === '#comment')).toEqual([]);
    const attributes = nodes.flatMap(({ attrs = [] }) => attrs.map(({ name }) => name));
    expect(attributes.filter((name) => name.startsWith('on') || name === 'style')).toEqual([]);
    expect(text).not.toContain('\u0000');
  });

  it('contains no secret, even if escaping changes it', async () => {
    const secret = 'p&ss<w>"rd';
    const redact = (message: string): string => message.replaceAll(secret, '[redacted]');
    await using fixture = await openPageFixture(
      {
        status: async () => ({
          ...goodStatus,
          config: { ...goodStatus.config, atNextStart: [`admin_key ${secret}`] },
        }),
      },
      { redact },
    );
    const { shown } = read((await fixture.ask('/')).text);
    expect(shown).toContain('admin_key [redacted]');
    expect(shown).not.toContain(secret);
  });

  it('is not cached, not framed, and runs no script but its own', async () => {
    await using fixture = await openPageFixture({});
    const { headers } = await fixture.ask('/');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      'img-src data:',
      "base-uri 'none'",
      "frame-ancestors 'none'",
      expect.stringMatching(/^style-src 'sha256-[\w+/=]+'$/),
      expect.stringMatching(/^script-src 'sha256-[\w+/=]+'$/),
      "connect-src 'self'",
      "form-action 'self'",
    ]);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('reads the state once for concurrent requests, and reports when it cannot', async () => {
    const held = deferred<typeof goodStatus>();
    let asked = 0;
    let broken = false;
    await using fixture = await openPageFixture({
      status: () => {
        asked += 1;
        return broken ? Promise.reject(new Error('the database is busy <b>')) : held.promise;
      },
    });
    const asking = [fixture.ask('/'), fixture.ask('/'), fixture.ask('/reports/a/b')];
    // It comes after the others, and does not wait for them.
    expect((await asking[2])?.status).toBe(404);
    held.resolve(goodStatus);
    expect((await Promise.all(asking)).map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(asked).toBe(1);
    broken = true;
    const answer = await fixture.ask('/');
    expect(answer.status).toBe(503);
    expect(answer.text).toContain('the database is busy &lt;b&gt;');
    expect(fixture.logged()).toContain('cannot read the status');
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('rejects %s and changes nothing', async (method) => {
    await using fixture = await openPageFixture({});
    const { status, headers } = await fixture.ask('/', { method });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it('answers a HEAD request without a body', async () => {
    await using fixture = await openPageFixture({});
    expect(await fixture.ask('/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });
});

describe('the host name of a page request', () => {
  it.each([
    ['127.0.0.1:8081', 200],
    ['127.0.0.1', 200],
    ['[::1]:8081', 200],
    ['192.168.1.20:8081', 200],
    ['localhost:8081', 200],
    ['tollkeeper.localhost', 200],
    ['Status.Example.com:8081', 200],
    ['status.example.com.', 200],
    ['evil.example', 421],
    ['evil.example:8081', 421],
    ['status.example.com.evil.example', 421],
    ['notlocalhost', 421],
    ['localhost.evil.example', 421],
    ['127.0.0.1.evil.example', 421],
    ['a@127.0.0.1', 400],
    ['127.0.0.1:99999', 400],
  ])('%s: %i', async (host, expected) => {
    await using fixture = await openPageFixture({}, { names: ['status.example.com'] });
    await fixture.write('reports/daily/20261121T050000.000Z/report.html', '<p>secret figures');
    for (const path of ['/', '/reports/daily/20261121T050000.000Z', '/nowhere']) {
      const { status, text } = await fixture.ask(path, { headers: { host } });
      if (expected === 200) expect(status).toBe(path === '/nowhere' ? 404 : 200);
      else {
        expect([400, 421]).toContain(status);
        expect(text).not.toMatch(/secret figures|daily-spend/);
      }
    }
  });
});

describe('a report of the archive', () => {
  const place = 'daily-spend/20261121T050000.000Z-growth';

  it('is served as it was stored, without scripts', async () => {
    await using fixture = await openPageFixture({});
    const report = '<!doctype html><title>Grüße</title><style>p{color:red}</style><p>figures';
    await fixture.write(`reports/${place}/report.html`, report);
    const { status, headers, text } = await fixture.ask(`/reports/${place}`);
    expect([status, text]).toEqual([200, report]);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      'img-src data:',
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "style-src 'unsafe-inline'",
      "form-action 'none'",
      'sandbox allow-popups allow-popups-to-escape-sandbox',
    ]);
  });

  it('is always the HTML of a report, whatever the requested path', async () => {
    await using fixture = await openPageFixture({});
    await fixture.write('tollkeeper.duckdb', 'secret');
    await fixture.write('outbox/a/report.html', 'secret');
    await fixture.write('report.html', 'secret');
    await fixture.write('reports/report.html', 'secret');
    await fixture.write(`reports/${place}/manifest.json`, 'secret');
    await fixture.write('reports/.draft/20261121T050000.000Z/report.html', 'secret');
    await fixture.write('reports/daily/.draft-x/report.html', 'secret');
    await fixture.write('elsewhere/slot/report.html', 'secret');
    await symlink('../elsewhere', join(fixture.archive, 'linked'));
    await mkdir(join(fixture.archive, 'job/slot'), { recursive: true });
    await symlink('../../../tollkeeper.duckdb', join(fixture.archive, 'job/slot/report.html'));
    await mkdir(join(fixture.archive, 'job/folder/report.html'), { recursive: true });
    for (const path of [
      '/reports/../outbox/a',
      '/reports/%2e%2e/outbox',
      '/reports/..%2foutbox/a',
      '/reports/..%5coutbox/a',
      '/reports/daily/..%2f..%2foutbox%2fa',
      '/reports/daily/%2e%2e',
      '/reports/%00/a',
      '/reports/daily%00/a',
      '/reports/%ff/%ff',
      '/reports/./report.html',
      '/reports//',
      `/reports/${place}/manifest.json`,
      `/reports/${place}`,
      '/reports/.draft/20261121T050000.000Z',
      '/reports/daily/.draft-x',
      '/reports/linked/slot',
      '/reports/job/slot',
      '/reports/job/folder',
      `/reports/${'a'.repeat(300)}/b`,
      '//reports/daily/x',
    ]) {
      const { status, text } = await fixture.ask(path);
      expect([path, status === 404 || status === 400]).toEqual([path, true]);
      expect(text).not.toContain('secret');
    }
  });
});
