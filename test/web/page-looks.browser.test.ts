import { mkdir } from 'node:fs/promises';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutboxView, StatusView } from '../../src/web/index.ts';
import { hostileNames } from '../reports/hostile.ts';
import { faint, overflow } from '../support/page-looks.ts';
import { badMails, badStatus, goodStatus, openPageFixture } from './support/page-fixture.ts';

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

const ordinaryNames = [
  'gateway.example.com: connection refused; tried 4 times',
  'ann@example.com',
  'The log lacks USD 12.40 of what the statistics say for 20 Nov.',
];

const stands: Readonly<Record<string, { status: StatusView; mails: readonly OutboxView[] }>> = {
  well: { status: goodStatus, mails: [] },
  problem: { status: badStatus(ordinaryNames), mails: badMails(ordinaryNames) },
  hostile: { status: badStatus(hostileNames), mails: badMails(hostileNames) },
};

describe.each(Object.entries(stands))('%s', (name, { status, mails }) => {
  test.each([
    [375, 'light'],
    [375, 'dark'],
    [900, 'light'],
    [900, 'dark'],
  ] as const)(
    'at %i px, %s: nothing overflows, all can be read, nothing runs',
    async (width, colorScheme) => {
      await using fixture = await openPageFixture({
        status: async () => status,
        outbox: async ({ states, limit }) =>
          mails.filter(({ state }) => states.includes(state)).slice(0, limit),
      });
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
      try {
        const page = await context.newPage();
        const watermark: string[] = [];
        const complaints: string[] = [];
        page.on('request', (request) => watermark.push(request.url()));
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
        expect(watermark.filter((url) => url !== fixture.url && !url.startsWith('data:'))).toEqual([]);
        // A breach of the page's own policy would be told here.
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
