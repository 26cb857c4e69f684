import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unixSeconds } from '../../src/core/index.ts';
import { renderReport, standaloneHtml, type ReportModel } from '../../src/reports/index.ts';
import { expectReadable, faint, openBrowser, overflow } from '../support/page-looks.ts';
import { hostileBudgets, someBudgets } from './budgets.ts';
import { busy, busyHostile } from './busy.ts';
import { hostileRows } from './hostile.ts';
import { build, ordinaryRows, shipped } from './sample.ts';
import { anyPrice, openHostileAccount, type Account } from './shipped.ts';

const tileHeights = (page: Page): Promise<number[]> =>
  page.evaluate<number[]>(
    `[...document.querySelectorAll('.f2')].map((tile) => Math.round(tile.getBoundingClientRect().height))`,
  );

const october = '2026-10-01..2026-11-01';

describe('the mail in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  let opening: Promise<Account> | undefined;
  afterAll(async () => (await opening)?.[Symbol.asyncDispose]());
  const hostile = async (report: string, locale?: 'de' | 'zh'): Promise<ReportModel> =>
    (await (opening ??= openHostileAccount())).report(report, {
      deps: anyPrice,
      ...(locale === undefined ? {} : { locale }),
    });

  const digest = async (budgets = someBudgets) => ({
    definition: await shipped('digest'),
    period: 'last-week',
    facts: { budgets },
  });

  const models: Readonly<Record<string, () => Promise<ReportModel>>> = {
    'an ordinary month': () => build({ rows: ordinaryRows() }),
    'one day': () => build({ rows: ordinaryRows(), period: 'yesterday' }),
    'missing days': () =>
      build({
        rows: ordinaryRows(),
        facts: {
          dataThrough: unixSeconds(Date.UTC(2026, 10, 17) / 1000),
          reconciliation: { verdict: 'unexplained', text: '12.30 USD are unexplained.', good: false },
          warnings: ['A window was cut off by the gateway.'],
        },
      }),
    'hostile names and huge amounts': () => build({ rows: hostileRows(), account: '<b>Acme</b> & Sons' }),
    'hostile names on one day': () => build({ rows: hostileRows(), period: '2026-11-18..2026-11-19' }),
    'in Chinese': () => build({ rows: ordinaryRows(), locale: 'zh', currency: 'CNY' }),
    'in Chinese, days missing and names hostile': () =>
      build({
        rows: hostileRows(),
        locale: 'zh',
        facts: { dataThrough: unixSeconds(Date.UTC(2026, 10, 17) / 1000) },
      }),
    'in German': () => build({ rows: ordinaryRows(), locale: 'de', currency: 'EUR' }),
    'token economics, names hostile, in German': () => hostile('token-economics', 'de'),
    'key inventory, names hostile, in Chinese': () => hostile('key-inventory', 'zh'),
    'key inventory, names hostile, in German': () => hostile('key-inventory', 'de'),
    'reconciliation, names hostile, in German': () => hostile('reconciliation', 'de'),
    'much to look at, on one day': () => build({ rows: ordinaryRows(), period: 'yesterday', others: busy() }),
    'much to look at, names hostile': () => build({ rows: hostileRows(), others: busyHostile() }),
    'much to look at, in German': () =>
      build({ rows: ordinaryRows(), others: busy(), locale: 'de', period: 'month-to-date' }),
    'showback, names hostile': async () =>
      build({ rows: hostileRows(), others: busyHostile(), definition: await shipped('showback') }),
    'showback in Chinese': async () =>
      build({ rows: ordinaryRows(), others: busy(), definition: await shipped('showback'), locale: 'zh' }),
    'a statement': async () =>
      build({ rows: ordinaryRows(), period: october, definition: await shipped('statement') }),
    'a statement in Chinese, a draft, names hostile': async () =>
      build({ rows: hostileRows(), definition: await shipped('statement'), locale: 'zh' }),
    'budgets and causes': () => build({ rows: ordinaryRows(), facts: { budgets: someBudgets } }),
    'budgets and causes, names hostile': () =>
      build({ rows: hostileRows(), facts: { budgets: hostileBudgets } }),
    'budgets and causes, in German': () =>
      build({ rows: ordinaryRows(), facts: { budgets: someBudgets }, locale: 'de' }),
    'a digest': async () => build({ rows: ordinaryRows(), ...(await digest()), others: busy() }),
    'a digest, names hostile': async () =>
      build({ rows: hostileRows(), ...(await digest(hostileBudgets)), others: busyHostile() }),
    'a digest in Chinese': async () =>
      build({ rows: ordinaryRows(), ...(await digest()), others: busy(), locale: 'zh' }),
    'nothing at all': () => build({ rows: [], facts: 'nothing pulled' }),
  };

  describe.each(Object.entries(models))('%s', (name, make) => {
    let whole: string;
    let bare: string;
    beforeAll(async () => {
      const rendered = await renderReport(await make());
      whole = standaloneHtml(rendered);
      bare = rendered.html;
    });

    test.each([
      [600, 'light', 'on'],
      [600, 'dark', 'on'],
      [375, 'light', 'on'],
      [375, 'dark', 'on'],
      [375, 'light', 'off'],
      [600, 'dark', 'off'],
    ] as const)(
      'at %i px, %s, images %s: nothing overflows, all text can be read',
      async (width, colorScheme, images) => {
        const html = images === 'on' ? whole : bare;
        await expectReadable(
          browser,
          html,
          { width, colorScheme },
          `report-${name}-${images}`,
          async (page) => {
            // The line between two rows of tiles belongs to one of them.
            const heights = await tileHeights(page);
            expect(
              Math.max(0, ...heights) - Math.min(...heights, Number.MAX_SAFE_INTEGER),
            ).toBeLessThanOrEqual(1);
          },
        );
      },
    );
  });

  const oneBudget = { budgets: someBudgets.slice(0, 1) };
  test.each([
    ['a day', 1600, () => build({ rows: ordinaryRows(), period: 'yesterday', facts: oneBudget })],
    ['a month', 2500, () => build({ rows: ordinaryRows(), period: october, facts: oneBudget })],
    ['a day in German', 1700, () => build({ rows: ordinaryRows(), period: 'yesterday', locale: 'de' })],
    ['a day, names hostile', 3000, () => build({ rows: hostileRows(), period: '2026-11-18..2026-11-19' })],
  ] as const)('the mail about %s is at most %i px high', async (name, most, make) => {
    const { mail } = await renderReport(await make());
    const html = standaloneHtml(mail);
    await expectReadable(browser, html, { width: 600 }, `mail-${name}`, async (page) => {
      const height = await page.evaluate<number>('document.documentElement.scrollHeight');
      expect(height).toBeLessThanOrEqual(most);
    });
    await expectReadable(browser, html, { width: 375, colorScheme: 'dark' }, `mail-${name}`);
  });

  test.each(['en', 'de', 'zh'] as const)('each budget takes one line at 600 px (%s)', async (locale) => {
    const { mail } = await renderReport(
      await build({ rows: ordinaryRows(), facts: { budgets: someBudgets }, locale }),
    );
    await expectReadable(browser, standaloneHtml(mail), { width: 600 }, `budgets-${locale}`, async (page) => {
      const heights = await page.evaluate<number[]>(
        "[...document.querySelector('.tr').closest('.t').rows].slice(1).map((row) => row.offsetHeight)",
      );
      expect(heights).toHaveLength(someBudgets.length);
      expect(Math.max(...heights)).toBeLessThan(36);
    });
  });

  test('the layout checks find planted violations', async () => {
    const page = await browser.newPage({ viewport: { width: 375, height: 400 } });
    try {
      await page.setContent(
        '<body><div style="width:500px;color:#aaa;background:#fff">pale and wide</div></body>',
      );
      expect(await overflow(page)).toEqual(['the page scrolls', 'DIV pale and wide']);
      expect(await faint(page)).toEqual(['pale and wide 2.32']);
    } finally {
      await page.close();
    }
  });
});
