import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { localeTags, money, unixMillis, type LocaleTag } from '../../../src/core/index.ts';
import { budgetAlert, budgetRecovery } from '../../../src/jobs/alert/rules/budget/budget-mails.ts';
import type { AlertNotice, MailContext, RecordGroup } from '../../../src/jobs/alert/rule.ts';
import type { Explanation } from '../../../src/jobs/alert/rules/budget/read-explanations.ts';
import { runwayAlert } from '../../../src/jobs/alert/rules/runway/runway-mails.ts';
import { behaviourAlert } from '../../../src/jobs/alert/rules/key-behaviour/behaviour-mails.ts';
import { priceAlert } from '../../../src/jobs/alert/rules/price-change/price-mails.ts';
import type { PriceStatus } from '../../../src/jobs/alert/rules/price-change/stored.ts';
import type { UnusualStatus } from '../../../src/jobs/alert/rules/unusual/stored.ts';
import { unusualAlert } from '../../../src/jobs/alert/rules/unusual/unusual-mails.ts';
import { unknownAlert } from '../../../src/jobs/alert/rules/budget/unknown-mails.ts';
import { localeOf } from '../../../src/messages/index.ts';
import type { Assessment } from '../../../src/monitoring/index.ts';
import { renderAlertEmail } from '../../../src/reports/index.ts';
import { assessed, hostileBudgets } from '../../reports/budgets.ts';
import { expectReadable, openBrowser } from '../../support/page-looks.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const now = unixMillis(Date.parse('2026-11-20T00:00:00Z'));
const contextIn = (tag: LocaleTag): MailContext => ({
  account: 'main',
  zone: 'Europe/Berlin',
  locale: localeOf(tag),
  now,
  operators: ['ops@example.com'],
});

const records = ({ budget, period }: Assessment, first: string, ...more: readonly string[]): RecordGroup => {
  const of = (level: string) =>
    ({ alert: budget.name, level, period: String(period.start), state: 'firing', raisedAt: now }) as const;
  return [of(first), ...more.map(of)];
};

const cause =
  'longer calls, $612.40 of the $700.12 increase; largest contributor: claude-sonnet-5 on key prod-search, +$590.00';

const exceeded = assessed('search-production', '1040.123456');
const hostile = hostileBudgets.at(-1) ?? exceeded;
const explanation = (text: string, name: string): Explanation => ({
  cause: text,
  tables: [
    {
      title: 'Models',
      rows: [
        { name, amount: '$612.40', share: '58.9%' },
        { name: 'gpt-5-mini', amount: '$300.02', share: '28.8%' },
        { name: '3 others', amount: '$127.70', share: '12.3%' },
      ],
    },
    { title: 'Services', rows: [{ name: 'prod-search', amount: '$1,040.12', share: '100.0%' }] },
  ],
});

const letters: Readonly<Record<string, (context: MailContext) => AlertNotice | readonly AlertNotice[]>> = {
  exceeded: (context) =>
    budgetAlert(
      records(exceeded, 'actual 80%', 'actual 100%'),
      exceeded,
      explanation(cause, 'claude-sonnet-5'),
      context,
    ),
  forecast: (context) => {
    const growth = assessed('growth', '650');
    return budgetAlert(records(growth, 'forecast 100%'), growth, undefined, context);
  },
  'names hostile': (context) =>
    budgetAlert(
      records(hostile, 'actual 100%'),
      hostile,
      explanation(
        `longer calls, +$1; largest contributor: <img src=x onerror=alert(1)> on key ${'x'.repeat(200)}`,
        `<img src=x onerror=alert(1)>${'x'.repeat(200)}`,
      ),
      { ...context, account: '"><style>*{display:none}</style>' },
    ),
  recovered: (context) => {
    const low = assessed('search-production', '640');
    return budgetRecovery(records(low, 'actual 80%'), low, context);
  },
  unknown: (context) =>
    unknownAlert(
      [{ alert: 'data', level: 'unknown', period: '1', state: 'firing', raisedAt: now }],
      [assessed('late', '123', { late: true }), assessed('unreadable', '1456', { unreadableRows: 3 })],
      context,
    ),
  runway: (context) => {
    const runway = {
      state: 'known',
      left: money('1234.5'),
      perDay: money('250.25'),
      days: 4.93,
      low: 4.1,
      high: 6.2,
      emptyAt: unixMillis(now + 4.93 * 86_400_000),
    } as const;
    return runwayAlert(
      [{ alert: 'runway', level: '7 days left', period: '1', state: 'firing', raisedAt: now }],
      { alert: 'runway', kind: 'runway', readAt: now, runway },
      runway,
      context,
    );
  },
};

