import { mkdir } from 'node:fs/promises';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSecretRegistry, deriveKey, unixMillis } from '../../src/core/index.ts';
import { signAlertLink } from '../../src/monitoring/index.ts';
import type { JobView, PageView } from '../../src/web/index.ts';
import { at } from '../control/support/control-fixture.ts';
import { hostileNames } from '../reports/hostile.ts';
import { faint, openBrowser, overflow } from '../support/page-looks.ts';
import { badMails, badStatus, goodStatus, notedActions, openPageFixture } from './support/page-fixture.ts';
import { unknownQuotas, viewOf } from './support/page-views.ts';

/** With a folder in TOLLKEEPER_LOOKS the pictures are kept there, to be looked at. */
const pictures = process.env['TOLLKEEPER_LOOKS'];

const looks = [375, 1280].flatMap((width) => [[width, 'light'] as const, [width, 'dark'] as const]);

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Violations of WCAG 2.2 and of good practice, with the elements. */
const violations = async (page: Page): Promise<unknown> => {
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, nodes.length, nodes.slice(0, 3).map(({ html }) => html.slice(0, 120))]))`);
};

const ordinaryNames = [
  'gateway.example.com: connection refused; tried 4 times',
  'ann@example.com',
  'The log lacks USD 12.40 of what the statistics say for 20 Nov.',
];

const { data: _data, ...withoutData } = goodStatus;

/** Forty keys without a reading and thirty jobs, of a few that cause trouble. */
const manyNames = [
  ...Array.from({ length: 33 }, (_, index) => `team-${index % 5}-service-${index + 1}`),
  'a'.repeat(400),
  'very-long-name-with-dashes-'.repeat(12),
  '<script>alert(1)</script>',
  'مفتاح الإنتاج الرئيسي',
  'evil \u202Egpj.exe\u202C key',
  '生产环境密钥（主）',
  '长'.repeat(120),
];
const manyJobs = manyNames.slice(10).map((name, index): JobView => {
  const [failed, good] = [badStatus([name]).jobs[0], goodStatus.jobs[0]];
  if (failed === undefined || good === undefined) throw new Error('both have jobs');
  return { ...(index % 10 === 0 ? failed : good), job: `report-${name}`.slice(0, 40) };
});
const ordinary = viewOf({ ...goodStatus, jobs: manyJobs });
const ofKeys = (names: readonly string[]): PageView => ({
  ...ordinary,
  alerts: [...ordinary.alerts, ...unknownQuotas(names)],
  keys: viewOf(goodStatus, { names }).keys,
});

const problem = viewOf(badStatus(ordinaryNames), {
  mails: badMails(ordinaryNames),
  names: ['growth', 'research'],
});

const stands: Readonly<Record<string, PageView>> = {
  empty: {
    ...viewOf({ ...withoutData, jobs: [] }),
    teams: [],
    alerts: [],
    keys: { keys: [] },
    nextMails: [],
  },
  well: viewOf(goodStatus),
  team: viewOf({ ...goodStatus, jobs: [] }, { team: 'search' }),
  problem: { ...problem, alerts: [...problem.alerts, ...unknownQuotas(manyNames)] },
  many: ofKeys(manyNames),
  hostile: viewOf(badStatus(hostileNames), { mails: badMails(hostileNames), names: hostileNames }),
};

/** Takes a picture if they are asked for; nothing overflows, everything can be read, and axe finds no violation. */
const expectGoodLooks = async (page: Page, name: string): Promise<void> => {
  if (pictures !== undefined) {
    await mkdir(pictures, { recursive: true });
    await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
  }
  expect(await overflow(page)).toEqual([]);
  expect(await faint(page)).toEqual([]);
  expect(await violations(page)).toEqual([]);
};

describe.each(Object.entries(stands))('the page %s', (name, view) => {
  test.each(looks)(
    'at %i px, %s, overflows nowhere, can be read by all, and runs nothing foreign',
    async (width, colorScheme) => {
      await using fixture = await openPageFixture({ view: async () => view });
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
      try {
        const page = await context.newPage();
        const requests: string[] = [];
        const complaints: string[] = [];
        page.on('request', (request) => requests.push(request.url()));
        page.on('dialog', (dialog) => complaints.push(dialog.message()));
        page.on('console', (message) => complaints.push(message.text()));
        await page.goto(fixture.url, { waitUntil: 'load' });
        await expectGoodLooks(page, `page-${name}-${width}-${colorScheme}`);
        expect(requests.filter((url) => url !== fixture.url && !url.startsWith('data:'))).toEqual([]);
        // A breach of the page's own policy is a message of the console.
        expect(complaints).toEqual([]);
      } finally {
        await context.close();
      }
    },
  );
});
test('the page of a phone is as long with forty keys of unknown quota as with three', async () => {
  const heights: number[] = [];
  const context = await browser.newContext({ viewport: { width: 375, height: 800 } });
  try {
    for (const count of [3, 40]) {
      const { alerts, ...view } = ofKeys(manyNames.slice(0, count));
      await using fixture = await openPageFixture({
        view: async () => ({ ...view, alerts, keys: { keys: [] } }),
      });
      const page = await context.newPage();
      await page.goto(fixture.url, { waitUntil: 'load' });
      heights.push(await page.evaluate<number>('document.documentElement.scrollHeight'));
    }
  } finally {
    await context.close();
  }
  const [few = 0, many = 0] = heights;
  // Five more names, which may need further lines.
  expect(many - few).toBeLessThan(200);
});

const token = 'a-token-of-the-status-page';

/** Opens the page and logs in by its form, as a person does. */
const logIn = async (page: Page, url: string): Promise<void> => {
  await page.goto(`${url}login`, { waitUntil: 'load' });
  await page.fill('input[name=token]', token);
  await page.fill('input[name=name]', 'Anna');
  await page.click('button');
  await page.waitForURL(url);
};

/** A page on which everything can be done, with the link of a mail, and what was done. */
const openActing = async () => {
  const { done, actions } = notedActions();
  const secret = createSecretRegistry().register(token);
  const key = deriveKey(secret, 'links');
  const fixture = await openPageFixture(
    { view: async () => stands['problem'] },
    {
      isOpen: false,
      token: secret,
      links: { key, wasUsed: async () => false },
      actions,
    },
  );
  const signed = signAlertLink(
    { account: 'main', alert: 'growth', id: 'main 1', expiresAt: unixMillis(at + 1000) },
    key,
  );
  return { fixture, done, link: `${fixture.url}alert-links/${signed}` };
};

describe('the page of someone who acts', () => {
  test.each(looks)(
    'at %i px, %s, has forms that all can use: login, buttons, link of a mail',
    async (width, colorScheme) => {
      const { fixture, link } = await openActing();
      await using page = fixture;
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
      try {
        const tab = await context.newPage();
        const look = (name: string) => expectGoodLooks(tab, `page-${name}-${width}-${colorScheme}`);
        await tab.goto(page.url);
        await look('login');
        await logIn(tab, page.url);
        await tab.click('summary');
        await look('acting');
        await tab.goto(link);
        await look('link');
      } finally {
        await context.close();
      }
    },
  );

  test('presses buttons in a browser, and a form of another site does nothing', async () => {
    const { fixture, done, link } = await openActing();
    await using page = fixture;
    await using foreign = await openPageFixture({});
    const context = await browser.newContext();
    try {
      const tab = await context.newPage();
      await logIn(tab, page.url);
      for (const name of ['Run now: job-0', 'Acknowledge: growth', 'Unmute: research', 'Resend: 1']) {
        await tab.getByRole('button', { name, exact: true }).focus();
        const acted = tab.waitForResponse((answer) => answer.request().method() === 'POST');
        const loaded = tab.waitForEvent('load');
        await tab.keyboard.press('Enter');
        expect((await acted).status()).toBe(303);
        await loaded;
      }
      await tab.click('summary');
      const muted = tab.waitForEvent('load');
      await tab.getByRole('button', { name: 'Mute for a day: key:team-1-service-2', exact: true }).click();
      await muted;
      await tab.goto(link);
      await tab.fill('input[name=days]', '3');
      await tab.getByRole('button', { name: 'Mute' }).click();
      await tab.waitForSelector('text=growth is muted');
      const taken = done.map(([action]) => action);
      expect(taken.join()).toBe('run,acknowledge,unmute,resend,mute,mute');
      const csrf =
        /name="csrf" value="([^"]+)"/.exec((await (await tab.goto(page.url))?.text()) ?? '')?.[1] ?? '';
      expect(csrf).not.toBe('');
      // Another port is another origin of the same site, which gets the cookie.
      await tab.route(foreign.url, (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<form method="post" action="${page.url}actions/run"><input name="csrf" value="${csrf}"><input name="job" value="job-1"><button>go</button></form>`,
        }),
      );
      await tab.goto(foreign.url);
      await tab.click('button');
      await tab.waitForSelector('text=another site');
      expect(done).toHaveLength(6);
    } finally {
      await context.close();
    }
  });
});

test('a report of the archive is shown with its styles, and runs no script', async () => {
  await using fixture = await openPageFixture({});
  await fixture.write(
    'reports/daily/20261121T050000.000Z/report.html',
    `<!doctype html><style>p{color:rgb(1,2,3)}</style><p style="margin:7px">figures</p>
     <img alt="x" src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==">
     <script>document.title = 'run'</script>`,
  );
  const page = await browser.newPage();
  try {
    await page.goto(`${fixture.url}reports/daily/20261121T050000.000Z`, { waitUntil: 'load' });
    const [colour, margin, width, title] = await page.evaluate<unknown[]>(`(() => {
      const { color, margin } = getComputedStyle(document.querySelector('p'));
      return [color, margin, document.querySelector('img').naturalWidth, document.title];
    })()`);
    expect([colour, margin, width, title]).toEqual(['rgb(1, 2, 3)', '7px', 1, '']);
  } finally {
    await page.close();
  }
});
