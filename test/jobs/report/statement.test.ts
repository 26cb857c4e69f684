import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { localeTags, money, sumMoney, unixMillis } from '../../../src/core/index.ts';
import { composeReport, listReports } from '../../../src/jobs/index.ts';
import { plainRow } from '../../../src/sandbox/traffic/row.ts';
import {
  openJobFixture,
  withStatistics,
  type JobFixture,
  type RunChange,
} from '../../support/job-fixture.ts';
import { lateData } from '../../support/late-data.ts';
import { mailsIn, reportPlaces, type ReportFixture } from './report-fixture.ts';

const openAccount = async (): Promise<JobFixture> => {
  const account = await openJobFixture({ months: 2, callsPerDay: 4 });
  await account.run('pull-logs', { since: '2026-09-25' });
  return account;
};

let shared: JobFixture;
beforeAll(async () => {
  shared = await openAccount();
});
afterAll(() => shared[Symbol.asyncDispose]());

let jobs = 0;

/** A place of its own for mails and reports, and a job of its own, over an account that tests share unless they change it. */
const openReportFixture = async (own?: JobFixture): Promise<ReportFixture> => {
  const { folder, change } = await reportPlaces();
  if (own !== undefined) onTestFinished(() => own[Symbol.asyncDispose]());
  jobs += 1;
  const slot = unixMillis(Date.UTC(2026, 10, 8, 8));
  return { ...(own ?? shared), folder, change: { ...change, name: `statement-${jobs}`, slot } };
};

const settings = { report: 'statement', mail: { to: ['finance@example.com'] } };

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

const mailOf = async (fixture: ReportFixture) => {
  const [mail] = await mailsIn(fixture, `report:${fixture.change.name ?? ''}`);
  if (mail === undefined) throw new Error('nothing was mailed');
  return mail.parsed;
};

type SignedTable = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly total: readonly (string | null)[];
};