const nasty = `<img src=x onerror=alert(1)>${'x'.repeat(120)}`;

/** Rules beside those of budgets and balances. */
const others: typeof letters = {
  'unusual spend': (context) => {
    const status = (of: UnusualStatus['of'], name: string): UnusualStatus => ({
      kind: 'unusual',
      state: 'unusual',
      of,
      name,
      currency: 'USD',
      window: of === 'service' ? 'day' : 'hour',
      spend: money('1240.52'),
      usual: money('402.1'),
      calls: 12_500,
      usualCalls: 4010,
      since: now / 1000 - 7200,
      end: now / 1000,
      contributions: [
        { model: 'claude-sonnet-5', service: 'prod-search', more: money('612.4') },
        { model: nasty, service: 'مفتاح الإنتاج', more: money('20') },
      ],
    });
    const statuses = new Map([
      ['unusual:account', { status: status('account', 'main') }],
      ['unusual:model:claude-sonnet-5', { status: status('model', 'claude-sonnet-5') }],
      ['unusual:service:prod-search', { status: status('service', nasty) }],
    ]);
    const [first = '', ...more] = statuses.keys();
    const of = (alert: string) =>
      ({ alert, level: 'unusual', period: '1', state: 'firing', raisedAt: now }) as const;
    return unusualAlert([of(first), ...more.map(of)], statuses, context);
  },
  'use of a key': (context) =>
    behaviourAlert(
      [{ alert: 'key-behaviour:prod', level: 'unusual', period: '1', state: 'firing', raisedAt: now }],
      {
        kind: 'key-behaviour',
        state: 'unusual',
        key: 'prod-search-7',
        service: 'prod-search',
        currency: 'USD',
        spend: money('3120.5'),
        usual: money('41.2'),
        newModels: ['claude-opus-5', nasty],
        newHours: [1, 2, 3, 22],
        since: now / 1000 - 86_400,
      },
      context,
    ),
  'price of a model': (context) => {
    const findings = [
      {
        reason: 'unbilled',
        classes: [{ class: 'input_cache_read_tokens', before: money('0.3'), after: money('0') }],
        first: now / 1000 - 3600,
        month: money('-412.5'),
      },
      {
        reason: 'changed',
        key: 'prod-search-7',
        classes: [
          { class: 'input_uncached_tokens', before: money('3'), after: money('3.15') },
          { class: 'output_plain_tokens', before: money('15'), after: money('15.75') },
        ],
        first: now / 1000 - 3600,
      },
    ] satisfies PriceStatus['findings'];
    const status: PriceStatus = {
      kind: 'price',
      state: 'changed',
      currency: 'USD',
      unit: money('0.000001'),
      fits: [],
      until: 0,
      findings,
    };
    const of = (level: string) =>
      ({ alert: 'price-change:m', level, period: '1', state: 'firing', raisedAt: now }) as const;
    return priceAlert([of('unbilled'), of('changed')], 'claude-sonnet-5', status, context);
  },
};

const all = localeTags.flatMap((tag) =>
  Object.entries({ ...letters, ...others }).map(([name, make]) => [`${name} ${tag}`, tag, make] as const),
);

describe.each(all)('an alert mail, %s,', (name, tag, make) => {
  test.each([
    [600, 'light'],
    [600, 'dark'],
    [375, 'light'],
    [375, 'dark'],
  ] as const)(
    'at %i px, %s: nothing overflows, all text can be read, nothing is fetched',
    async (width, colorScheme) => {
      const context = contextIn(tag);
      const { html } = renderAlertEmail({
        ...([make(context)].flat()[0] ?? { title: '', blocks: [], closing: [], recipients: '' }),
        locale: context.locale,
        page: 'https://tollkeeper.example.com/',
        action: `https://tollkeeper.example.com/alert-links/${'signed'.repeat(40)}.${'mac'.repeat(14)}`,
      });
      await expectReadable(browser, html, { width, colorScheme }, `alert-${name}`);
    },
  );
});
