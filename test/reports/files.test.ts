import { layersOf } from '../support/file-layers.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { parse as parseHtml, defaultTreeAdapter, type DefaultTreeAdapterTypes } from 'parse5';
import readXlsxFile from 'read-excel-file/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isolateNames,
  money,
  silentLog,
  sumMoney,
  unixMillis,
  type AttachFormat,
} from '../../src/core/index.ts';
import { composeMessage } from '../../src/notify/message.ts';
import { dataFiles, renderReport, type ReportModel, showName } from '../../src/reports/index.ts';
import type { DataTable } from '../../src/reports/attachments/data.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import { runs } from '../support/storm.ts';
import { hostileNames, hostileRows } from './hostile.ts';
import { build, ordinaryRows, spendSummary } from './sample.ts';

let folder: string;
let warehouse: Warehouse;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
let ordinary: ReportModel;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollkeeper-files-'));
  warehouse = await openWarehouse({
    path: ':memory:',
    memoryLimit: '512MB',
    threads: 1,
    spoolDirectory: folder,
    clock: manualClock(0),
    log: silentLog,
  });
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  // The same path holds another file each time.
  await connection.run('SET enable_external_file_cache = false');
  ordinary = await build({ rows: ordinaryRows() });
});
afterAll(async () => {
  connection.closeSync();
  instance.closeSync();
  await warehouse[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const filesOf = async (model: ReportModel, ...formats: AttachFormat[]) => {
  const files = await dataFiles(model, 'spend', formats, warehouse.writeParquet);
  return new Map(files.map((file) => [file.name, file.content]));
};

const fileOf = async (model: ReportModel, format: AttachFormat, name: string): Promise<Buffer> => {
  const content = (await filesOf(model, format)).get(name);
  if (content === undefined) throw new Error(`no file ${name}`);
  return content;
};

const csvRows = (bytes: Buffer): string[][] => parseCsv(bytes, { bom: true, record_delimiter: '\r\n' });

const sheetsOf = async (bytes: Buffer) => readXlsxFile(bytes, { trim: false });

const parquetOf = async (bytes: Buffer) => {
  const file = join(folder, 'read.parquet');
  await writeFile(file, bytes);
  const reader = await connection.runAndReadAll('SELECT * FROM read_parquet($file)', { file });
  return { types: reader.columnTypes().map(String), rows: reader.getRowsJson() };
};

/** A report that holds this one table. */
const holding = (table: Pick<DataTable, 'columns' | 'rows'> & Partial<DataTable>): ReportModel => ({
  ...ordinary,
  data: { ...ordinary.data, tables: [{ name: 'names', title: 'Names', ...table }] },
});

/** Takes the guards off, as docs/reports.md says. */
const unguarded = (text: string): string => text.replaceAll(/(?<=^|[;\t\r\n])'/g, '');

const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, '\uFFFD');

const lead = fc.constantFrom(
  '',
  '',
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\r',
  '\n',
  "'",
  '"',
  ';=',
  '＝',
  ' =',
  ',',
  '_x0041_',
);
const hostileName = fc
  .tuple(
    lead,
    fc.oneof(
      fc.constantFrom(...hostileNames),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ maxLength: 20 }),
    ),
  )
  .map((parts) => parts.join(''))
  .filter((text) => text !== '');

const decimalText = fc
  .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, places]) => money(`${digits}e-${places}`));

const columns = [
  { name: 'key', label: '=Key', format: 'text' },
  { name: 'spend', label: 'Spend', format: 'money' },
  { name: 'day', label: 'Day', format: 'date' },
] as const;

const hostileTable = fc.array(
  fc.tuple(
    fc.option(hostileName),
    fc.option(decimalText),
    fc.option(fc.constantFrom('2026-11-01', '2024-02-29', '1900-03-01', '9999-12-31')),
  ),
  { minLength: 1, maxLength: 40 },
);