describe('a statement of a closed month', () => {
  it('is signed: the mail, the manifest and the attached file have one SHA-256 over all figures', async () => {
    const fixture = await openReportFixture();
    await fixture.run('report', settings, fixture.change);
    const { reports } = await listReports(join(fixture.folder, 'reports'), { limit: 2 });
    const [kept] = reports;
    const mail = await mailOf(fixture);
    const file = mail.attachments.find(({ filename }) => filename === 'statement-signed.json');
    const fingerprint = sha256(file?.content ?? '');
    expect(kept?.seal).toEqual({ state: 'closed', file: 'statement-signed.json', sha256: fingerprint });
    expect(kept?.files.find(({ name }) => name === 'statement-signed.json')?.sha256).toBe(fingerprint);
    expect(kept?.attached).toEqual(['statement-signed.json']);
    expect(mail.text).toContain(`SHA-256 ${fingerprint}`);
    expect(mail.html).toContain(`SHA-256 ${fingerprint}`);
    expect(mail.subject).toContain(' · closed · reconciled with the gateway');

    const signed = JSON.parse(file?.content.toString('utf8') ?? '') as {
      readonly figures: readonly { readonly exact: string; readonly label: string }[];
      readonly tables: readonly SignedTable[];
    };
    const total = fixture.sandbox.truth.sums(Date.UTC(2026, 9, 1) / 1000, Date.UTC(2026, 10, 1) / 1000);
    expect(signed.figures[0]).toMatchObject({ label: 'Spend', exact: money(total.net) });
    expect(signed.tables.map(({ name, rows }) => [name, rows.length])).toEqual([
      ['models', Object.keys(total.byModel).filter((name) => name !== '').length],
      ['days', 31],
    ]);
    for (const { columns, rows, total: sums } of signed.tables) {
      const at = columns.indexOf('spend');
      expect(sumMoney(rows.map((row) => money(row[at] ?? '0')))).toBe(money(total.net));
      expect(sums[at]).toBe(money(total.net));
    }
    for (const day of ['Oct 1', 'Oct 31']) expect(mail.text).toMatch(new RegExp(`^${day} +\\d`, 'm'));
  });

  it('closes the month for accounting: its rows add up to the statement, also when it is mailed again', async () => {
    const fixture = await openReportFixture(await openAccount());
    const { closed } = fixture.context.warehouse;
    await fixture.run('report', { ...settings, each_team: true }, fixture.change);
    await fixture.run(
      'report',
      { ...settings, filters: { keys: ['*'] } },
      { ...fixture.change, name: 'filtered' },
    );
    expect(await closed.months('main')).toEqual([]);
    await fixture.run('report', settings, { ...fixture.change, name: 'whole' });
    const truth = fixture.sandbox.truth.sums(Date.UTC(2026, 9, 1) / 1000, Date.UTC(2026, 10, 1) / 1000);
    const months = await closed.months('main');
    expect(months).toMatchObject([
      { month: '2026-10', zone: 'UTC', spend: money(truth.net), currency: 'USD' },
    ]);
    const rows = await closed.rows('main', '2026-10');
    expect(sumMoney(rows.map(({ charge }) => charge))).toBe(money(truth.net));
    await fixture.run('report', settings, { ...fixture.change, name: 'again' });
    expect(await closed.months('main')).toEqual(months);
  });

  it('has the same SHA-256 when it is built again from the same data, and another one when a figure differs', async () => {
    const fixture = await openReportFixture(await openAccount());
    const sealOf = async (change: RunChange = {}) => {
      const context = { ...fixture.context, ...fixture.change, ...change };
      const { model, files } = await composeReport({ report: 'statement' }, context);
      expect(files.map(({ name }) => name)).toContain('statement-signed.json');
      return model.seal?.state === 'closed' ? model.seal.sha256 : 'draft';
    };
    const first = await sealOf();
    fixture.clock.advance(86_400_000);
    expect(await sealOf({ runId: 'again', slot: unixMillis(Date.UTC(2026, 10, 18)) })).toBe(first);
    expect(await sealOf({ zone: 'Asia/Shanghai' })).not.toBe(first);
  });

  it.each([
    ['of the current month', { period: 'month-to-date' }, /: .*not one whole calendar month\./],
    [
      'of an incomplete month',
      { period: { from: '2026-11-01', to: '2026-12-01' } },
      /: the period is not over; .*does not cover the whole/,
    ],
    [
      'of a month whose first days were never pulled',
      { period: { from: '2026-09-01', to: '2026-10-01' } },
      /: the data does not cover/,
    ],
  ])('a statement %s is a draft: subject and text state why, and it is not signed', async (_, more, why) => {
    const fixture = await openReportFixture();
    await fixture.run('report', { ...settings, ...more }, fixture.change);
    const mail = await mailOf(fixture);
    expect(mail.subject).toContain(' · DRAFT');
    const [, reasons] = mail.text?.replaceAll(/\s+/g, ' ').split('! DRAFT, not signed') ?? [];
    expect(reasons).toMatch(why);
    expect(mail.text).not.toContain('SHA-256');
    expect(mail.attachments).toEqual([]);
    const { reports } = await listReports(join(fixture.folder, 'reports'), { limit: 2 });
    expect(reports[0]?.seal).toEqual({ state: 'draft' });
  });

  it('is a draft while its data is late, in every language', async () => {
    const fixture = await openReportFixture();
    for (const locale of localeTags) {
      const context = { ...fixture.context, ...fixture.change, dataLate: lateData() };
      const { model } = await composeReport({ report: 'statement', locale }, context);
      expect(model.seal).toEqual({ state: 'draft', reasons: ['not-complete'] });
      expect(model.subject).toMatch(/DRAFT|ENTWURF|草稿/);
    }
  });
});

