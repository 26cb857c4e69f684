import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { loadReport, newReportFiles } from '../../src/reports/index.ts';
import { checkSql } from '../../src/reports/definition/sql-check.ts';
import { systemClock } from '../../src/core/index.ts';
import { bindWith, openQueries, type BindQueries } from '../../src/warehouse/index.ts';
import { approved } from '../support/approved.ts';
import { factsOf } from '../../src/reports/sql/facts.ts';
import type { LoadedReport } from '../../src/reports/definition/load.ts';

const bindQueries = bindWith(await openQueries(undefined, systemClock));

const load = (files: Readonly<Record<string, string>>, bind?: BindQueries): Promise<LoadedReport> =>
  loadReport(
    'reports/mine',
    async (path) => {
      const text = files[path.replace('reports/mine/', '')];
      if (text === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
      return text;
    },
    bind,
  );

const good = `title: Mine
subject: "{title} · {total}"
preheader: "{verdict}"
headline: { label: Spend, sql: totals.sql, name: spend }
sections:
  - kind: table
    title: Models
    sql: models.sql
    columns:
      - { label: Model, name: model_name, format: text }
      - { label: Share, share_of: spend }
`;
const sql = 'SELECT 1 AS spend, 1 AS spend_before';
const files = { 'report.yaml': good, 'totals.sql': sql, 'models.sql': sql };

const reported = ({ faults }: LoadedReport): string[] =>
  faults.map(
    ({ file, line, column, message }) => `${file.replace('reports/mine/', '')}:${line}:${column}: ${message}`,
  );

const linesOf = (loaded: LoadedReport): string =>
  reported(loaded)
    .map((line) => `${line}\n`)
    .join('');

describe('loading a report', () => {
  test('every shipped report is complete', async () => {
    const root = fileURLToPath(new URL('../../reports', import.meta.url));
    for (const entry of await readdir(root, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const { report, faults } = await loadReport(
        `${root}/${entry.name}`,
        (path) => readFile(path, 'utf8'),
        bindQueries,
      );
      expect(faults).toEqual([]);
      const written = (await readdir(`${root}/${entry.name}`)).filter((name) => name.endsWith('.sql'));
      const own = [...(report?.queries.keys() ?? [])].filter((name) => !name.includes('/'));
      expect(own.sort()).toEqual(written.sort());
    }
  });

  test('a new report is valid, with its name as the title', async () => {
    const made = Object.fromEntries(newReportFiles('spend-by_model').map(({ name, text }) => [name, text]));
    const { report, faults } = await load(made, bindQueries);
    expect([faults, report?.title]).toEqual([[], 'Spend by model']);
  });

  test('a valid report has its SQL and its defaults', async () => {
    const { report, faults } = await load(files);
    expect(faults).toEqual([]);
    expect(report?.queries.get('models.sql')).toBe(sql);
    const [section] = report?.sections ?? [];
    expect(section?.kind === 'table' && section.limit).toBe(12);
  });

  test('a report of several days is not compared by days', async () => {
    const withPeriod = (parameters: string) => ({
      ...files,
      'report.yaml': `${good}parameters: { ${parameters} }\n`,
    });
    const loaded = await load(withPeriod('period: last-month, comparison: same-weekday'));
    expect(reported(loaded).join()).toContain('requires a period of one day');
    expect(reported(await load(withPeriod('period: yesterday, comparison: 7-day-average')))).toEqual([]);
  });

  test('a table shows eight columns, and data files may have more', async () => {
    const withColumns = (more: string) => ({
      ...files,
      'report.yaml': `${good}${`      - { label: Again, name: spend, format: money${more} }\n`.repeat(7)}`,
    });
    expect(reported(await load(withColumns(', only_in_files: true')))).toEqual([]);
    expect(reported(await load(withColumns('')))).toEqual([
      expect.stringContaining('shows more than 8 columns: set only_in_files') as string,
    ]);
  });

  test('a missing folder is reported', async () => {
    expect(reported(await load({}))).toEqual(['report.yaml:1:1: report.yaml: there is no such file']);
  });

  test('invalid YAML is reported with its position', async () => {
    const [first] = reported(await load({ 'report.yaml': 'title: [1\nsubject: x\n' }));
    expect(first).toMatch(/^report\.yaml:2:/);
  });

  test('all faults are reported at once, each with its position', async () => {
    const yaml = good
      .replace('title: Mine', 'titel: Mine')
      .replace('{total}', '{totl}')
      .replace('kind: table', 'kind: tabel')
      .replace('name: spend }', 'name: spend, sections: 1 }');
    const loaded = await load({ 'report.yaml': yaml, 'totals.sql': 'SELECT 1; DROP TABLE x' });
    await expect(linesOf(loaded)).toMatchFileSnapshot(approved('reports/faults'));
  });

  test.each([
    [
      'columns:\n      - { label: A, name: a, share_of: b, format: text }',
      /needs exactly one of .*; it has 2/,
    ],
    ['columns:\n      - { label: A, name: a }', /needs a format/],
    ['columns:\n      - { label: A, name: a, format: euro }', /format: Invalid option/],
    ['columns:\n      - { label: A, name: "a b", format: text }', /name of a column/],
    ['columns: []', /columns: /],
    ['limit: 0\n    columns:\n      - { bar_of: a }', /limit: /],
  ])('reports the fault in %j', async (written, expected) => {
    const yaml = good.slice(0, good.indexOf('columns:')) + written;
    const faults = reported(await load({ ...files, 'report.yaml': `${yaml}\n` }));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(expected);
  });

  test('a headline with a query of its own has a label', async () => {
    const yaml = good.replace('label: Spend, ', '');
    expect(reported(await load({ ...files, 'report.yaml': yaml }))).toEqual([
      expect.stringContaining('headline: needs a label') as string,
    ]);
  });

  test.each(['../secrets.sql', '/etc/passwd', 'a/b/c.sql', '../a/b.sql', 'models.txt', '.sql'])(
    '%s is no SQL file of a report',
    async (name) => {
      const faults = reported(
        await load({ ...files, 'report.yaml': good.replace('models.sql', JSON.stringify(name)) }),
      );
      expect(faults).toEqual([expect.stringMatching(/^report\.yaml:8:10: .*\.sql file/)]);
    },
  );
});

describe('the check for one SELECT', () => {
  test.each([
    'SELECT 1',
    '-- why\nSELECT 1;\n',
    '/* a /* nested */ comment; */ SELECT 1 ; -- end;',
    "SELECT ';' AS \"a;b\", $$;$$, $q$ ' ; $q$, e'\\';' FROM cube",
    'WITH a AS (SELECT 1), b(x) AS MATERIALIZED (SELECT 2) SELECT * FROM a, b',
    'WITH RECURSIVE a AS (SELECT 1) FROM a',
    'FROM cube SELECT day',
    '(SELECT 1) UNION ALL (SELECT 2)',
    "SELECT replace(model_name, '''', '') FROM cube",
    'SELECT "delete", "update" FROM (SELECT 1 AS "delete", 2 AS "update")',
  ])('accepts %j', (text) => {
    expect(checkSql(text)).toEqual([]);
  });

  test.each([
    ['', 'the file holds no SELECT'],
    ['-- only a comment', 'the file holds no SELECT'],
    ['SELECT 1; SELECT 2', 'second statement'],
    ["SELECT ''; DROP TABLE cube; --'", 'second statement'],
    ['DELETE FROM cube', 'must be a SELECT, not DELETE'],
    ['WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a', 'must be a SELECT, not INSERT'],
    ["COPY cube TO '/x'", 'must be a SELECT, not COPY'],
    ['PRAGMA version', 'must be a SELECT, not PRAGMA'],
    ['SELECT (1', 'this bracket is not closed'],
    ['SELECT 1)', 'this bracket closes nothing'],
    ["SELECT 'abc", 'the text is not closed'],
    ['SELECT 1 /* x', 'the comment is not closed'],
    ['SELECT ?', 'takes no parameters'],
    ['SELECT $1', 'takes no parameters'],
  ])('rejects %j', (text, message) => {
    expect(
      checkSql(text)
        .map((fault) => fault.message)
        .join('\n'),
    ).toContain(message);
  });

  test('names the position of the fault', () => {
    expect(checkSql('SELECT 1;\n  SELECT 2')).toMatchObject([{ line: 2, column: 3 }]);
  });
});

describe('SQL checked against its tables', () => {
  const yaml = `title: Mine
subject: "{title}"
preheader: "{total}"
headline:
  label: Spend
  sql: totals.sql
  name: spent
  cause: { sql: models.sql, name: model_name, value: spend }
sections:
  - kind: figures
    sql: totals.sql
    figures:
      - { label: Spend, name: spend, format: money, change: true }
      - { label: Rate, quotient: { of: spend, by: token }, format: rate }
  - kind: chart
    title: Days
    chart: line
    sql: models.sql
    x: day
    series: model_name
    value: part
  - kind: worth-a-look
    sql: models.sql
    items:
      - { what: spike, text: "{model_name} {spend:money} {on:date}" }
  - kind: text
    sql: broken.sql
    text: "{a}"
`;
  const queries = {
    'totals.sql': 'SELECT sum(spend) AS spend, sum(calls) AS tokens FROM cube',
    'models.sql': 'SELECT day, model_name, sum(spend) AS spend, avg(spend) AS part FROM cube GROUP BY ALL',
  };

  test('every fault of the SQL and of its use in report.yaml is reported with its position', async () => {
    const broken = '-- é\nSELECT team,\n  sum(spnd) FROM cube GROUP BY 1';
    await expect(
      linesOf(await load({ 'report.yaml': yaml, ...queries, 'broken.sql': broken }, bindQueries)),
    ).toMatchFileSnapshot(approved('reports/sql-faults'));
  });

  test('a missing table, a file and a table of the warehouse are rejected', async () => {
    for (const [broken, message] of [
      [
        'SELECT 1 AS a FROM cubes',
        /^broken\.sql:1:20: Table with name cubes does not exist!; Did you mean "cube"\?$/,
      ],
      ["SELECT a FROM read_csv('/etc/passwd') AS t(a)", /^broken\.sql:1:15: Cannot access file/],
      ['SELECT quota AS a FROM call_log', /^broken\.sql:1:24: Table with name call_log does not exist!/],
    ] as const) {
      const found = reported(
        await load({ 'report.yaml': yaml, ...queries, 'broken.sql': broken }, bindQueries),
      );
      expect(found[0]).toMatch(message);
    }
  });

  test('sentences use existing columns and formats', async () => {
    const unknown = yaml.replace('{on:date}', '{spend:monney} {9}');
    expect(
      reported(await load({ 'report.yaml': unknown, ...queries, 'broken.sql': 'SELECT 1 AS a' })),
    ).toEqual([
      expect.stringContaining('unknown format in {spend:monney}; known are money, cents, rate') as string,
      expect.stringContaining('{9} names no column') as string,
    ]);
  });
});

it('the facts of a query with subqueries in subqueries are found in one pass', async () => {
  await using queries = await openQueries(undefined, systemClock);
  // Each level went through all levels below it: 2 to the power of 60 steps.
  const nested = `${'(SELECT '.repeat(60)}sum(spend) FROM cube${')'.repeat(60)}`;
  const bound = await queries.bind(`SELECT ${nested} AS spend`);
  expect(bound.fault).toBeUndefined();
  expect(factsOf(bound.tree)).toMatchObject({
    mixedAt: expect.any(Number) as number,
    tables: new Set(['cube']),
  });
});
