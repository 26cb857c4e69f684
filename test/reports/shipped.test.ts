import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addMoney,
  money,
  sumMoney,
  unixMillis,
  unixSeconds,
  zero,
  type Money,
} from '../../src/core/index.ts';
import { renderReport, type ReportModel } from '../../src/reports/index.ts';
import { approved } from '../support/approved.ts';
import { hostileNames } from './hostile.ts';
import { all, parseHtml, textOf } from './markup.ts';
import {
  anyPrice,
  keyOf,
  lastDay,
  openAccount,
  openHostileAccount,
  type Account,
  type Call,
} from './shipped.ts';
import { figuresOf, findTable, notesOf, paragraphsOf } from './parts.ts';

const reports = ['token-economics', 'key-inventory', 'reconciliation'] as const;

const columnOf = (model: ReportModel, title: string, label: string): readonly (Money | null)[] => {
  const table = findTable(model, title);
  const at = table?.columns.findIndex((column) => column.label === label) ?? -1;
  return table?.rows.map(({ cells }) => cells[at]?.exact ?? null) ?? [];
};

const cellsOf = (model: ReportModel, title: string): readonly (readonly string[])[] =>
  findTable(model, title)?.rows.map(({ cells }) => cells.map(({ text }) => text)) ?? [];

/** The rows of a table add up to its total. */
const totalOf = (model: ReportModel, title: string, label: string): Money => {
  const cells = columnOf(model, title, label);
  const total = cells.at(-1) ?? zero;
  expect(sumMoney(cells.slice(0, -1).map((cell) => cell ?? zero))).toBe(total);
  return total;
};

const messageBy = (model: ReportModel) => [...notesOf(model), ...paragraphsOf(model)];

/** What each report shows as the spend of the period, piece by piece. */
const spendOf = (name: (typeof reports)[number], model: ReportModel): readonly Money[] => {
  if (name === 'key-inventory')
    return [
      addMoney(
        totalOf(model, 'Keys', 'Spend'),
        findTable(model, 'Spend by names that are not listed') === undefined
          ? zero
          : totalOf(model, 'Spend by names that are not listed', 'Spend'),
      ),
    ];
  const headline = model.headline.value.exact ?? zero;
  return name === 'reconciliation'
    ? [headline]
    : [headline, totalOf(model, 'Output tokens by model', 'Spend')];
};

describe('an account with hostile names', () => {
  let account: Account;
  let summary: ReportModel;
  beforeAll(async () => {
    account = await openHostileAccount();
    summary = await account.report('spend-summary');
  });
  afterAll(() => account[Symbol.asyncDispose]());

  test.each(reports)(
    '%s turns no part of a name into markup, and has the sums of spend-summary',
    async (name) => {
      for (const locale of ['en', 'de', 'zh'] as const) {
        const model = await account.report(name, { locale, deps: anyPrice });
        const { html, text, subject } = await renderReport(model);
        const root = parseHtml(html);
        for (const tag of ['script', 'a', 'b', 'form', 'iframe']) expect(all(root, tag)).toEqual([]);
        // They are there, as text.
        const shown = textOf(root);
        expect(hostileNames.filter((one) => one.includes('<') && shown.includes(one.trim()))).not.toEqual([]);
        expect(Buffer.byteLength(html)).toBeLessThan(90_000);
        expect(`${text.replaceAll('\n', '')}${subject}`).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
        if (locale === 'en')
          for (const spend of spendOf(name, model)) expect(spend).toBe(summary.headline.value.exact);
      }
    },
  );

  test('reconciliation shows each source with the largest gap first, and each restated day', async () => {
    const model = await account.report('reconciliation');
    expect(cellsOf(model, 'Sources').map(([source, , , , unit, verdict]) => [source, unit, verdict])).toEqual(
      [
        ['Statistics', 'units', 'incomplete'],
        ['Usage by model', 'units', 'refunds apart'],
        ['Usage by key', 'USD', 'converted'],
        ['used_quota', 'USD', 'late data'],
      ],
    );
    expect(columnOf(model, 'Sources', 'Gap')[0]).toBe('-123456.123456789012');
    expect(messageBy(model).filter((text) => text.includes('not compared'))).toEqual([
      expect.stringMatching(/^balance .* used_quota/),
    ]);
    // Two calls fell away, one came to another amount.
    const before = totalOf(model, 'Restated days', 'Original');
    expect(addMoney(before, totalOf(model, 'Restated days', 'Change'))).toBe(
      totalOf(model, 'Restated days', 'Current'),
    );
    expect(sumMoney([money('7777777.7'), money('-98765.4321'), money('-1234567.891234567892')])).toBe(
      totalOf(model, 'Restated days', 'Change'),
    );
    expect(cellsOf(model, 'Restated days')).toHaveLength(4);
  });
});