describe('a statement of a month whose sums lack an amount that the gateway shows', () => {
  /** The gateway's own sum is larger than the log, as when a row of the month arrived late. */
  const unreconciled = (fixture: ReportFixture): RunChange =>
    withStatistics(fixture, (quota) => sumMoney([quota, money('0.007282')]));

  it('is a draft that says so, with the amount that is missing', async () => {
    const fixture = await openReportFixture();
    await fixture.run('report', settings, { ...fixture.change, ...unreconciled(fixture) });
    const mail = await mailOf(fixture);
    expect(mail.subject).toContain(' · DRAFT');
    const text = mail.text?.replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/! DRAFT, not signed: .*not reconciled .*0\.007282/);
    expect(mail.attachments).toEqual([]);
  });

  it('is closed where the job allows it, and the mail and the signed file say so', async () => {
    const fixture = await openReportFixture();
    const change = { ...fixture.change, ...unreconciled(fixture) };
    await fixture.run('report', { ...settings, allow: 'unreconciled' }, change);
    const mail = await mailOf(fixture);
    expect(mail.subject).toContain(' · closed');
    expect(mail.text?.replaceAll(/\s+/g, ' ')).toMatch(/Closed without .*\(allow: unreconciled\)/);
    const file = mail.attachments.find(({ filename }) => filename === 'statement-signed.json');
    expect(JSON.parse(file?.content.toString('utf8') ?? '')).toMatchObject({
      allowed: ['unreconciled'],
      reconciliation: expect.not.stringMatching(/^(equal|unknown)$/) as string,
    });
  });

  it('names reasons and permission in every language', async () => {
    const fixture = await openReportFixture();
    for (const locale of localeTags) {
      const context = { ...fixture.context, ...fixture.change, ...unreconciled(fixture) };
      const { model } = await composeReport({ report: 'statement', locale }, context);
      expect(model.seal).toEqual({ state: 'draft', reasons: ['not-reconciled'] });
      const allowed = await composeReport({ report: 'statement', locale, allow: 'unreconciled' }, context);
      expect(allowed.rendered.text).toContain('allow: unreconciled');
    }
  });
});

it('a count of tokens that is a lower bound does not keep a statement open, and the signed file marks it', async () => {
  const fixture = await openReportFixture();
  const { context, change } = fixture;
  const { model } = await composeReport({ report: 'statement' }, { ...context, ...change });
  const document = model.seal?.state === 'closed' ? model.seal.document : '';
  const { figures } = JSON.parse(document) as { figures: readonly Readonly<Record<string, unknown>>[] };
  const [tokens] = figures.filter(({ label }) => label === 'Tokens');
  expect(Object.keys(tokens ?? {})).toEqual(['label', 'at_least', 'unit']);
  expect(figures.filter(({ label }) => label !== 'Tokens').every(({ exact }) => exact !== undefined)).toBe(
    true,
  );
  expect(model.data.figures.rows.find(([label]) => label === 'Tokens')?.at(-1)).toBe('lower bound');
});

it('a closed statement stays when a row of its month arrives late, and the next statement names what changed', async () => {
  const fixture = await openReportFixture(await openAccount());
  const { clock, run, folder, change, sandbox } = fixture;
  const statementOf = async (slot: number) => {
    await run('report', { ...settings, period: '2026-10' }, { ...change, slot: unixMillis(slot) });
    const { reports } = await listReports(join(folder, 'reports'), { limit: 5 });
    const kept = reports.find((one) => Date.parse(one.slot) === slot);
    const text = await readFile(join(kept?.folder ?? '', 'report.txt'), 'utf8');
    return { seal: kept?.seal, text: text.replaceAll(/\s+/g, ' ') };
  };
  const first = Date.UTC(2026, 10, 8, 8);
  const closed = await statementOf(first);
  expect(closed.seal?.state).toBe('closed');
  expect(closed.text).not.toContain('RESTATED');
  const { ledger, seconds } = sandbox.state;
  const october = { start: Date.UTC(2026, 9, 1) / 1000, end: Date.UTC(2026, 10, 1) / 1000 };
  const paid = [...ledger.rows(october, seconds())].find(({ kind }) => kind === 'consumption');
  ledger.book(
    plainRow('consumption', october.start + 2_000_000, {
      visibleAt: seconds(),
      grains: 725_200,
      model: paid?.model,
      token: paid?.token ?? '',
    }),
  );
  expect((await statementOf(first + 86_400_000)).seal).toEqual({ state: 'draft' });
  clock.advance(86_400_000);
  await run('pull-logs', { since: '2026-09-25' });
  expect(await statementOf(first)).toEqual(closed);
  const next = await statementOf(first + 2 * 86_400_000);
  expect(next.seal?.state).toBe('closed');
  expect(next.seal?.sha256).not.toBe(closed.seal?.sha256);
  expect(next.text).toMatch(/RESTATED .*: 1, by \$0\.0073 in total/);
});
