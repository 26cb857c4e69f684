import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { localeTags, systemClock } from '../../src/core/index.ts';
import { loadReport, type ReportDefinition, type ReportModel } from '../../src/reports/index.ts';
import type { LoadedReport } from '../../src/reports/definition/load.ts';
import { bindWith, openQueries } from '../../src/warehouse/index.ts';
import { approved, titled } from '../support/approved.ts';
import type { CubeRow } from './cube.ts';
import { build } from './sample.ts';
import { notesOf } from './parts.ts';

const bindQueries = bindWith(await openQueries(undefined, systemClock));

type Files = Readonly<Record<string, string>>;

const load = (files: Files): Promise<LoadedReport> =>
  loadReport(
    'mine',
    async (path) => {
      const text = files[path.replace('mine/', '')];
      if (text === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
      return text;
    },
    bindQueries,
  );

const yaml = `title: Mine
sections:
  - kind: table
    title: Models
    sql: models.sql
    columns:
      - { label: Model, name: model_name, format: text }
      - { label: Spend, name: spend, format: money }
`;

const sound = `SELECT model_name, sum(spend) AS spend FROM cube WHERE period = 'current' GROUP BY 1`;

/** Every warning as `check` shows it, without what to do. */
const warned = async (sql: string, report = yaml): Promise<readonly string[]> => {
  const { faults, warnings } = await load({ 'report.yaml': report, 'models.sql': sql });
  expect(faults).toEqual([]);
  for (const { advice } of warnings) expect(advice).not.toBe('');
  return warnings.map(
    ({ file, line, column, message }) => `${file.replace('mine/', '')}:${line}:${column}: ${message}`,
  );
};

const withRatio = yaml.replace(
  '      - { label: Spend',
  '      - { label: Each, name: each, format: FORMAT }\n      - { label: Spend',
);
const ratioQuery = (each: string): string =>
  `SELECT model_name, sum(spend) AS spend, CAST(${each} AS DECIMAL(18, 6)) AS each FROM cube WHERE period = 'current' GROUP BY 1`;

describe('a query whose total leaves out rows', () => {
  const output = expect.stringContaining('omits rows') as string;

  test('is reported with the position of its LIMIT and what to write instead', async () => {
    for (const [sql, at] of [
      [`${sound}\nORDER BY 2 DESC\nLIMIT 8`, '3:7'],
      [`-- nach Größe, 按大小\n${sound} /* größte */ LIMIT 8`, '2:105'],
    ] as const)
      expect(await warned(sql)).toEqual([expect.stringMatching(`^models.sql:${at}: .* LIMIT\\.$`)]);
    const { warnings } = await load({ 'report.yaml': yaml, 'models.sql': `${sound} LIMIT 8` });
    expect(warnings[0]?.advice).toContain('set `limit:` of the table in report.yaml');
  });

  test.each([
    `${sound} ORDER BY 2 DESC LIMIT 10%`,
    `${sound} ORDER BY 2 DESC OFFSET 3`,
    `WITH top AS (${sound} ORDER BY 2 DESC LIMIT 8) SELECT * FROM top`,
    `SELECT model_name, sum(spend) AS spend FROM (${sound} LIMIT 8) GROUP BY 1`,
    `(${sound} LIMIT 8) UNION ALL (SELECT 'rest', 0)`,
    `SELECT model_name, spend FROM (${sound}) JOIN (SELECT model_name FROM cube WHERE period = 'current' GROUP BY 1 LIMIT 5) USING (model_name)`,
  ])('is detected with the LIMIT elsewhere: %s', async (sql) => {
    expect(await warned(sql)).toEqual([output]);
  });

  test.each([
    sound,
    sound.replace('sum(spend)', 'sum(spend) + (SELECT 0 LIMIT 1)'),
    `WITH newest AS (SELECT day FROM days ORDER BY 1 DESC LIMIT 1) SELECT model_name, sum(spend) AS spend FROM cube, newest WHERE period = 'current' GROUP BY 1`,
    `SELECT model_name, sum(spend) AS spend FROM cube WHERE period = 'current' AND model_name IN (SELECT model_name FROM cube WHERE period = 'current' ORDER BY spend DESC LIMIT 5) GROUP BY 1`,
    `-- LIMIT 5\n${sound} ORDER BY replace(model_name, 'LIMIT 5', '')`,
  ])('is not suspected in %s', async (sql) => {
    expect(await warned(sql)).toEqual([]);
  });

  test('is not reported without a total, but shares of a cut table are', async () => {
    const bare = yaml.replace('    columns:', '    total: false\n    columns:');
    expect(await warned(`${sound} LIMIT 8`, bare)).toEqual([]);
    const shares = `${bare}      - { label: Share, share_of: spend }\n`;
    expect(await warned(`${sound} LIMIT 8`, shares)).toHaveLength(1);
  });
});

describe('a total over a ratio', () => {
  test.each([
    'sum(spend) / nullif(sum(calls), 0)',
    'avg(spend)',
    'coalesce(sum(input_tokens) // sum(calls), 0)',
    'round(100 * sum(spend) / sum(sum(spend)) OVER (), 2)',
  ])('is reported at the column, with the quotient to write: %s', async (each) => {
    const report = withRatio.replace('FORMAT', 'money');
    expect(await warned(ratioQuery(each), report)).toEqual([
      expect.stringMatching(/^report\.yaml:8:30: .*ratios: “each” of models\.sql/),
    ]);
    const { warnings } = await load({ 'report.yaml': report, 'models.sql': ratioQuery(each) });
    expect(warnings[0]?.advice).toContain('`quotient: { of: …, by: … }` in place of `name: each`');
  });

  test('is found through subqueries and WITH', async () => {
    const sql = `WITH a AS (SELECT model_name, sum(spend) AS spend, sum(calls) AS n FROM cube WHERE period = 'current' GROUP BY 1),
      b AS (SELECT *, CAST(spend / n AS DECIMAL(18, 6)) AS each FROM a) SELECT model_name, spend, b.each FROM b`;
    expect(await warned(sql, withRatio.replace('FORMAT', 'number'))).toHaveLength(1);
  });

  test.each([
    ['sum(spend) / 1000', 'money'],
    ['sum(spend * 2)', 'money'],
    ['sum(spend) / sum(calls)', 'percent'],
    ['sum(spend) / sum(calls)', 'rate'],
    ['sum(CAST(spend / nullif(calls, 0) AS DECIMAL(18, 6)))', 'money'],
  ])('is not suspected in %s as %s', async (each, format) => {
    expect(await warned(ratioQuery(each), withRatio.replace('FORMAT', format))).toEqual([]);
  });

  test('is not reported where the table has no total', async () => {
    const report = withRatio
      .replace('FORMAT', 'money')
      .replace('    columns:', '    total: false\n    columns:');
    expect(await warned(ratioQuery('avg(spend)'), report)).toEqual([]);
  });
});

describe('a period that the report does not have', () => {
  test('is reported, whether it exists elsewhere or nowhere', async () => {
    expect(await warned(sound.replace('current', 'last-month'))).toEqual([
      expect.stringMatching(/^models\.sql:1:65: .*“last-month”/),
    ]);
    expect(await warned(sound.replace('current', 'month'))).toEqual([
      expect.stringMatching(/^models\.sql:1:65: .*“month”/),
    ]);
    expect(await warned(sound.replace("= 'current'", "IN ('Current')"))).toHaveLength(1);
    expect(
      await warned(
        `SELECT model_name, sum(spend) FILTER (period = 'prior') AS spend FROM cube WHERE period = 'current' GROUP BY 1`,
      ),
    ).toHaveLength(1);
  });

  test('is not reported once the report declares it', async () => {
    expect(await warned(sound.replace('current', 'month'), `periods: [month]\n${yaml}`)).toEqual([]);
  });
});

describe('a query that adds up both periods', () => {
  const output = expect.stringContaining('adds up the current period') as string;

  test.each([
    'SELECT model_name, sum(spend) AS spend FROM cube GROUP BY 1',
    "SELECT model_name, sum(spend) AS spend FROM cube WHERE period IN ('current', 'comparison') GROUP BY 1",
    "SELECT model_name, sum(spend) AS spend FROM cube WHERE kind = 'consumption' GROUP BY ALL",
    'WITH c AS (SELECT * FROM cube) SELECT model_name, sum(spend) AS spend FROM c GROUP BY 1',
    'SELECT model_name, sum(spend) AS spend FROM (SELECT model_name, spend FROM cube) GROUP BY 1',
    'SELECT model_name, spend FROM cube',
    'SELECT period, model_name, sum(spend) AS spend FROM cube GROUP BY ALL',
    'SELECT model_name, sum(s) AS spend FROM (SELECT period, model_name, sum(spend) AS s FROM cube GROUP BY ALL) GROUP BY 1',
    "SELECT model_name, sum(spend) * (SELECT count(*) FROM calls) AS spend FROM cube WHERE period = 'current' GROUP BY 1",
  ])('is reported: %s', async (sql) => {
    expect(await warned(sql)).toEqual([output]);
  });

  test.each([
    "SELECT model_name, sum(spend) FILTER (period = 'current') AS spend FROM cube GROUP BY 1",
    "SELECT model_name, sum(CASE WHEN period = 'current' THEN spend END) AS spend FROM cube GROUP BY 1",
    "SELECT model_name, sum(spend) AS spend FROM cube WHERE 'current' = cube.period GROUP BY 1",
    "SELECT model_name, sum(cube.spend) AS spend FROM cube JOIN days ON days.period = cube.period AND days.day = cube.day WHERE days.period = 'current' GROUP BY 1",
    "WITH p AS (SELECT period, model_name, sum(spend) AS s FROM cube GROUP BY ALL) SELECT model_name, s AS spend FROM p WHERE period = 'current'",
    "SELECT model_name, sum(spend) FILTER (period = 'current') AS spend FROM cube GROUP BY 1 HAVING sum(spend) > 0",
    "WITH p AS (SELECT period, sum(spend) AS s FROM cube GROUP BY ALL) SELECT 'all' AS model_name, any_value(s) FILTER (period = 'current') AS spend FROM p",
    'SELECT name AS model_name, spend FROM keys',
  ])('is not suspected in %s', async (sql) => {
    expect(await warned(sql)).toEqual([]);
  });
});

const noon = Date.UTC(2026, 10, 10, 12) / 1000;
const before = Date.UTC(2026, 9, 10, 12) / 1000;
const rows: readonly CubeRow[] = [
  { quarter: noon, model: 'gpt-5.1', key: 'a', spend: '30.68' },
  { quarter: noon, model: 'claude-opus-4-5', key: 'b', spend: '15' },
  { quarter: before, model: 'gpt-5.1', key: 'a', spend: '21.45' },
];

const definitionOf = async (sql: string, report = yaml): Promise<ReportDefinition> => {
  const { report: definition, faults } = await load({ 'report.yaml': report, 'models.sql': sql });
  if (definition === undefined) throw new Error(JSON.stringify(faults));
  return definition;
};

const built = async (sql: string, report = yaml, given = rows): Promise<ReportModel> =>
  build({ rows: given, definition: await definitionOf(sql, report) });

describe('a report that is built', () => {
  test('shows the warnings of its query in its notes, although it has no section for notes', async () => {
    const model = await built(`${sound} ORDER BY 2 DESC LIMIT 1`);
    expect(notesOf(model)).toEqual([expect.stringContaining('omits rows')]);
    expect(model.warnings).toHaveLength(1);
  });

  test('has the total of its query before `limit:`', async () => {
    const many = Array.from({ length: 30 }, (_, at): CubeRow => ({
      quarter: noon,
      model: `m${at}`,
      key: 'a',
      spend: '1.5',
    }));
    const model = await built(sound, yaml.replace('    columns:', '    limit: 3\n    columns:'), many);
    const table = model.sections.find((section) => section.kind === 'table');
    expect(table?.kind === 'table' && table.rows.map(({ cells }) => cells.at(-1)?.exact)).toEqual([
      '1.5',
      '1.5',
      '1.5',
      '40.5',
      '45',
    ]);
    expect(model.warnings).toEqual([]);
  });

  test('warns of a total that differs from the headline over the same rows', async () => {
    const keys = `SELECT cube.model_name, sum(cube.spend) AS spend FROM cube
      JOIN (VALUES ('gpt-5.1'), ('gpt-5.1'), ('claude-opus-4-5')) AS twice (model_name) ON twice.model_name = cube.model_name
      WHERE period = 'current' GROUP BY 1`;
    const model = await built(keys);
    expect(model.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('“Models”, $76.36, differs from “Spend”, $45.68'),
    ]);
    await expect(`${notesOf(model).join('\n')}\n`).toMatchFileSnapshot(approved('reports/total-differs'));
    const lost = await built(keys.replace("('gpt-5.1'), ('gpt-5.1'), ", ''));
    expect(lost.warnings[0]?.message).toContain('“Models”, $15.00, differs from “Spend”, $45.68');
    const having = await built(`${sound} HAVING sum(spend) > 20`);
    expect(having.warnings[0]?.message).toContain('“Models”, $30.68, differs');
  });

  test('compares no total of other rows, of another figure or of another period with the headline', async () => {
    for (const sql of [
      sound,
      sound.replace('WHERE', "WHERE model_name LIKE 'gpt%' AND"),
      sound.replace('WHERE', "WHERE kind = 'refund' AND"),
      sound.replace('current', 'comparison'),
      sound.replace('sum(spend)', 'sum(amount)'),
    ])
      expect((await built(sql)).warnings.filter(({ message }) => message.includes('differs'))).toEqual([]);
  });

  test('warns of a table or chart without rows where the period has calls', async () => {
    const empty = sound.replace('WHERE', "WHERE model_name = 'gpt-5' AND");
    const output = [expect.stringContaining('“Models” has no rows')];
    expect((await built(empty)).warnings.map(({ message }) => message)).toEqual(output);
    const chart = `title: Mine
sections:
  - { kind: chart, title: Models, sql: models.sql, chart: bar, over: name, x: model_name, value: spend }
`;
    expect((await built(empty, chart)).warnings.map(({ message }) => message)).toEqual(output);
    expect(
      (await built(empty, yaml.replace('    columns:', '    optional: true\n    columns:'))).warnings,
    ).toEqual([]);
    expect((await built(empty, yaml, [])).warnings).toEqual([]);
  });

  test.each(localeTags)('shows its warnings in %s', async (locale) => {
    const definition = await definitionOf(
      `WITH x AS (SELECT count(*) AS n FROM cube) ${ratioQuery('avg(spend)').replace('cube', 'cube, x').replace("'current'", "'month'")} LIMIT 3`,
      withRatio.replace('FORMAT', 'money'),
    );
    const { warnings } = await build({ rows, definition, locale });
    expect(warnings).toHaveLength(5);
    await expect(titled(warnings.map(({ message, advice }) => [message, advice]))).toMatchFileSnapshot(
      approved('reports/warnings', locale),
    );
  });
});

test('shipped reports have no warnings', async () => {
  const root = fileURLToPath(new URL('../../reports', import.meta.url));
  for (const name of await readdir(root)) {
    const { warnings } = await loadReport(`${root}/${name}`, (path) => readFile(path, 'utf8'), bindQueries);
    expect(warnings).toEqual([]);
  }
});