describe('an empty account', () => {
  test.each(reports)(
    '%s reports that there is no data, and shows no zero for an unknown value',
    async (name) => {
      await using account = await openAccount();
      for (const locale of ['en', 'de', 'zh'] as const) {
        const model = await account.report(name, { locale });
        expect(model.headline.value.exact).toBeNull();
        expect(model.sections.filter(({ kind }) => kind === 'table' || kind === 'chart')).toEqual([]);
        const { html, text } = await renderReport(model);
        expect(parseHtml(html).children.length).toBeGreaterThan(0);
        // German says that missing days are not zero.
        expect(text.replaceAll(/nicht\s+null/g, '')).not.toMatch(/NaN|undefined|null/);
      }
      const stated = messageBy(await account.report(name));
      if (name === 'key-inventory')
        expect(stated).toEqual(
          expect.arrayContaining([
            expect.stringMatching(/^There is no key inventory/) as string,
            expect.stringMatching(/^No call log has been/) as string,
          ]),
        );
    },
  );
});

describe('the key inventory', () => {
  const keys = [
    keyOf(1, 'busy'),
    keyOf(2, 'idle', { unlimitedQuota: true }),
    keyOf(3, 'twice', { keyMask: 'sk-one' }),
    keyOf(4, 'twice', { keyMask: 'sk-two', expiredTime: unixSeconds(lastDay(-5)) }),
    keyOf(5, 'over', { expiredTime: unixSeconds(lastDay(2)) }),
    keyOf(6, 'empty', { remainQuota: zero }),
    keyOf(7, 'off', { status: 2 }),
    keyOf(8, 'fresh', { createdTime: unixSeconds(lastDay(3)) }),
  ];
  const calls: readonly Call[] = [
    { at: lastDay(1), model: 'm', key: 'busy', charge: '3' },
    { at: lastDay(45), model: 'm', key: 'idle', charge: '9' },
    { at: lastDay(1), model: 'm', key: 'twice', charge: '2' },
    { at: lastDay(1), model: 'm', key: 'over', charge: '0.25' },
    { at: lastDay(4), model: 'm', key: 'deleted', charge: '0.125' },
  ];

  test('shows age, expiry, last call and spend, and the keys that need attention', async () => {
    await using account = await openAccount();
    await account.land(calls);
    const { snapshots } = account.warehouse;
    await snapshots.land({
      account: 'main',
      takenAt: unixMillis(lastDay(10) * 1000),
      keys: [...keys.slice(0, 7), keyOf(9, 'deleted')],
    });
    await snapshots.land({ account: 'main', takenAt: unixMillis(lastDay(0, 5) * 1000), keys });
    const model = await account.report('key-inventory');
    expect(model.headline.value.text).toBe('8');
    expect([...figuresOf(model)].map(([label, { value }]) => [label, value.text])).toEqual([
      ['Idle for 30 days', '1'],
      ['Expire within 30 days', '1'],
      ['Without a quota limit', '1'],
      ['Sharing a name', '2'],
    ]);
    expect(cellsOf(model, 'Keys')).toEqual([
      ['busy', 'usable', '172 d', 'never', 'Nov 19 10:00', '$3.00'],
      ['twice', 'usable', '172 d', 'never', 'Nov 19 10:00', '$2.00'],
      ['over', 'expired', '172 d', 'Nov 18 10:00', 'Nov 19 10:00', '$0.25'],
      ['empty', 'exhausted', '172 d', 'never', '–', '$0.00'],
      ['fresh', 'usable', '2 d 22 h', 'never', '–', '$0.00'],
      ['idle', 'usable', '172 d', 'never', 'Oct 6 11:00', '$0.00'],
      ['off', 'status 2', '172 d', 'never', '–', '$0.00'],
      ['twice', 'usable', '172 d', 'Nov 25 10:00', 'Nov 19 10:00', '–'],
      ['Total', '', '', '', '', '$5.25'],
    ]);
    expect(cellsOf(model, 'Idle for 30 days')).toEqual([['idle', '172 d', 'Oct 6 11:00', '44 d']]);
    expect(cellsOf(model, 'Expire within 30 days').map(([name]) => name)).toEqual(['twice']);
    expect(cellsOf(model, 'Keys that share a name').map(([, mask]) => mask)).toEqual(['sk-one', 'sk-two']);
    expect(cellsOf(model, 'Without a quota limit')[0]).toEqual(['idle', '172 d', 'Oct 6 11:00', '$0.00']);
    expect(columnOf(model, 'Spend by names that are not listed', 'Spend')).toEqual(['0.125', '0.125']);
    await expect((await renderReport(model)).text).toMatchFileSnapshot(approved('reports/key-inventory'));
  });

  test('shows service and generation, and reports no rotated key as new, deleted or idle', async () => {
    await using account = await openAccount();
    const { snapshots, keys: lines } = account.warehouse;
    const generation = (keyId: number, service: string, number: number, born: number) => ({
      account: 'main',
      keyId,
      service,
      generation: number,
      name: `${service}.g${number}`,
      born: unixMillis(born * 1000),
    });
    await lines.append(
      [],
      [
        { ...generation(1, 'billing', 1, lastDay(150)), retired: unixMillis(lastDay(6) * 1000) },
        generation(2, 'billing', 2, lastDay(9)),
        generation(3, 'search', 6, lastDay(150)),
        generation(4, 'search', 7, lastDay(9)),
        { ...generation(5, 'over', 1, lastDay(150)), retired: unixMillis(lastDay(6) * 1000) },
      ],
    );
    await account.land([
      { at: lastDay(12), model: 'm', key: 'billing.g1', charge: '1' },
      { at: lastDay(2), model: 'm', key: 'billing.g2', charge: '2' },
      { at: lastDay(45), model: 'm', key: 'search.g6', charge: '9' },
      { at: lastDay(2), model: 'm', key: 'search.g7', charge: '4' },
      { at: lastDay(2), model: 'm', key: 'ci', charge: '3.5' },
    ]);
    const made = { createdTime: unixSeconds(lastDay(9)) };
    const [first, second, before, after] = [
      keyOf(1, 'billing.g1'),
      keyOf(2, 'billing.g2', made),
      keyOf(3, 'search.g6', { expiredTime: unixSeconds(lastDay(-1)) }),
      keyOf(4, 'search.g7', made),
    ];
    const land = async (moment: number, listed: readonly ReturnType<typeof keyOf>[]) =>
      snapshots.land({ account: 'main', takenAt: unixMillis(moment * 1000), keys: listed });
    await land(lastDay(10), [first, before, keyOf(5, 'over.g1'), keyOf(6, 'ci')]);
    await land(lastDay(1), [second, before, after, keyOf(6, 'ci'), keyOf(7, 'search.g6', made)]);
    const model = await account.report('key-inventory');
    expect(figuresOf(model).get('Idle for 30 days')?.value.text).toBe('0');
    expect(findTable(model, 'Keys')?.columns.map(({ label }) => label)).toEqual(
      expect.arrayContaining(['Key', 'Service', 'Generation']),
    );
    expect(cellsOf(model, 'Keys').map(([name, service, number]) => [name, service, number])).toEqual([
      ['search.g7', 'search', '7'],
      ['search.g6', 'search', '6'],
      ['ci', 'none', 'none'],
      ['billing.g2', 'billing', '2'],
      ['search.g6', 'none', 'none'],
      ['Total', '', ''],
    ]);
    expect(cellsOf(model, 'Spend by names that are not listed')).toEqual([
      ['billing.g1', 'billing', '$1.00'],
      ['Total', '', '$1.00'],
    ]);
    const looks = messageBy(model).filter((text) => /not been listed|new since|expires/.test(text));
    expect(looks.toSorted()).toEqual([
      expect.stringMatching(/^over\.g1 has not been listed since/) as string,
      // Has the name of a key of the line, and is none.
      expect.stringMatching(/^search\.g6 is new/) as string,
    ]);
    const spend = await account.report('spend-summary');
    expect(cellsOf(spend, 'Keys').map(([name, , amount]) => [name, amount])).toEqual([
      ['search', '$4.00'],
      ['ci', '$3.50'],
      ['billing', '$3.00'],
      ['Total', '$10.50'],
    ]);
    expect(messageBy(spend).filter((text) => /The key/.test(text))).toEqual([
      expect.stringMatching(/search\.g6 is new .*\$9\.00\.$/),
    ]);
    const showback = await account.report('showback', {
      deps: { teams: [{ name: 'Money', keys: ['billing'] }], only: { teams: ['Money'] } },
    });
    expect(cellsOf(showback, 'Keys').map(([name]) => name)).toEqual(['billing', 'Total']);
    expect(showback.headline.value.exact).toBe('3');
    expect(messageBy(showback).filter((text) => /The key/.test(text))).toEqual([]);
  });

  test('works without call data, and then shows neither spend nor idle keys', async () => {
    await using account = await openAccount();
    await account.warehouse.snapshots.land({
      account: 'main',
      takenAt: unixMillis(lastDay(4) * 1000),
      keys,
    });
    const model = await account.report('key-inventory');
    expect(model.headline.value.text).toBe('8');
    expect(figuresOf(model).get('Idle for 30 days')?.value.text).toBe('–');
    expect(columnOf(model, 'Keys', 'Spend').every((cell) => cell === null)).toBe(true);
    expect(findTable(model, 'Keys')?.columns.map(({ label }) => label)).not.toContain('Last call');
    expect(messageBy(model)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^No call log has been/) as string,
        expect.stringContaining('is 3 d 22 h old') as string,
      ]),
    );
    // What is asked of a part of the account is told of it alone.
    const part = await account.report('key-inventory', { deps: { only: { keys: ['twice'] } } });
    expect(cellsOf(part, 'Keys').map(([name]) => name)).toEqual(['twice', 'twice', 'Total']);
  });
});

