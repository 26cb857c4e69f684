import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { money, sumMoney } from '../../src/core/index.ts';
import { openCliFixture, type CliFixture } from './support/fixture.ts';

type Line = Readonly<Record<string, string>>;
type Exported = {
  readonly month: string;
  readonly spend: string;
  readonly rows: number;
  readonly corrections: number;
  readonly files: readonly string[];
};

describe('focus', () => {
  let fixture: CliFixture;
  beforeAll(async () => {
    fixture = await openCliFixture({
      months: 2,
      callsPerDay: 6,
      since: '2026-10-01',
      settings: `accounts:
  main:
    base_url: "\${GATEWAY_BASE_URL}"
    admin_key: "\${GATEWAY_ADMIN_KEY}"
    focus: { issuer: Gateway Ltd, account_id: "4711" }
teams:
  search: { keys: ["search*"] }
mail: { smtp: "smtp://127.0.0.1:9", from: tollkeeper@example.com, operators: [ops@example.com] }
`,
      jobs: `jobs:
  logs: { kind: pull-logs, account: main, schedule: "0 4 * * *", since: "2026-10-01" }
`,
    });
    const pulled = await fixture.run(['run', 'logs']);
    expect(pulled.code, pulled.stderr).toBe(0);
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  const focus = async (argv: readonly string[]): Promise<Exported> => {
    const ran = await fixture.run(['focus', '--json', ...argv]);
    expect(ran.code, ran.stderr).toBe(0);
    return JSON.parse(ran.stdout) as Exported;
  };
  const textOf = (path = '') => readFile(path, 'utf8');
  const linesOf = async (path?: string) => parse(await textOf(path), { columns: true }) as readonly Line[];

  it('exports a month whose charges add up to what the gateway booked, and closes it', async () => {
    const truth = fixture.sandbox.truth.sums(Date.UTC(2026, 9, 1) / 1000, Date.UTC(2026, 10, 1) / 1000);
    const exported = await focus(['--period', '2026-10']);
    const lines = await linesOf(exported.files[0]);
    expect(exported).toMatchObject({ month: '2026-10', spend: money(truth.net), corrections: 0 });
    expect(lines).toHaveLength(exported.rows);
    expect(sumMoney(lines.map((line) => money(line['BilledCost'] ?? '')))).toBe(money(truth.net));
    expect(lines[0]).toMatchObject({
      BillingAccountId: '4711',
      BillingAccountName: 'main',
      InvoiceIssuerName: 'Gateway Ltd',
      BillingPeriodStart: '2026-10-01T00:00:00Z',
    });
    expect(await linesOf(exported.files[1])).toMatchObject([
      { BillingPeriodStatus: 'Closed', BillingPeriodEnd: '2026-11-01T00:00:00Z' },
    ]);
  });

  it('writes the same bytes each time, and the columns of 1.2 on request', async () => {
    const [first] = (await focus(['--period', '2026-10', '--out', 'first'])).files;
    const [again] = (await focus(['--period', '2026-10', '--out', 'again'])).files;
    expect(await textOf(first)).toBe(await textOf(again));
    const older = await focus(['--period', '2026-10', '--version', '1.2', '--out', 'older']);
    expect(older.files).toHaveLength(1);
    expect((await linesOf(older.files[0]))[0]).toMatchObject({ PublisherName: expect.any(String) });
  });

  it('writes the same bytes from a restored backup, and the same rows as Parquet', async () => {
    const [before] = (await focus(['--period', '2026-10', '--out', 'before'])).files;
    for (const argv of [
      ['backup', 'backups'],
      ['restore', 'backups', '--replace'],
    ]) {
      const ran = await fixture.run(argv);
      expect(ran.code, ran.stderr).toBe(0);
    }
    const [restored] = (await focus(['--period', '2026-10', '--out', 'restored'])).files;
    expect(await textOf(restored)).toBe(await textOf(before));
    const parquet = await focus(['--period', '2026-10', '--format', 'parquet', '--out', 'parquet']);
    const again = await focus(['--period', '2026-10', '--format', 'parquet', '--out', 'parquet-again']);
    expect(parquet.files.map((path) => path.split('.').at(-1))).toEqual(['parquet', 'parquet']);
    const bytes = await Promise.all([parquet, again].map(({ files: [path = ''] }) => readFile(path)));
    expect(bytes[0]?.subarray(0, 4).toString()).toBe('PAR1');
    expect(bytes[0]?.equals(bytes[1] ?? Buffer.alloc(0))).toBe(true);
  });

  it('keeps the time zone of a closed month', async () => {
    const [path] = (await focus(['--period', '2026-10', '--timezone', 'Asia/Tokyo', '--out', 'zone'])).files;
    expect((await linesOf(path))[0]).toMatchObject({ BillingPeriodStart: '2026-10-01T00:00:00Z' });
  });

  it.each([
    ['a month that is not over', '2026-11', 'month-open'],
    ['a month that was not pulled', '2026-09', 'month-open'],
    ['a part of a month', '2026-10-05..2026-10-09', 'period-invalid'],
  ])('refuses %s', async (_, period, code) => {
    const ran = await fixture.run(['focus', '--period', period]);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain(code);
  });
});
