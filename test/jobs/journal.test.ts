import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  absoluteMoney,
  compareMoney,
  money,
  roundMoney,
  subtractMoney,
  sumMoney,
  unixMillis,
  zero,
  type Money,
} from '../../src/core/index.ts';
import { composeReport, journalOf, type JobContext } from '../../src/jobs/index.ts';
import type { JournalLine } from '../../src/warehouse/index.ts';
import { openJobFixture } from '../support/job-fixture.ts';
import { mailsIn, reportPlaces, type ReportFixture } from './report/report-fixture.ts';

const settings = { credit: '1600', by: 'cost_center', accounts: { '4711': '6815' }, other: '6800' } as const;

const sumOf = (lines: readonly JournalLine[], side: 'debit' | 'credit'): Money =>
  sumMoney(lines.map((line) => line[side] ?? zero));

describe('a journal', () => {
  const amount = (name: string | null, text: string, month = '2026-10') => ({
    name,
    month,
    amount: money(text),
  });

  it('debits each cost center to its account, posts negative amounts on the other side, and balances', () => {
    const lines = journalOf(
      [
        amount(null, '1.005'),
        amount('4711', '2.004'),
        amount('4711', '3'),
        amount('4712', '-0.5'),
        amount('4713', '0'),
        amount('4711', '-0.25', '2026-09'),
      ],
      '2026-10',
      settings,
    );
    expect(
      lines.map(({ kind, account, name, month, debit, credit, exact }) => [
        kind,
        account,
        name,
        month,
        debit,
        credit,
        exact,
      ]),
    ).toEqual([
      ['spend', '6815', '4711', '2026-10', '5', null, '5.004'],
      ['spend', '6800', '4712', '2026-10', null, '0.5', '-0.5'],
      ['spend', '6800', null, '2026-10', '1.01', null, '1.005'],
      ['correction', '6815', '4711', '2026-09', null, '0.25', '-0.25'],
      ['balance', '1600', null, '2026-10', null, '5.26', '5.259'],
    ]);
  });

  it('debits the balance when corrections exceed the spend, and has no line for a month without spend', () => {
    const [, balance] = journalOf([amount('4711', '-2', '2026-09')], '2026-10', settings);
    expect(balance).toMatchObject({ kind: 'balance', debit: '2', credit: null });
    expect(journalOf([amount('4711', '0')], '2026-10', settings)).toEqual([]);
  });

  it('takes a cost center that has the name of a property of objects as any other', () => {
    const [line] = journalOf([amount('constructor', '1')], '2026-10', settings);
    expect(line).toMatchObject({ account: '6800', name: 'constructor' });
  });

  it('balances in any month, and no line is a cent from its exact amount', () => {
    const amounts = fc.array(
      fc.record({
        name: fc.constantFrom(null, '4711', '4712', 'research'),
        month: fc.constantFrom('2026-08', '2026-09', '2026-10'),
        amount: fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((units) => money(`${units}e-6`)),
      }),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(amounts, (given) => {
        const lines = journalOf(given, '2026-10', settings);
        expect(sumOf(lines, 'debit')).toBe(sumOf(lines, 'credit'));
        const own = lines.filter(({ kind }) => kind !== 'balance');
        const total = sumMoney(given.map((one) => one.amount));
        expect(sumMoney(own.map(({ exact }) => exact))).toBe(total);
        expect(subtractMoney(sumOf(own, 'debit'), sumOf(own, 'credit'))).toBe(money(roundMoney(total, 2)));
        for (const { debit, credit, exact } of own) {
          expect(debit === null).not.toBe(credit === null);
          const posted = subtractMoney(debit ?? zero, credit ?? zero);
          expect(compareMoney(absoluteMoney(subtractMoney(posted, exact)), money('0.01'))).toBe(-1);
        }
      }),
      { numRuns: 200 },
    );
  });
});

const slot = unixMillis(Date.parse('2026-11-03T06:00:00Z'));

