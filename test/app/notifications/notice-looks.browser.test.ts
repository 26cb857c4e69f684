import { mkdir } from 'node:fs/promises';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mail } from '../../../src/notify/index.ts';
import { letters } from '../support/alert-emails.ts';
import { faint, overflow } from '../../support/page-looks.ts';

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

const look = async (
  mail: Pick<Mail, 'html'>,
  { width, colorScheme, name }: { width: number; colorScheme: 'light' | 'dark'; name: string },
) => {
  const context = await browser.newContext({ viewport: { width, height: 700 }, colorScheme });
  try {
    const page = await context.newPage();
    const watermark: string[] = [];
    page.on('request', (request) => watermark.push(request.url()));
    page.on('dialog', (dialog) => watermark.push(dialog.message()));
    await page.setContent(mail.html, { waitUntil: 'load' });
    if (pictures !== undefined) {
      await mkdir(pictures, { recursive: true });
      await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
    const text = await page.evaluate<string>('document.body.innerText');
    return { overflow: await overflow(page), faint: await faint(page), watermark, text };
  } finally {
    await context.close();
  }
};

describe.each(Object.entries(letters))('%s', (name, make) => {
  test.each([
    [600, 'light'],
    [600, 'dark'],
    [375, 'light'],
    [375, 'dark'],
  ] as const)(
    'at %i px, %s: nothing overflows, all text can be read, nothing is fetched',
    async (width, colorScheme) => {
      const mail = make();
      const seen = await look(mail, { width, colorScheme, name: name.replaceAll(' ', '-') });
      expect(seen.overflow).toEqual([]);
      expect(seen.faint).toEqual([]);
      expect(seen.watermark).toEqual([]);
      // What the text part tells, the picture tells as well.
      const flat = (text: string): string => text.replaceAll(/[\s`]+/g, '');
      for (const line of mail.text.split('\n')) {
        const reported = flat(line.replace(/^ +(?:[A-Z][a-z ]+: )?/, ''));
        expect(flat(seen.text)).toContain(reported);
      }
    },
  );
});

test('the layout checks find planted violations', async () => {
  const page = await browser.newPage({ viewport: { width: 375, height: 400 } });
  try {
    await page.setContent(
      '<body><div style="width:500px;color:#aaa;background:#fff">pale, wide</div></body>',
    );
    expect(await overflow(page)).toEqual(['the page scrolls', 'DIV pale, wide']);
    expect(await faint(page)).toEqual(['pale, wide 2.32']);
  } finally {
    await page.close();
  }
});