describe('names and values of any kind', () => {
  it('survive a round trip through CSV once the guards are removed, and none starts like a formula', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTable, async (rows) => {
        const bytes = await fileOf(holding({ columns, rows }), 'csv', 'spend-names.csv');
        const [header, ...read] = csvRows(bytes);
        expect(header).toEqual(["'=Key", 'Spend', 'Day']);
        expect(read.map(([key = '', spend, day]) => [unguarded(key), spend, day])).toEqual(
          rows.map(([key, spend, day]) => [wellFormed(key ?? ''), spend ?? '', day ?? '']),
        );
        // Also where a spreadsheet splits cells at another mark.
        for (const [key = ''] of read) expect(key).not.toMatch(/(^|[;\t\r\n])[=+\-@\t\r＝＋－＠]/);
      }),
      { numRuns: runs(60) },
    );
  });

  it.each([
    { delimiter: ';', decimal: ',' },
    { delimiter: '\t', decimal: '.' },
  ] as const)('survive a round trip through CSV with %j, too', async (form) => {
    await fc.assert(
      fc.asyncProperty(hostileTable, async (rows) => {
        const files = await dataFiles(
          holding({ columns, rows }),
          'spend',
          ['csv'],
          warehouse.writeParquet,
          form,
        );
        const file = files.find(({ name }) => name === 'spend-names.csv');
        const [header, ...read] = parseCsv(file?.content ?? '', {
          bom: true,
          record_delimiter: '\r\n',
          delimiter: form.delimiter,
        });
        expect(header).toEqual(["'=Key", 'Spend', 'Day']);
        const plain = (text: string): string => text.replaceAll(/(?<=^|[,;\t\r\n])'/g, '');
        expect(read.map(([key = '', spend, day]) => [plain(key), spend, day])).toEqual(
          rows.map(([key, spend, day]) => [
            wellFormed(key ?? ''),
            (spend ?? '').replace('.', form.decimal),
            day ?? '',
          ]),
        );
        for (const [key = ''] of read) expect(key).not.toMatch(/(^|[,;\t\r\n])[=+\-@\t\r＝＋－＠]/);
      }),
      { numRuns: runs(20) },
    );
  });

  it('survive a round trip through XLSX typed, exactly and without formulas', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTable, async (rows) => {
        const [summary, sheet] = await sheetsOf(
          await fileOf(holding({ columns, rows, title: rows[0]?.[0] ?? '' }), 'xlsx', 'spend.xlsx'),
        );
        expect(summary?.sheet).toBe('Summary');
        const [header = [], ...read] = sheet?.data ?? [];
        const hasExact = header.includes('Spend (exact)');
        // Rows at the end that hold nothing are none to the reader.
        const filled = rows.slice(0, rows.findLastIndex((row) => row.some((cell) => cell !== null)) + 1);
        expect(read).toHaveLength(filled.length);
        for (const [at, [key, spend, day]] of filled.entries()) {
          const cells = read[at] ?? [];
          const sayable = key?.replaceAll(/\p{Cs}|\p{Noncharacter_Code_Point}/gu, '\uFFFD');
          expect(cells[0] ?? null).toBe(sayable ?? null);
          expect(cells[1] ?? null).toBe(spend === null ? null : Number(spend));
          if (hasExact) expect(cells[2] ?? null).toBe(spend);
          else if (spend !== null) expect(money(String(cells[1]))).toBe(spend);
          const date: unknown = cells[hasExact ? 3 : 2] ?? null;
          expect(date instanceof Date ? date.toISOString().slice(0, 10) : date).toBe(day);
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it('survive a round trip through Parquet with their types', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTable, async (rows) => {
        const read = await parquetOf(
          await fileOf(holding({ columns, rows }), 'parquet', 'spend-names.parquet'),
        );
        expect(read.types[0]).toBe('VARCHAR');
        expect(read.types[1]).toBe('DECIMAL(38,12)');
        expect(read.types[2]).toBe('DATE');
        expect(
          read.rows.map(([key, spend, day]) => [key, spend === null ? null : money(spend as string), day]),
        ).toEqual(
          // oxlint-disable-next-line no-control-regex
          rows.map(([key, spend, day]) => [
            key?.replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD') ?? null,
            spend,
            day,
          ]),
        );
      }),
      { numRuns: runs(30) },
    );
  });

  it('appear unchanged in HTML, text and mail, without foreign elements', async () => {
    const elements = new Set(
      'html head meta title style body div table tbody tr td th h2 p span img'.split(' '),
    );
    const shipped = await spendSummary();
    const definition = {
      ...shipped,
      sections: shipped.sections.map((section) =>
        section.kind === 'table' ? { ...section, limit: 100 } : section,
      ),
    };
    await fc.assert(
      fc.asyncProperty(fc.array(hostileName, { minLength: 8, maxLength: 12 }), async (names) => {
        const rows = ordinaryRows('2026-10-21', 4).slice(0, 60);
        const model = await build({
          definition,
          rows: rows.map((row, at) => ({ ...row, key: names[at % names.length] ?? '' })),
          account: names[0] ?? '',
        });
        const rendered = await renderReport(model);
        const root = parseHtml(rendered.html);
        const cells: string[] = [];
        const textOf = (node: DefaultTreeAdapterTypes.Node): string => {
          if (defaultTreeAdapter.isTextNode(node)) return node.value;
          return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
        };
        const walk = (node: DefaultTreeAdapterTypes.Node): void => {
          if (defaultTreeAdapter.isElementNode(node)) {
            expect(elements).toContain(node.tagName);
            for (const { name } of node.attrs) expect(name).not.toMatch(/^on|^href$|^srcdoc$/);
            if (node.attrs.some(({ name, value }) => name === 'class' && /\bnm\b/.test(value)))
              cells.push(textOf(node).trim());
          }
          if ('childNodes' in node) for (const child of node.childNodes) walk(child);
        };
        walk(root);
        // Names that show alike are still rows of their own.
        const shown = new Set(names.map((name) => showName(name)).filter((name) => name !== ''));
        for (const name of shown) expect(cells).toContain(name);
        expect(rendered.text).not.toMatch(/[\u202A-\u202E\u2066-\u2069]|(?!\n)\p{Cc}/u);

        const files = [...(await filesOf(model, 'csv', 'xlsx', 'parquet'))];
        const bytes = await composeMessage({
          ...rendered,
          from: { name: names[1] ?? '', address: 'reports@example.com' },
          to: { name: '', address: 'finance@example.com' },
          messageId: '<a@example.com>',
          date: unixMillis(0),
          attachments: files.map(([filename, content]) => ({
            filename,
            contentType: 'application/octet-stream',
            content,
          })),
        });
        const parsed = await simpleParser(bytes, { skipImageLinks: true });
        expect(parsed.html).toBe(isolateNames(rendered.html).replaceAll('\r\n', '\n'));
        expect(parsed.headers.has('bcc')).toBe(false);
        expect(parsed.to).toMatchObject({ value: [{ address: 'finance@example.com' }] });
        const attached = parsed.attachments.filter(({ related }) => !related);
        expect(attached.map(({ filename }) => filename)).toEqual(files.map(([name]) => name));
        for (const [at, [, content]] of files.entries())
          expect(content.equals(attached[at]?.content ?? Buffer.alloc(0))).toBe(true);
      }),
      // Each try to find a smaller case would build a report.
      { numRuns: runs(2), endOnFailure: true },
    );
  });
});