describe('the statement', () => {
  test('shows the head of the audit file of keys at the time of the run', async () => {
    await using account = await openAccount();
    await account.land([{ at: lastDay(12), model: 'm', key: 'k', charge: '1' }]);
    const audit = async () =>
      messageBy(await account.report('statement')).filter((text) => text.includes('keys audit --verify'));
    expect(await audit()).toEqual([]);
    const step = (seq: number, moment: number) => ({
      seq,
      at: unixMillis(moment * 1000),
      account: 'main',
      service: 'billing',
      rotation: 'r',
      what: 'created',
      hash: String(seq).repeat(64),
      event: '{}',
    });
    await account.warehouse.keys.append(
      [step(1, lastDay(20)), step(2, lastDay(10)), step(3, lastDay(-9))],
      [],
    );
    expect(await audit()).toEqual([expect.stringMatching(`Nov 10 10:00: 2\\. .* ${'2'.repeat(64)};`)]);
  });
});

describe('token economics', () => {
  /** Sixty quarter hours of a model charged by its tokens, with one price or, at odd moments, another. */
  const traffic = (model: string, odd = 1): readonly Call[] =>
    Array.from({ length: 60 }, (_, at) => {
      const [prompt, cached, completion] = [
        9000 + ((at * 7919) % 5000),
        (at * 4513) % 7000,
        (at * 3571) % 900,
      ];
      const grains = (prompt - cached) * 300 + cached * 30 + completion * 1500;
      const charge = money(`${at % 3 === 0 ? grains * odd : grains}e-8`);
      return {
        at: lastDay(1 + Math.floor(at / 12), 6) + (at % 12) * 900,
        model,
        key: 'k',
        prompt,
        cached,
        completion,
        charge,
      };
    });

  test('prices come from the configuration, otherwise from a fit that explains the charge, and are omitted otherwise', async () => {
    await using account = await openAccount();
    const [fitted, given] = [traffic('fitted'), traffic('given')];
    await account.land([...fitted, ...given, ...traffic('odd', 3)]);
    const model = await account.report('token-economics', {
      deps: {
        prices: [
          { pattern: 'giv*', currency: 'USD', input: money('5'), cached: money('1'), output: money('20') },
          { pattern: 'odd', currency: 'CNY', input: money('5'), cached: money('1'), output: money('20') },
        ],
      },
    });
    const prices = cellsOf(model, 'Price per 1M tokens');
    expect(prices).toHaveLength(2);
    expect(prices).toContainEqual(['fitted', '$3.00', '$0.30', '$15.00', 'estimate']);
    expect(prices).toContainEqual(['given', '$5.00', '$1.00', '$20.00', 'config']);
    const cached = fitted.reduce((sum, call) => sum + (call.cached ?? 0), 0);
    const saved = [money(`${cached * 27}e-7`), money(`${cached * 4}e-6`)];
    expect(columnOf(model, 'Cache savings by model', 'Saved')).toEqual([saved[1], saved[0], sumMoney(saved)]);
    await expect((await renderReport(model)).text).toMatchFileSnapshot(approved('reports/token-economics'));
  });

  test('the report has no table of prices and no savings without any price', async () => {
    await using account = await openAccount();
    await account.land(traffic('odd', 3));
    const model = await account.report('token-economics');
    expect(findTable(model, 'Price per 1M tokens')).toBeUndefined();
    expect(findTable(model, 'Cache savings by model')).toBeUndefined();
    expect(messageBy(model).join('\n')).not.toContain('Caching');
    expect(figuresOf(model).get('Cache hit rate')?.value.text).toMatch(/^\d+\.\d%$/);
  });
});

