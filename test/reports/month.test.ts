import { describe, expect, test, it } from 'vitest';
import {
  compareMoney,
  money,
  multiplyMoney,
  sumMoney,
  unixSeconds,
  localeTags,
} from '../../src/core/index.ts';
import { renderReport, type ReportModel } from '../../src/reports/index.ts';
import { approved, titled, mailText } from '../support/approved.ts';
import { restatedDay } from './busy.ts';
import type { CubeRow } from './cube.ts';
import { build, ordinaryRows, shipped } from './sample.ts';
import { figuresOf, findTable } from './parts.ts';

const looksOf = (model: ReportModel): readonly string[] =>
  model.sections.flatMap((section) =>
    section.kind === 'notes' && section.title === 'Worth a look'
      ? section.notes.map(({ tone, text }) => `${tone === 'warning' ? '! ' : ''}${text}`)
      : [],
  );

/** What is worth a look without its figures, such as `search is idle`. */
const found = (looks: readonly string[]): readonly string[] =>
  looks.map((text) => /^(?:! )?(?:The key )?(.+? (?:expires|is new|is idle|cost))\b/.exec(text)?.[1] ?? text);

const secondsOf = (moment: string): number => Date.parse(moment) / 1000;

const spent = (rows: readonly CubeRow[], from: string, to: string): string =>
  sumMoney(
    rows
      .filter(({ quarter }) => quarter >= secondsOf(from) && quarter < secondsOf(to))
      .map(({ spend }) => money(spend)),
  );

const rows = ordinaryRows();
const owned = rows.map((row) => (row.key?.startsWith('prod-') === true ? { ...row, team: 'Prod' } : row));
const budgets = (month: string) => ({ budgets: [{ scope: 'account', month, currency: 'USD' }] });

describe('the figures of a spend mail', () => {
  test('a daily mail compares the day with its week, and shows the month to date, the forecast against the budget and the cost of tokens', async () => {
    const model = await build({ rows, period: 'yesterday', others: budgets('15000') });
    const figures = figuresOf(model);
    expect([...figures.keys()]).toEqual(['This day', 'Month to date', 'Forecast', 'Per 1M tokens']);
    expect(figures.get('This day')?.value.exact).toBe(model.headline.value.exact);
    expect(figures.get('This day')?.note?.text).toContain('previous 7 days');
    const month = spent(rows, '2026-10-31T23:00:00Z', '2026-11-19T23:00:00Z');
    expect(figures.get('Month to date')?.value.exact).toBe(month);
    expect(figures.get('Month to date')?.note?.text).toBe('19 of 30 days');
    const pace = money(spent(rows, '2026-11-05T23:00:00Z', '2026-11-19T23:00:00Z'));
    const forecast = sumMoney([multiplyMoney(money(month), money('14')), multiplyMoney(pace, money('11'))]);
    const output = figures.get('Forecast');
    expect(multiplyMoney(output?.value.exact ?? money('0'), money('14')).slice(0, 12)).toBe(
      forecast.slice(0, 12),
    );
    expect(output?.note).toEqual({
      text: expect.stringMatching(/^9\d\.\d% of the \$15,000\.00 budget$/) as string,
      tone: 'neutral',
    });
  });

  test('a forecast above the budget is highlighted, a mail without a budget shows the pace, and a finished month has no forecast', async () => {
    const over = figuresOf(await build({ rows, period: 'yesterday', others: budgets('9000') })).get(
      'Forecast',
    );
    expect(over?.note).toMatchObject({ tone: 'bad' });
    const none = figuresOf(await build({ rows, period: 'yesterday' })).get('Forecast');
    expect(none?.note).toEqual({ text: 'at the rate of 14 days', tone: 'neutral' });
    const whole = figuresOf(await build({ rows, period: '2026-10-01..2026-11-01', others: budgets('9000') }));
    expect([...whole.keys()]).toEqual(['Daily average', 'Calls', 'Budget', 'Per 1M tokens']);
    expect(whole.get('Budget')?.note?.text).toBe('of $9,000.00 spent');
    expect(compareMoney(whole.get('Budget')?.value.exact ?? money('0'), money('1'))).toBe(1);
  });

  test('a month without data for its first days has no month to date', async () => {
    const figures = figuresOf(
      await build({
        rows,
        period: 'yesterday',
        others: budgets('9000'),
        facts: { dataSince: unixSeconds(secondsOf('2026-11-10T12:00:00Z')) },
      }),
    );
    expect([...figures.keys()]).toEqual(['This day', 'Month to date', 'Per 1M tokens']);
    expect(figures.get('Month to date')?.note).toEqual({
      text: expect.stringContaining('9 of 19 days') as string,
      tone: 'bad',
    });
    expect(figures.get('Month to date')?.value.exact).toBe(
      spent(rows, '2026-11-10T23:00:00Z', '2026-11-19T23:00:00Z'),
    );
  });
});

