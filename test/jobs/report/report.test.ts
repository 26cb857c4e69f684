import { once } from 'node:events';
import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fault, lateText, unixMillis } from '../../../src/core/index.ts';
import type { Gateway } from '../../../src/gateway/index.ts';
import { composeReport, createWatermarks, jobKinds } from '../../../src/jobs/index.ts';
import { periodNames } from '../../../src/reports/index.ts';
import { openJobFixture } from '../../support/job-fixture.ts';
import { lateData } from '../../support/late-data.ts';
import { mailsIn, reportPlaces, type ReportFixture } from './report-fixture.ts';

const day = 86_400_000;
const since = '2026-10-25';
const settings = { report: 'spend-summary', mail: { to: ['finance@example.com', 'ops@example.com'] } };
const reportKind = jobKinds.find(({ kind }) => kind === 'report');

/** A fixture with a folder for mails, and the log of a month. */
const openReportFixture = async (): Promise<ReportFixture> => {
  const fixture = await openJobFixture();
  const { folder, change } = await reportPlaces();
  await fixture.run('pull-logs', { since });
  return { ...fixture, folder, change: { name: 'daily-spend', mail: change.mail } };
};

const slotAt = (text: string) => unixMillis(Date.parse(text));

describe('a report run for its slot', () => {
  it('covers the days of its slot, however late it runs', async () => {
    await using fixture = await openReportFixture();
    for (const [slot, period, about] of [
      ['2026-11-12T08:00:00Z', 'yesterday', 'Wed, Nov 11, 2026'],
      ['2026-11-02T00:00:00Z', 'last-week', 'Oct 26 – Nov 1, 2026'],
      ['2026-11-06T00:00:00Z', 'month-to-date', 'Nov 1 – 5, 2026'],
    ] as const) {
      const change = { ...fixture.change, slot: slotAt(slot) };
      const plan = await fixture.plan('report', { ...settings, period }, change);
      expect(plan[0]).toContain(`over ${about} (UTC)`);
      const outcome = await fixture.run('report', { ...settings, period }, change);
      expect(outcome.figures).toMatchObject({ mails: 2, subject: expect.stringContaining(about) as string });
    }
  });

  it('mails one slot once, whatever has changed when it runs again, and another slot again', async () => {
    await using fixture = await openReportFixture();
    const slot = slotAt('2026-11-12T08:00:00Z');
    const first = { ...fixture.change, runId: 'daily-spend 2026-11-12', slot };
    await fixture.run('report', settings, first);
    const before = await mailsIn(fixture);
    expect(before.map(({ row }) => [row.kind, row.subject])).toEqual([
      ['report:daily-spend', '2026-11-12T08:00:00.000Z'],
      ['report:daily-spend', '2026-11-12T08:00:00.000Z'],
    ]);
    fixture.clock.advance(3 * day);
    await fixture.run('pull-logs', { since });
    const again = { ...first, trigger: 'backfill' as const, dataLate: lateData() };
    const outcome = await fixture.run('report', settings, again);
    expect(outcome).toMatchObject({
      summary: expect.stringMatching(/0 recipients; 2 mails already queued$/) as string,
      figures: { mails: 0 },
    });
    // As texts: bytes are compared one by one, which takes seconds.
    expect((await mailsIn(fixture)).map(({ bytes }) => bytes.toString('latin1'))).toEqual(
      before.map(({ bytes }) => bytes.toString('latin1')),
    );
    expect(await readdir(join(fixture.folder, 'outbox'))).toHaveLength(2);
    // Who joins later is told, and nobody twice.
    const joined = { ...settings, mail: { to: [...settings.mail.to, 'new@example.com'] } };
    expect((await fixture.run('report', joined, first)).figures['mails']).toBe(1);
    expect(
      (await fixture.run('report', settings, { ...first, slot: unixMillis(slot + day) })).figures,
    ).toMatchObject({ mails: 2 });
    const ids = (await mailsIn(fixture)).map(({ row }) => row.messageId);
    expect(new Set(ids).size).toBe(5);
  });

  it('states in every form of the mail that data are late, and up to when they are complete', async () => {
    await using fixture = await openReportFixture();
    const dataLate = lateData('2026-11-21T05:53:00Z');
    const plain = { ...fixture.change, slot: slotAt('2026-11-22T08:00:00Z') };
    await fixture.run('report', settings, { ...plain, dataLate });
    for (const { parsed } of await mailsIn(fixture)) {
      const text = parsed.text?.replaceAll(/\s+/g, ' ');
      expect(text).toMatch(
        new RegExp(`! The data is late: ${lateText(dataLate)}\\. .* up to Nov 21, 2026, 05:53 UTC\\.`),
      );
      expect(parsed.html).toContain(`>The data is late: ${lateText(dataLate)}. `);
      expect(parsed.subject).toContain('incomplete');
    }
    const punctual = { ...fixture.change, name: 'punctual', slot: slotAt('2026-11-12T08:00:00Z') };
    await fixture.run('report', settings, punctual);
    const last = (await mailsIn(fixture)).at(-1);
    expect(last?.row.kind).toBe('report:punctual');
    expect(last?.parsed.text).not.toContain('late');
  });

  it('states it even if the report has no place for notes, and if nothing was ever pulled', async () => {
    await using fixture = await openReportFixture();
    await cp(new URL('../../../reports', import.meta.url).pathname, fixture.folder, {
      recursive: true,
    });
    const path = join(fixture.folder, 'spend-summary', 'report.yaml');
    const written = await readFile(path, 'utf8');
    expect(written).toContain('  - kind: notes\n');
    await writeFile(path, written.replace('  - kind: notes\n', '  - { kind: notes, when: several-days }\n'));
    const change = {
      ...fixture.change,
      account: { ...fixture.context.account, name: 'empty' },
      reportDirectories: [fixture.folder],
      dataLate: lateData(),
    };
    for (const period of ['yesterday', 'last-week'])
      await fixture.run('report', { ...settings, period }, { ...change, name: period });
    const texts = (await mailsIn(fixture)).map(({ parsed }) => parsed.text?.replaceAll(/\s+/g, ' ') ?? '');
    expect(texts).toHaveLength(4);
    for (const text of texts)
      expect(text.match(/! The data is late: pull-logs .*call log has been pulled yet\./g)).toHaveLength(1);
  });

  it('shows rows of unknown kinds and unreadable rows, which are in no figure', async () => {
    await using fixture = await openReportFixture();
    const { gateway } = fixture.context.account;
    const damaged: Gateway = {
      ...gateway,
      exportLogs: async (query, options) => {
        const answer = await gateway.exportLogs(query, options);
        const text = await new Response(ReadableStream.from(answer.body)).text();
        const junk = text.replace('\n', '\njunk\n').replaceAll(/,(refund|topup)\b/g, ',gift');
        return { ...answer, body: Readable.from([Buffer.from(query.columns.length === 0 ? text : junk)]) };
      },
    };
    const context = {
      ...fixture.context,
      account: { ...fixture.context.account, gateway: damaged },
    };
    const november = { start: slotAt('2026-11-01T00:00:00Z'), end: slotAt('2026-11-15T00:00:00Z') };
    const again = { account: context.account, trigger: 'backfill' as const, interval: november };
    await fixture.run('pull-logs', { since, bad_rows: 'quarantine' }, again);
    const composed = await composeReport(
      { report: 'spend-summary', period: { from: '2026-11-01', to: '2026-11-15' } },
      { ...context, account: fixture.context.account },
    );
    const text = composed.rendered.text.replaceAll(/\s+/g, ' ');
    expect(text).toContain('of the unknown kind “gift” is not counted as spend.');
    expect(text).toMatch(/! 1 row of the call log .*in no figure\./);
  });

  it.each([
    ['spend-summary', ['queries', 'comparison']],
    ['reconciliation', ['comparison', 'queries']],
  ])(
    '%s begins its queries and the comparison in this order: it waits only for what it shows',
    async (report, order) => {
      await using fixture = await openReportFixture();
      const { warehouse, account } = fixture.context;
      const begun: string[] = [];
      let begin: (value?: undefined) => void = () => undefined;
      const queries = new Promise((resolve) => {
        begin = resolve;
      });
      const statistics: Gateway['statistics'] = async (...asked) => {
        if (order[0] === 'queries') await queries;
        begun.push('comparison');
        return account.gateway.statistics(...asked);
      };
      const readCube: typeof warehouse.readCube = async (...asked) => {
        begun.push('queries');
        begin();
        return warehouse.readCube(...asked);
      };
      const { verdict } = await composeReport(
        { report, period: { from: '2026-11-01', to: '2026-11-15' } },
        {
          ...fixture.context,
          account: { ...account, gateway: { ...account.gateway, statistics } },
          warehouse: { ...warehouse, readCube },
        },
      );
      expect(begun).toEqual(order);
      expect(verdict.verdict).not.toBe('unknown');
    },
  );

  it('tells the comparison when its queries have ended, so that an unreachable gateway is not called again', async () => {
    await using fixture = await openReportFixture();
    const { account } = fixture.context;
    const statistics: Gateway['statistics'] = async (query, { impatient } = {}) => {
      if (impatient === undefined) return account.gateway.statistics(query);
      if (!impatient.aborted) await once(impatient, 'abort');
      throw fault('gateway-unreachable', 'no connection');
    };
    const { verdict } = await composeReport(
      { report: 'spend-summary', period: { from: '2026-11-01', to: '2026-11-15' } },
      { ...fixture.context, account: { ...account, gateway: { ...account.gateway, statistics } } },
    );
    expect(verdict.verdict).toBe('unknown');
  });

  it.each([
    ['en', 'No key matches "gro\u0301wth-*"', 'Similar names: growth-mail'],
    ['de', 'Kein Key passt zu \u201Egro\u0301wth-*\u201C', '\u00C4hnliche Namen: growth-mail'],
    ['zh', '没有密钥匹配\u201Cgro\u0301wth-*\u201D', '相近的名称：growth-mail'],
  ] as const)(
    'of keys that do not exist says so in %s, without a total and a verdict',
    async (locale, text, near) => {
      await using fixture = await openReportFixture();
      const request = { report: 'spend-summary', period: { from: '2026-11-01', to: '2026-11-15' }, locale };
      const filters = { keys: ['gro\u0301wth-*'] };
      const { rendered } = await composeReport({ ...request, filters }, fixture.context);
      expect(rendered.subject).toContain(text);
      expect(`${rendered.subject} ${rendered.preheader}`).not.toMatch(/\$0|0,00|reconciled|abgeglichen|核对/);
      const shown = rendered.text.replaceAll(/\s+/g, ' ');
      expect(shown).toContain(near);
      expect(shown.slice(0, shown.indexOf(near))).not.toMatch(/\$0|0,00/);
      const whole = await composeReport({ ...request, filters: { keys: ['growth-*'] } }, fixture.context);
      expect(whole.rendered.subject).not.toContain(text);
      expect(whole.rendered.text).not.toContain(near);
    },
  );

  it('mails the causes of an incorrect total to its readers, and logs them for operators', async () => {
    await using fixture = await openReportFixture();
    const mine = join(fixture.folder, 'reports', 'mine');
    await mkdir(mine, { recursive: true });
    await writeFile(
      join(mine, 'report.yaml'),
      'title: Mine\nsections:\n  - kind: table\n    title: Models\n    sql: models.sql\n    columns:\n      - { label: Spend, name: spend, format: money }\n',
    );
    await writeFile(
      join(mine, 'models.sql'),
      "SELECT model_name, sum(spend) AS spend FROM cube WHERE period = 'current' GROUP BY 1 LIMIT 2",
    );
    const warnings: unknown[] = [];
    const change = {
      ...fixture.change,
      slot: slotAt('2026-11-12T08:00:00Z'),
      reportDirectories: [join(fixture.folder, 'reports')],
      log: {
        ...fixture.context.log,
        warn: (message: string, fields?: object) => warnings.push([message, fields]),
      },
    };
    await fixture.run(
      'report',
      { report: 'mine', period: 'yesterday', mail: { to: ['a@example.com'] } },
      change,
    );
    const [sent] = await mailsIn(fixture);
    expect(sent?.parsed.text?.replaceAll(/\s+/g, ' ')).toMatch(/“Models” omits rows: models\.sql .*`limit:`/);
    expect(warnings).toEqual([
      [
        expect.stringMatching(/^mine: .*“Models” omits rows: models\.sql /),
        { advice: expect.stringContaining('`limit:`') as string },
      ],
    ]);
  });

  it('needs data to the end of its period, but never past its slot', () => {
    const through = (period: unknown, slot: string, timezone = 'UTC'): string => {
      const job = { kind: 'report', account: 'main', timezone, fields: { ...settings, period } };
      const moment = slotAt(slot);
      const interval = { start: unixMillis(moment - 7 * day), end: moment };
      return new Date(createWatermarks(jobKinds).needsThroughOf(job, moment, interval)).toISOString();
    };
    expect(through('yesterday', '2026-11-21T08:00:00Z')).toBe('2026-11-21T00:00:00.000Z');
    expect(through('yesterday', '2026-11-21T08:00:00Z', 'Asia/Shanghai')).toBe('2026-11-20T16:00:00.000Z');
    expect(through('last-month', '2026-11-21T08:00:00Z')).toBe('2026-11-01T00:00:00.000Z');
    expect(through('month-to-date', '2026-11-01T06:00:00Z', 'Europe/Berlin')).toBe(
      '2026-10-31T23:00:00.000Z',
    );
    const quarter = { from: '2026-10-01', to: '2027-01-01' };
    expect(through(quarter, '2026-11-21T08:00:00Z')).toBe('2026-11-21T08:00:00.000Z');
    expect(through(quarter, '2027-02-01T08:00:00Z')).toBe('2027-01-01T00:00:00.000Z');
    fc.assert(
      fc.property(
        fc.integer({ min: 1_500_000_000_000, max: 1_900_000_000_000 }),
        fc.constantFrom(...periodNames, '2026-10', '2031-01', quarter),
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/Santiago', 'Pacific/Apia', 'Australia/Lord_Howe'),
        (slot, period, zone) => {
          const moment = new Date(slot).toISOString();
          expect(through(period, moment, zone) <= moment).toBe(true);
        },
      ),
    );
  });

  it('accepts in YAML every period format of the command line', () => {
    for (const period of [...periodNames, '2026-10', '2026-10-01..2026-10-15'])
      expect(reportKind?.shape.safeParse({ ...settings, period }).error).toBeUndefined();
    for (const period of ['2026-13', '2026-1', 'last_month', '2026-10-01', 10])
      expect(reportKind?.shape.safeParse({ ...settings, period }).error?.issues).toHaveLength(1);
  });

  it('rejects a period without days at its position in the config', () => {
    const refused = (period: unknown) => reportKind?.shape.safeParse({ ...settings, period }).error?.issues;
    expect(refused({ from: '2026-11-01', to: '2026-11-01' })).toMatchObject([
      { path: ['period'], message: expect.stringContaining('is empty') as string },
    ]);
    expect(refused({ from: '2006-11-01', to: '2026-11-01' })).toMatchObject([
      { message: expect.stringContaining('longer than 3700 days') as string },
    ]);
    expect(refused({ from: '2026-11-31', to: '2026-12-01' })).toHaveLength(1);
    expect(refused({ from: '2026-11-01', to: '2026-12-01' })).toBeUndefined();
    expect(refused('2026-12-01..2026-11-01')).toMatchObject([
      { path: ['period'], message: expect.stringContaining('is empty') as string },
    ]);
  });
});