describe('the data of a report', () => {
  it('include all rows of its tables exactly, one file per table', async () => {
    const model = await build({ rows: hostileRows() });
    const names = ['figures', ...model.data.tables.map(({ name }) => name)];
    for (const name of ['models', 'keys', 'days']) expect(names).toContain(name);
    expect([...(await filesOf(model, 'csv', 'xlsx', 'parquet')).keys()]).toEqual([
      ...names.map((name) => `spend-${name}.csv`),
      'spend.xlsx',
      ...names.map((name) => `spend-${name}.parquet`),
    ]);
    const [header, ...rows] = csvRows(await fileOf(model, 'csv', 'spend-models.csv'));
    expect(header).toEqual(['Model', 'Spend', 'Share', 'Change']);
    const shown = model.sections.find((section) => section.kind === 'table' && section.title === 'Models');
    expect(rows.length).toBeGreaterThan(shown?.kind === 'table' ? shown.rows.length : Infinity);
    expect(sumMoney(rows.map(([, spend = '']) => money(spend)))).toBe(model.headline.value.exact);
    const known = new Set(hostileNames.map((name) => wellFormed(name)));
    for (const [key = ''] of rows) expect(known).toContain(unguarded(key));

    const parquet = await parquetOf(await fileOf(model, 'parquet', 'spend-models.parquet'));
    expect(parquet.types).toEqual(['VARCHAR', 'DECIMAL(38,12)', 'DECIMAL(38,12)', 'DECIMAL(38,12)']);
    expect(sumMoney(parquet.rows.map(([, spend]) => money(spend as string)))).toBe(
      model.headline.value.exact,
    );

    const sheets = await sheetsOf(await fileOf(model, 'xlsx', 'spend.xlsx'));
    expect(sheets.map(({ sheet }) => sheet)).toEqual([
      'Summary',
      ...model.data.tables.map(({ title }) => title),
    ]);
    const table = sheets.find(({ sheet }) => sheet === 'Models')?.data ?? [];
    expect(table[0]).toEqual(['Model', 'Spend', 'Spend (exact)', 'Share', 'Change']);
    expect(table.at(-1)?.slice(0, 3)).toEqual([
      'Total',
      Number(model.headline.value.exact),
      model.headline.value.exact,
    ]);
    const reported = (sheets[0]?.data ?? []).map((row) => row.join(' ')).join('\n');
    for (const message of [
      model.title,
      model.period,
      ...model.data.figures.rows.map(([label]) => label ?? ''),
      ...model.footer,
    ])
      expect(reported).toContain(message);
  });

  it('type whole amounts as amounts, and whole numbers as integers', async () => {
    const whole = [
      { name: 'spend', label: 'Spend', format: 'money' },
      { name: 'calls', label: 'Calls', format: 'number' },
    ] as const;
    const model = holding({ columns: whole, rows: [['3', '3']] });
    const { types } = await parquetOf(await fileOf(model, 'parquet', 'spend-names.parquet'));
    expect(types).toEqual(['DECIMAL(38,12)', 'BIGINT']);
  });

  it('format the figures of the summary as money, as a share or as a number', async () => {
    const { figures } = ordinary.data;
    const rows = [
      ['Spend', '1.5', 'USD', null, null],
      ['Share', '0.25', 'ratio', null, null],
      ['Calls', '3', 'calls', null, null],
      ['Refunds', '0.5', 'USD', null, null],
    ];
    const model = { ...ordinary, data: { ...ordinary.data, figures: { ...figures, rows } } };
    const parts = layersOf(await fileOf(model, 'xlsx', 'spend.xlsx')).map((bytes) => Buffer.from(bytes));
    const summary = parts.find((part) => part.includes('<worksheet'))?.toString() ?? '';
    const [spend, share, calls, refunds] = [...summary.matchAll(/<c r="B\d+" s="(\d+)"><v>/g)].map(
      ([, style]) => style,
    );
    expect(refunds).toBe(spend);
    expect(new Set([spend, share, calls]).size).toBe(3);
  });

  it('leave missing values empty, and show no day without data as zero', async () => {
    const period = { since: Date.UTC(2026, 10, 10) / 1000, through: Date.UTC(2026, 10, 18) / 1000 };
    const rows = ordinaryRows('2026-11-10', 8);
    const model = await build({
      rows,
      period: '2026-11-08..2026-11-20',
      facts: { dataSince: period.since as never, dataThrough: period.through as never },
    });
    const days = csvRows(await fileOf(model, 'csv', 'spend-days.csv'));
    expect(days.at(-1)).toEqual(['2026-11-08', ...Array.from({ length: 9 }, () => '')]);
    expect(days.find(([day]) => day === '2026-11-12')?.[1]).toMatch(/^\d+\.\d+$/);
    expect(days[1]).toEqual(['2026-11-19', ...Array.from({ length: 9 }, () => '')]);

    const nothing = await build({ rows: [], facts: 'nothing pulled' });
    expect([...(await filesOf(nothing, 'csv', 'xlsx')).keys()]).toEqual(['spend-figures.csv', 'spend.xlsx']);
    expect(csvRows(await fileOf(nothing, 'csv', 'spend-figures.csv')).slice(1)).toEqual([
      [
        'Spend',
        '',
        'USD',
        '',
        'No data yet',
        'Not compared with the period before: the data of this period is incomplete.',
        '',
      ],
    ]);
  });

  it('have unique file and sheet names for any titles', async () => {
    const definition = await spendSummary();
    const tables = definition.sections.filter((section) => section.kind === 'table');
    const [table] = tables;
    if (table === undefined) throw new Error('no table');
    const titles = [
      'Models',
      'models',
      '模型用量',
      "'[a]/b\\c:d*e?'",
      'History',
      'x'.repeat(60),
      'x'.repeat(59),
      '🙂',
    ];
    const model = await build({
      rows: ordinaryRows(),
      definition: { ...definition, sections: titles.map((title) => ({ ...table, title })) },
    });
    expect([...(await filesOf(model, 'csv')).keys()].slice(1)).toEqual([
      'spend-models.csv',
      'spend-models-2.csv',
      'spend-recent-models.csv',
      'spend-a-b-c-d-e.csv',
      'spend-history.csv',
      `spend-${'x'.repeat(60)}.csv`,
      `spend-${'x'.repeat(59)}.csv`,
      'spend-recent-models-2.csv',
    ]);
    const sheets = await sheetsOf(await fileOf(model, 'xlsx', 'spend.xlsx'));
    expect(sheets.map(({ sheet }) => sheet)).toEqual([
      'Summary',
      'Models',
      'models (2)',
      '模型用量',
      'a b c d e',
      'History (2)',
      `${'x'.repeat(30)}…`,
      `${'x'.repeat(26)}… (2)`,
      '🙂',
    ]);
  });

  it('reject values that are not numbers, and cut text that exceeds a cell', async () => {
    for (const wrong of ['NaN', 'Infinity', '-Infinity', '1e999', '0x10', '']) {
      const model = holding({ columns, rows: [['a', wrong, null]] });
      await expect(filesOf(model, 'xlsx')).rejects.toMatchObject({ code: 'report-invalid' });
    }
    const long = 'long'.repeat(10_000);
    const sheets = await sheetsOf(
      await fileOf(holding({ columns, rows: [[long, null, null]] }), 'xlsx', 'spend.xlsx'),
    );
    const cell = String(sheets[1]?.data[1]?.[0]);
    expect(cell).toHaveLength(32_767);
    expect(cell.endsWith('…')).toBe(true);
    const csv = csvRows(
      await fileOf(holding({ columns, rows: [[long, null, null]] }), 'csv', 'spend-names.csv'),
    );
    expect(csv[1]?.[0]).toBe(long);
  });
});