const key = (name: string, more: Readonly<Record<string, string | number | boolean | null>> = {}) => {
  const shown = {
    key_id: 1,
    name,
    status: 1,
    created_seconds: secondsOf('2026-01-05T09:00:00Z'),
    last_call_seconds: secondsOf('2026-11-19T12:00:00Z'),
    spend: '12.5',
    generation: null,
    rotated: false,
    succeeded: false,
    ...more,
  };
  const ofService = {
    service: name,
    service_last_call_seconds: shown.last_call_seconds,
    service_spend: shown.spend,
  };
  return { ...ofService, ...shown };
};

describe('the section of anomalies', () => {
  const keys = [
    key('calm'),
    key('soon gone', { expires_seconds: secondsOf('2026-11-25T11:00:00Z') }),
    key('gone', { expires_seconds: secondsOf('2026-11-19T11:00:00Z') }),
    key('later gone', { expires_seconds: secondsOf('2027-02-01T11:00:00Z') }),
    key('just made', { created_seconds: secondsOf('2026-11-19T07:30:00Z') }),
    key('idle since long', { last_call_seconds: secondsOf('2026-06-01T08:00:00Z') }),
    key('idle since now', { last_call_seconds: secondsOf('2026-10-20T12:00:00Z') }),
    key('idle and disabled', { status: 2, last_call_seconds: secondsOf('2026-06-01T08:00:00Z') }),
    key('never used', { last_call_seconds: null }),
  ];
  const fresh: CubeRow = {
    quarter: secondsOf('2026-11-19T10:00:00Z'),
    model: 'gpt-6',
    key: 'calm',
    spend: '3',
  };

  test('a daily mail reports each new and idle key once', async () => {
    const model = await build({ rows: [...rows, fresh], period: 'yesterday', others: { keys } });
    expect(found(looksOf(model))).toEqual([
      'soon gone expires',
      'gpt-6 is new',
      'just made is new',
      'idle since now is idle',
    ]);
  });

  test('a mail for a longer period reports all idle keys and unusual days', async () => {
    const model = await build({ rows: [...rows, fresh], others: { keys } });
    expect(found(looksOf(model))).toEqual([
      'soon gone expires',
      'Nov 12 cost',
      'gpt-5.1 cost',
      'gpt-6 is new',
      'just made is new',
      'never used is idle',
      'idle since long is idle',
      'idle since now is idle',
    ]);
    const daily = await build({ rows: [...rows, fresh], period: 'yesterday', others: { keys } });
    const shown = [
      ['30 days', looksOf(model).join('\n')],
      ['yesterday', looksOf(daily).join('\n')],
    ] as const;
    await expect(titled(shown)).toMatchFileSnapshot(approved('reports/worth-a-look'));
    const order = model.sections.map(({ kind, title }) => title ?? kind);
    expect(order.slice(0, 5)).toEqual([
      'Worth a look',
      'figures',
      'What changed',
      'Daily spend by model',
      'Top models by spend',
    ]);
  });

  test('a rotated key is not reported as new, and its predecessor is neither idle nor missing', async () => {
    const line = { service: 'billing', generation: 8, service_spend: '40' };
    const soon = secondsOf('2026-11-21T11:00:00Z');
    const old = secondsOf('2026-10-20T12:00:00Z');
    const made = secondsOf('2026-11-19T07:30:00Z');
    const before = { ...line, succeeded: true, rotated: true };
    const rotation = [
      key('billing.g7', { ...before, expires_seconds: soon, last_call_seconds: old }),
      key('billing.g8', { ...line, rotated: true, created_seconds: made, last_call_seconds: null }),
    ];
    const reported = async (shown: readonly ReturnType<typeof key>[]) =>
      looksOf(await build({ rows, period: 'yesterday', others: { keys: shown } }));
    expect(await reported(rotation)).toEqual([]);
    // What is still in use is missed when it expires.
    const used = { last_call_seconds: secondsOf('2026-11-20T06:00:00Z') };
    expect(found(await reported([key('billing.g7', { ...before, ...used, expires_seconds: soon })]))).toEqual(
      ['billing.g7 expires'],
    );
    // The first key of a service is new, and the last one idle, under the name of the service.
    const looks = await reported([
      key('billing.g1', { ...line, created_seconds: made }),
      key('search.g4', { service: 'search', generation: 4, rotated: true, service_last_call_seconds: old }),
    ]);
    expect(found(looks)).toEqual(['billing is new', 'search is idle']);
    expect(looks[0]).toContain('$40.00');
    expect(looks[1]).toContain('Oct 20 14:00');
  });

  test('a key without calls counts as idle since the start of the log', async () => {
    const facts = { dataSince: unixSeconds(secondsOf('2026-09-25T00:00:00Z')) };
    const reported = looksOf(await build({ rows, facts, others: { keys } }));
    expect(reported.find((text) => text.includes('never used'))).toContain('Sep 25 02:00');
  });

  test('nothing is reported for time before the data starts', async () => {
    const facts = { dataSince: unixSeconds(secondsOf('2026-11-15T00:00:00Z')) };
    const model = await build({ rows: [...rows, fresh], period: 'yesterday', facts, others: { keys } });
    expect(looksOf(model).filter((text) => /idle|gpt-6/.test(text))).toEqual([]);
  });
});