const openJournalFixture = async (): Promise<ReportFixture> => {
  const fixture = await openJobFixture({ months: 2, callsPerDay: 8 });
  const { folder, change } = await reportPlaces();
  await fixture.run('pull-logs', { since: '2026-09-30' });
  const account = { ...fixture.context.account, journal: settings };
  const costOwners = {
    teams: [],
    prices: [],
    operators: [],
    tags: [{ pattern: '*a*', tags: { cost_center: '4711' } }],
  };
  return { ...fixture, folder, change: { name: 'journal', slot, account, costOwners, ...change } };
};

type Line = Readonly<Record<string, string>>;

describe('the report journal', () => {
  const job = { report: 'journal', mail: { to: ['accounting@example.com'], attach: ['csv'] } };

  const linesIn = async (fixture: ReportFixture, delimiter = ','): Promise<readonly Line[]> => {
    const [mail] = await mailsIn(fixture);
    const file = mail?.parsed.attachments.find(({ filename }) => filename?.includes('lines') === true);
    return parse(file?.content ?? '', { columns: true, bom: true, delimiter }) as readonly Line[];
  };

  it('closes the month, and posts what its statement has', async () => {
    await using fixture = await openJournalFixture();
    await fixture.run('report', job, fixture.change);
    const [closed] = await fixture.context.warehouse.closed.months('main');
    expect(closed?.month).toBe('2026-10');
    const lines = await linesIn(fixture);
    const balance = lines.at(-1);
    expect(balance).toMatchObject({ Account: '1600', Exact: closed?.spend });
    expect(new Set(lines.slice(0, -1).map((line) => line['Account']))).toEqual(new Set(['6815', '6800']));
    const sum = (side: string) =>
      sumMoney(lines.map((line) => money(line[side] === '' ? '0' : (line[side] ?? '0'))));
    expect(sum('Debit')).toBe(sum('Credit'));
  });

  it('is attached as CSV for spreadsheets of continental Europe, where the job says so', async () => {
    await using fixture = await openJournalFixture();
    await fixture.run('report', { ...job, csv: { delimiter: ';', decimal: ',' } }, fixture.change);
    const balance = (await linesIn(fixture, ';')).at(-1);
    expect(balance?.['Credit']).toMatch(/^\d+,\d+$/);
  });

  it('is refused while the month is open, and a draft where the job allows one', async () => {
    await using fixture = await openJournalFixture();
    const open = { ...job, period: '2026-11' };
    await expect(fixture.run('report', open, fixture.change)).rejects.toMatchObject({ code: 'month-open' });
    for (const [at, period] of ['2026-11', 'month-to-date'].entries()) {
      const change = { ...fixture.change, slot: unixMillis(slot + at) };
      await fixture.run('report', { ...job, period, allow: ['unreconciled', 'draft'] }, change);
    }
    for (const mail of await mailsIn(fixture)) expect(mail.parsed.text).toContain('Draft');
    expect(await fixture.context.warehouse.closed.months('main')).toEqual([]);
  });

  it('closes no month when it is built by hand: one that is open is a draft', async () => {
    await using fixture = await openJournalFixture();
    const context: JobContext = { ...fixture.context, ...fixture.change };
    const preview = { report: 'journal', period: '2026-10', isPreview: true } as const;
    const { rendered } = await composeReport(preview, context);
    expect(rendered.text).toContain('Draft');
    expect(await fixture.context.warehouse.closed.months('main')).toEqual([]);
    await fixture.run('report', job, fixture.change);
    expect((await composeReport(preview, context)).rendered.text).not.toContain('Draft');
  });

  it('is refused for an account that has no accounts to post to', async () => {
    await using fixture = await openJournalFixture();
    const { account } = fixture.context;
    await expect(fixture.run('report', job, { ...fixture.change, account })).rejects.toMatchObject({
      code: 'wrong-use',
    });
  });

  it.each(['de', 'zh'] as const)('has its texts in %s', async (locale) => {
    await using fixture = await openJournalFixture();
    const context: JobContext = { ...fixture.context, ...fixture.change };
    const { rendered } = await composeReport({ report: 'journal', period: '2026-10', locale }, context);
    expect(rendered.subject).not.toContain('Journal ·');
  });
});
