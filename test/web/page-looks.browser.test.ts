import { mkdir } from 'node:fs/promises';
import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageView } from '../../src/web/index.ts';
import { hostileNames } from '../reports/hostile.ts';
import { faint, overflow } from '../support/page-looks.ts';
import { badMails, badStatus, goodStatus, openPageFixture } from './support/page-fixture.ts';
import { viewOf } from './support/page-views.ts';

/** With a folder in TOLLKEEPER_LOOKS the pictures are kept there, to be looked at. */
const pictures = process.env['TOLLKEEPER_LOOKS'];

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
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
  problem: viewOf(badStatus(ordinaryNames), {
    mails: badMails(ordinaryNames),
    names: ['growth', 'research'],
  }),
  hostile: viewOf(badStatus(hostileNames), { mails: badMails(hostileNames), names: hostileNames }),
};

describe.each(Object.entries(stands))('the page %s', (name, view) => {
  test.each([
    [375, 'light'],
    [375, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)(
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
        if (pictures !== undefined) {
          await mkdir(pictures, { recursive: true });
          await page.screenshot({
            path: `${pictures}/page-${name}-${width}-${colorScheme}.png`,
            fullPage: true,
          });
        }
        expect(await overflow(page)).toEqual([]);
        expect(await faint(page)).toEqual([]);
        expect(await violations(page)).toEqual([]);
        expect(requests.filter((url) => url !== fixture.url && !url.startsWith('data:'))).toEqual([]);
        // A breach of the page's own policy is a message of the console.
        expect(complaints).toEqual([]);
      } finally {
        await context.close();
      }
    },
  );
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