describe('restated days', () => {
  const restated = [
    restatedDay('2026-11-17', '2026-11-20T05:00:00Z', '1.25'),
    restatedDay('2026-11-17', '2026-11-20T06:00:00Z', '-0.25'),
    // Before the mail of the day before, while the day went on, and to and fro.
    restatedDay('2026-11-16', '2026-11-18T05:00:00Z', '9'),
    restatedDay('2026-11-19', '2026-11-19T12:00:00Z', '9'),
    restatedDay('2026-11-15', '2026-11-20T05:00:00Z', '3'),
    restatedDay('2026-11-15', '2026-11-20T06:00:00Z', '-3'),
  ];

  test('restated days show the old and new figures since the previous mail', async () => {
    const model = await build({ rows, period: 'yesterday', others: { restated_days: restated } });
    const table = findTable(model, 'Restated days');
    const is = money(spent(rows, '2026-11-16T23:00:00Z', '2026-11-17T23:00:00Z'));
    expect(table?.rows.map(({ cells }) => cells.slice(0, 4).map(({ exact, text }) => exact ?? text))).toEqual(
      [['Nov 17', sumMoney([is, money('-1')]), is, '1']],
    );
    const weekly = await build({
      rows,
      period: '2026-11-13..2026-11-20',
      others: { restated_days: restated },
    });
    expect(findTable(weekly, 'Restated days')?.rows.map(({ cells }) => cells[0]?.text)).toEqual([
      'Nov 17',
      'Nov 16',
    ]);
    expect(findTable(await build({ rows }), 'Restated days')).toBe(undefined);
  });
});

describe('teams', () => {
  test('each team has a row, spend without a team has one, and there is no table without teams', async () => {
    const model = await build({ rows: owned, others: { teams: [{ team: 'Prod', position: 0 }] } });
    const table = findTable(model, 'Teams');
    expect(table?.rows.map(({ cells }) => cells[0]?.text)).toEqual(['Prod', '(unassigned)', 'Total']);
    expect(table?.rows.at(-1)?.cells[2]?.exact).toBe(model.headline.value.exact);
    expect(findTable(await build({ rows: owned }), 'Teams')).toBe(undefined);
  });
});

describe('60 models and 2,000 keys', () => {
  const many: readonly CubeRow[] = Array.from({ length: 6000 }, (_, at) => ({
    quarter: secondsOf('2026-10-01T00:00:00Z') + ((at * 6571) % (50 * 86_400)),
    model: `provider/"model" & <family>-${at % 60}-${'x'.repeat(at % 90)}`,
    key: `team-${at % 2000}-${'ключ'.repeat(at % 20)}`,
    spend: `${at}.${String(at).padStart(8, '7')}`,
  }));

  test.each([
    ['spend-summary', '2026-10-21..2026-11-20'],
    ['spend-summary', 'yesterday'],
    ['statement', '2026-10-01..2026-11-01'],
    ['showback', '2026-10-21..2026-11-20'],
    ['digest', 'last-week'],
  ])('%s over %s stays under 90 kB, every sum exact', async (name, period) => {
    const model = await build({ rows: many, period, definition: await shipped(name) });
    const { html, mail } = await renderReport(model);
    expect(Buffer.byteLength(mail.html)).toBeLessThan(90_000);
    expect(Buffer.byteLength(html)).toBeLessThan(90_000);
    for (const section of model.sections) {
      if (section.kind !== 'table' || /^(Tokens|What changed)/.test(section.title)) continue;
      const at = section.columns.findIndex(({ label }) => label === 'Spend');
      const amounts = section.rows.map(({ cells }) => cells[at]?.exact ?? money('0'));
      expect(sumMoney(amounts.slice(0, -1))).toBe(amounts.at(-1));
      expect(amounts.at(-1)).toBe(model.headline.value.exact);
    }
  });
});

const others = {
  budgets: [{ scope: 'account', month: '15000', currency: 'USD' }],
  teams: [{ team: 'Prod', position: 0 }],
};

const examples = [
  ['spend-summary', 'yesterday'],
  ['spend-summary', 'last-week'],
  ['digest', 'last-week'],
  ['statement', '2026-10-01..2026-11-01'],
  ['showback', 'last-week'],
] as const;

it.each(localeTags)('mails of reports have their approved text in %s', async (locale) => {
  const mails: [title: string, text: string][] = [];
  for (const [name, period] of examples) {
    const definition = await shipped(name);
    const { mail, subject, preheader } = await renderReport(
      await build({ rows: owned, period, others, definition, locale }),
    );
    mails.push([
      `${name}, ${period}`,
      `${mailText({ subject, text: mail.text })}\n\nPreheader: ${preheader}`,
    ]);
  }
  await expect(titled(mails)).toMatchFileSnapshot(approved('reports/mails', locale));
});
