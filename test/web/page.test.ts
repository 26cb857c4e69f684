import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { renderPage } from '../../src/web/page/page.ts';
import { hostileNames } from '../reports/hostile.ts';
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

const read = (text: string) => {
  const nodes = nodesOf(parse(text));
  const shown = nodes
    .filter(({ nodeName }) => nodeName === '#text')
    .map(({ value }) => value)
    .join(' ')
    .replaceAll(/\s+/g, ' ');
  return { nodes, shown };
};

describe('the status page', () => {
  it('shows that everything is in order, with jobs, data and reports', async () => {
    await using fixture = await openPageFixture({});
    const { status, headers, text } = await fixture.ask('/');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=UTF-8');
    const { shown, nodes } = read(text);
    for (const message of [
      'No problems found.',
      'The daemon has been running since 2026-11-20 01:00 (1 d ago) ; version 1.2.3, pid 7.',
      'daily-spend ok report Last run 2026-11-21 07:00 (now) , took under 1 s Next run 2026-11-22 08:00 (in 1 d)',
      'paused suspended',
      'by-hand not run yet report Last run none yet Next run by hand',
      'The outbox is empty.',
      'pull-logs reaches 2026-11-21 06:00 (1 h ago)',
      'usage (pull-usage) incomplete',
      'statistics equal Both say USD 12.50.',
      'Today $7.00 yesterday $18.00 This month $377.67 by 21 Oct, 06:00: $382.33; down 1.2% Last month $563.17',
      '75.5% of the monthly budget of $500.00',
      'account-main ok account Spend $312.40 of $500.00 Forecast $452.10 ($430.00 to $475.00)',
      '2026-11-22 08:00 (in 1 d) : daily-spend to finance@example.com',
      'search-1 (id 0) search 100 d due 90 d never',
      'Spend yesterday: $12.50, up 4 %',
      'As of 2026-11-21 07:00 . Times are in Europe/Berlin',
    ])
      expect(shown).toContain(message);
    const links = nodes.filter(({ nodeName }) => nodeName === 'a').map(({ attrs }) => attrs?.[0]?.value);
    expect(links).toEqual([
      './?team=search',
      './?team=chat',
      './?team=search',
      './?team=chat',
      './reports/daily-spend/20261121T050000.000Z',
    ]);
  });

  it('calls a month that cost as much as the last one by then unchanged, not up by 0.0%', async () => {
    await using fixture = await openPageFixture({
      view: async (team) => {
        const view = viewOf(goodStatus, { team, mails: [] });
        const spend = view.spend.map((one) =>
          one.sums === undefined ? one : { ...one, sums: { ...one.sums, lastMonthToDate: one.sums.month } },
        );
        return { ...view, spend };
      },
    });
    expect(read((await fixture.ask('/')).text).shown).toContain(
      'by 21 Oct, 06:00: $377.67; unchanged Last month',
    );
  });

  it('shows the first 200 jobs and how many more there are', async () => {
    const [job] = goodStatus.jobs;
    if (job === undefined) throw new Error('no job');
    const jobs = Array.from({ length: 201 }, (_, at) => ({ ...job, job: `job-${at}` }));
    await using fixture = await openPageFixture({ status: async () => ({ ...goodStatus, jobs }) });
    const { shown } = read((await fixture.ask('/')).text);
    expect(shown).toContain('job-199 ');
    expect(shown).not.toContain('job-200');
    expect(shown).toContain('… and 1 more: tollkeeper status shows all.');
  });

  it('shows alerts that are unknown for one reason as one line with one next step, and no other alert in it', async () => {
    const muted = {
      account: 'main',
      alert: 'key:muted',
      until: unixMillis(at),
      mutedAt: unixMillis(at),
      by: 'ann',
    };
    const [one] = unknownQuotas(['muted']);
    if (one === undefined) throw new Error('there is one');
    const names = ['<b>x</b>', 'a'.repeat(100), ...Array.from({ length: 13 }, (_, index) => `ci-${index}`)];
    const view = {
      ...viewOf(goodStatus),
      alerts: [
        ...viewOf(goodStatus).alerts,
        ...unknownQuotas(names),
        ...unknownQuotas(['old-1', 'old-2'], ['the last snapshot is too old', 'Check `it`.']),
        ...unknownQuotas(['alone'], ['the cause is not known', 'Ask.']),
        { ...one, mute: muted },
      ],
    };
    await using fixture = await openPageFixture({ view: async () => view });
    const { shown, nodes } = read((await fixture.ask('/')).text);
    const hint = 'Check that a job of kind snapshot runs each day: tollkeeper status shows its last run.';
    for (const message of [
      `15 alerts unknown snapshots at least a day apart are missing : key:<b>x</b> , key:${'a'.repeat(35)}… , key:ci-0 , key:ci-1 , key:ci-2 , key:ci-3 , key:ci-4 , key:ci-5 and 7 more What to do: ${hint}`,
      '2 alerts unknown the last snapshot is too old : key:old-1 , key:old-2 What to do: Check it .',
      'key:alone unknown main Lasts unknown',
      'the cause is not known What to do: Ask.',
      'key:muted unknown muted',
      'account-main ok account Spend $312.40 of $500.00',
    ])
      expect(shown).toContain(message);
    expect(shown.split(hint)).toHaveLength(3);
    expect(shown).not.toContain('ci-6');
    expect(nodes.some(({ nodeName }) => nodeName === 'details')).toBe(false);
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

  it('shows mails of unknown outcome with recipient and next step', async () => {
    const rows = badMails(['ann@example.com']);
    await using fixture = await openPageFixture({
      status: async () => ({ ...goodStatus, mail: { waiting: 3, failed: 1, unknown: 1, held: 0 } }),
      mails: rows,
    });
    const { shown } = read((await fixture.ask('/')).text);
    for (const message of [
      'Action required 1 mail refused 1 mail of unknown outcome',
      'ann@example.com unknown 40',
      'Ask ann@example.com ; tollkeeper outbox resend 40 sends the same message again, tollkeeper outbox drop 40 closes the entry.',
      'fix the cause, then run tollkeeper outbox resend 1 ; tollkeeper outbox drop 1 abandons it.',
      '550 no such user',
      'Next try 2026-11-21 08:00 (in 1 h)',
      'by finance-chat',
    ])
      expect(shown).toContain(message);
    // Tried again by itself: nobody is asked to do anything about it.
    expect(shown).not.toContain('resend 3');
  });

  it('shows configuration faults, outages, gaps and rotations, and renders hostile names harmlessly', async () => {
    await using fixture = await openPageFixture({
      view: async () =>
        viewOf(badStatus(hostileNames), { mails: badMails(hostileNames), names: hostileNames }),
    });
    const { text } = await fixture.ask('/');
    const { shown, nodes } = read(text);
    for (const message of [
      'jobs in outage: job-0, job-1,',
      `${hostileNames.length} faults in the config`,
      'A newer configuration is invalid and was not applied',
      'config/jobs/spend.yaml:0:3 <script>alert(1)</script>',
      'Takes effect at the next start: health.port 8080 → 9090 .',
      'job-1 outage report',
      'Last good run',
      'What to do:',
      'Known gaps',
      'later periods agree again',
      '… and 7 older.',
      'Key rotations',
      'Old key',
      'fix the cause, then resume the rotation with tollkeeper keys resume billing',
      `… and ${hostileNames.length - 20} more: tollkeeper keys list lists them.`,
      '2 folders of the archive hold no report that can be read',
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
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; img-src data:; base-uri 'none'; frame-ancestors 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; connect-src 'self'; form-action 'self'$/,
    );
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
    expect(answer.text).toContain('is not available at this moment: the database is busy &lt;b&gt;');
    expect(fixture.logged()).toContain('the status page cannot read the status');
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
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; img-src data:; base-uri 'none'; frame-ancestors 'none'; style-src 'unsafe-inline'; form-action 'none'; sandbox allow-popups allow-popups-to-escape-sandbox",
    );
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
