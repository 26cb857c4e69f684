import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { openJobFixture, type RunChange } from '../support/job-fixture.ts';
import { mailsIn, reportPlaces, type ReportFixture } from './report/report-fixture.ts';

const slot = unixMillis(Date.parse('2026-11-03T06:00:00Z'));

/** A month of calls, and an account whose provider is known. */
const openFocusFixture = async (): Promise<ReportFixture> => {
  const fixture = await openJobFixture({ months: 2, callsPerDay: 8 });
  const { folder, change } = await reportPlaces();
  await fixture.run('pull-logs', { since: '2026-09-30' });
  const provider = 'Gateway Ltd';
  const names = {
    issuer: provider,
    provider,
    accountId: '4711',
    accountName: 'main',
    service: 'LLM gateway',
  };
  const { account } = fixture.context;
  return {
    ...fixture,
    folder,
    change: { name: 'accounting', slot, account: { ...account, focus: names }, mail: change.mail },
  };
};

const files = ['focus-main-2026-10-billing-period.csv', 'focus-main-2026-10-cost-and-usage.csv'];

describe('a job that exports a month in FOCUS', () => {
  it('writes the month of its slot into the folder, and replaces it whole when it runs again', async () => {
    await using fixture = await openFocusFixture();
    const folder = join(fixture.folder, 'accounting');
    const settings = { folder };
    const first = await fixture.run('focus', settings, fixture.change);
    expect(first.figures).toMatchObject({ month: '2026-10', corrections: 0, mails: 0 });
    expect((await readdir(folder)).sort()).toEqual(files);
    const read = () => Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
    const before = await read();
    const { ino } = await stat(join(folder, files[1] ?? ''));
    await fixture.run('focus', settings, fixture.change);
    expect(await read()).toEqual(before);
    // It is another file: a reader of the first one does not see half of the second.
    expect((await stat(join(folder, files[1] ?? ''))).ino).not.toBe(ino);
    expect(await readdir(folder)).toHaveLength(2);
  });

  it('mails the files once per slot', async () => {
    await using fixture = await openFocusFixture();
    const settings = { version: '1.2', mail: { to: ['accounting@example.com'] } };
    const outcome = await fixture.run('focus', settings, fixture.change);
    expect(outcome.figures).toMatchObject({ mails: 1 });
    await fixture.run('focus', settings, fixture.change);
    const mails = await mailsIn(fixture);
    expect(mails).toHaveLength(1);
    const parsed = mails[0]?.parsed;
    expect(parsed?.subject).toContain('2026-10');
    expect(parsed?.attachments.map(({ filename }) => filename)).toEqual([files[1]]);
    const lines = parse(parsed?.attachments[0]?.content ?? '', { columns: true }) as readonly unknown[];
    expect(lines).toHaveLength(Number(outcome.figures['rows']));
  });

  it('leaves files that are too large for a mail in its folder, and is refused without one', async () => {
    await using fixture = await openFocusFixture();
    const { reports } = fixture.context;
    const small: RunChange = { ...fixture.change, reports: { ...reports, attachLimit: 100 } };
    const mail = { to: ['accounting@example.com'] };
    await expect(fixture.run('focus', { mail }, small)).rejects.toMatchObject({ code: 'wrong-use' });
    const folder = join(fixture.folder, 'accounting');
    await fixture.run('focus', { mail, folder }, small);
    const [sent] = await mailsIn(fixture);
    expect(sent?.parsed.attachments).toEqual([]);
    expect(sent?.parsed.text?.replaceAll(/\s+/g, '')).toContain(folder);
  });

  it('writes the same rows as Parquet, with decimals and times as such', async () => {
    await using fixture = await openFocusFixture();
    const folder = join(fixture.folder, 'accounting');
    await fixture.run('focus', { folder }, fixture.change);
    await fixture.run('focus', { folder, format: 'parquet' }, fixture.change);
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    try {
      const path = (form: string) => join(folder, `focus-main-2026-10-cost-and-usage.${form}`);
      const reader = await connection.runAndReadAll('FROM read_parquet($parquet)', {
        parquet: path('parquet'),
      });
      const types = Object.fromEntries(
        reader.columnNames().map((name, at) => [name, String(reader.columnTypes()[at])]),
      );
      expect(types).toMatchObject({
        BilledCost: 'DECIMAL(38,12)',
        ChargePeriodStart: 'TIMESTAMP',
        SkuId: 'VARCHAR',
      });
      const lines = parse(await readFile(path('csv'), 'utf8'), { columns: true }) as readonly Readonly<
        Record<string, string>
      >[];
      const text = (value: unknown): string => (typeof value === 'string' ? value : '');
      const plain = (value: string): string => value.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
      const written = (name: string, value: unknown): string => {
        if (types[name] === 'TIMESTAMP') return `${text(value).replace(' ', 'T')}Z`;
        return types[name]?.startsWith('DECIMAL') === true ? plain(text(value)) : text(value);
      };
      const rows = reader
        .getRowObjectsJson()
        .map((row) => JSON.stringify(Object.entries(row).map(([name, value]) => written(name, value))));
      expect(rows.sort()).toEqual(lines.map((line) => JSON.stringify(Object.values(line))).sort());
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  });

  it('fails for a month that cannot be closed yet', async () => {
    await using fixture = await openFocusFixture();
    const folder = join(fixture.folder, 'accounting');
    await expect(fixture.run('focus', { folder, period: '2026-11' }, fixture.change)).rejects.toMatchObject({
      code: 'month-open',
    });
  });
});