test('a report with 60 models and 2,000 keys stays under 90 kB, and every sum is complete', async () => {
  await using account = await openAccount();
  const calls = Array.from({ length: 6000 }, (_, at): Call => ({
    at: lastDay(1 + (at % 29), at % 20),
    model: `vendor-${at % 7}/a-model-with-a-long-name-${at % 60}`,
    key: `team-${at % 11}-service-${at % 2000}`,
    prompt: 5000 + at,
    completion: 300 + (at % 90),
    reasoning: at % 80,
    audioIn: at % 3,
    charge: `${at % 90}.${String(at).padStart(8, '0')}`,
  }));
  await account.land(calls, { judged: false });
  await account.warehouse.snapshots.land({
    account: 'main',
    takenAt: unixMillis(lastDay(1) * 1000),
    keys: Array.from({ length: 2000 }, (_, at) =>
      keyOf(at + 1, `team-${at % 11}-service-${at}`, { unlimitedQuota: true }),
    ),
  });
  const summary = await account.report('spend-summary');
  for (const name of reports) {
    const model = await account.report(name, { deps: anyPrice });
    const { html } = await renderReport(model);
    expect(Buffer.byteLength(html)).toBeLessThan(90_000);
    for (const spend of spendOf(name, model)) expect(spend).toBe(summary.headline.value.exact);
  }
});
