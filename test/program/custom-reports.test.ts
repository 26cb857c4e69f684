import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openFolder, defaultConfig, type Folder, type Ran } from '../support/program.ts';

const now = Date.UTC(2026, 10, 21, 6, 3, 7);

let folder: Folder;
let sandbox: Sandbox;

const run = (...argv: string[]): Promise<Ran> =>
  folder.run(argv, {
    env: {
      GATEWAY_BASE_URL: sandbox.baseUrl,
      GATEWAY_ADMIN_KEY: sandbox.adminKey,
      SMTP_URL: 'smtp://127.0.0.1:1',
    },
    clock: manualClock(now),
  });

const good = async (...argv: string[]): Promise<Ran> => {
  const ran = await run(...argv);
  expect(ran.stderr).not.toContain('what to do');
  expect(ran.code).toBe(0);
  return ran;
};

beforeAll(async () => {
  folder = await openFolder();
  sandbox = await startSandbox({ now: () => now, months: 2, callsPerDay: 60 });
  await defaultConfig(folder, '2026-11-10');
  await good('run', 'pull-logs');
});
afterAll(async () => {
  await sandbox.stop();
  await folder[Symbol.asyncDispose]();
});

const shown = (amount: string): string =>
  Number(amount).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

describe('`tollkeeper reports new`', () => {
  it('writes a report of about 15 lines that passes check and reconciles without changes', async () => {
    const made = await good('reports', 'new', 'spend-by-model');
    expect(made.stdout).toContain('config/reports/spend-by-model/report.yaml\n');
    expect(made.stdout).toContain('tollkeeper report spend-by-model --period last-7-days');
    const [yaml, sql] = await Promise.all(
      ['report.yaml', 'models.sql'].map((file) =>
        readFile(join(folder.path, 'config/reports/spend-by-model', file), 'utf8'),
      ),
    );
    expect(`${yaml}${sql}`.split('\n').length).toBeLessThanOrEqual(20);
    expect((await good('check')).stdout).toContain('the configuration is valid');

    const built = await good('report', 'spend-by-model', '--period', 'last-7-days', '--out', 'built');
    const truth = sandbox.truth.sums(
      Date.parse('2026-11-14T00:00:00Z') / 1000,
      Date.parse('2026-11-21T00:00:00Z') / 1000,
    );
    expect(built.stdout).toMatch(/^Spend by model · Nov 14 – 20, 2026 · /);
    expect(built.stdout).toContain(shown(truth.net));
    const text = await readFile(join(folder.path, 'built/spend-by-model.txt'), 'utf8');
    expect(text).toMatch(new RegExp(`Total .*${shown(truth.net).replace('.', '\\.')}`));
    expect(text).toContain(`Spend, exact: ${truth.net} USD.`);
  });

  it('writes its defaults in the language of the reader', async () => {
    await good('reports', 'new', 'deutsch');
    await good('report', 'deutsch', '--period', 'last-7-days', '--locale', 'de', '--out', 'built');
    expect(await readFile(join(folder.path, 'built/deutsch.txt'), 'utf8')).toContain('Kosten');
  });

  it('never overwrites or hides a report', async () => {
    await good('reports', 'new', 'twice');
    const file = join(folder.path, 'config/reports/twice/report.yaml');
    const before = await readFile(file, 'utf8');
    const again = await run('reports', 'new', 'twice');
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('the report twice already exists');
    expect(await readFile(file, 'utf8')).toBe(before);
    const hidden = await run('reports', 'new', 'spend-summary');
    expect(hidden.code).toBe(2);
    expect(hidden.stderr).toContain('spend-summary is the name');
  });

  it.each(['', '../elsewhere', 'a/b', '.hidden', 'with space', 'x'.repeat(65)])(
    'rejects the name %j and writes nothing',
    async (name) => {
      const before = await folder.files();
      const ran = await run('reports', 'new', name);
      expect(ran.code).toBe(2);
      expect(ran.stderr).toMatch(/not a valid report name[^]*letters, digits/);
      expect(await folder.files()).toEqual(before);
    },
  );

  it('rejects a config folder that does not exist', async () => {
    const ran = await run('reports', 'new', 'mine', '--config', 'nowhere');
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('does not exist');
  });
});

describe('warnings of a report', () => {
  const yaml = `title: Mine
sections:
  - kind: table
    title: Models
    sql: models.sql
    columns:
      - { label: Model, name: model_name, format: text }
      - { label: Spend, name: spend, format: money }
`;
  const sound = "SELECT model_name, sum(spend) AS spend FROM cube WHERE period = 'current' GROUP BY 1";

  it.each([
    ['cut', `${sound} ORDER BY 2 DESC LIMIT 3`, /omits rows[^]*set `limit:`/],
    [
      'ratio',
      sound.replace('sum(spend)', 'CAST(sum(spend) / nullif(sum(calls), 0) AS DECIMAL(18, 6))'),
      /adds up ratios[^]*`quotient: \{ of: …, by: … \}`/,
    ],
    ['period', sound.replace('current', 'last-month'), /which does not exist[^]*'current' or 'comparison'/],
    ['mixed', sound.replace("WHERE period = 'current'", ''), /adds up the current period[^]*FILTER/],
  ])(
    'about %s are printed by check and report with a fix and shown in the report, all with exit code 0',
    async (name, sql, output) => {
      await folder.write(`config/reports/${name}/report.yaml`, yaml);
      await folder.write(`config/reports/${name}/models.sql`, sql);
      const checked = await run('check');
      expect(checked.code).toBe(0);
      expect(checked.stdout).toMatch(output);
      expect(checked.stdout).toMatch(new RegExp(`${name}/(models\\.sql|report\\.yaml):\\d+:\\d+: warning: `));
      expect(checked.stdout).toContain('the configuration is valid');
      const json = JSON.parse((await run('check', '--json')).stdout) as { warnings: { file: string }[] };
      expect(json.warnings.some(({ file }) => file.includes(`/${name}/`))).toBe(true);

      const ran = await run('report', name, '--period', 'last-7-days', '--out', 'built');
      expect(ran.code).toBe(0);
      expect(ran.stderr).toMatch(/^warning: /m);
      expect(ran.stderr).toMatch(output);
      const text = (await readFile(join(folder.path, 'built', `${name}.txt`), 'utf8')).replaceAll(
        /\s+/g,
        ' ',
      );
      expect(text).toMatch(output);
    },
  );

  it.each([
    [
      'joined',
      sound.replace('FROM cube', 'FROM cube JOIN (VALUES (1), (2)) AS twice (x) ON true'),
      /differs from “Spend”[^]*Check the joins/,
    ],
    [
      'empty',
      sound.replace('WHERE', "WHERE model_name = 'none' AND"),
      /has no rows although[^]*`optional: true`/,
    ],
  ])('about %s are printed by report when only the data shows them', async (name, sql, output) => {
    await folder.write(`config/reports/${name}/report.yaml`, yaml);
    await folder.write(`config/reports/${name}/models.sql`, sql);
    const ran = await run('report', name, '--period', 'last-7-days', '--out', 'built', '--json');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(output);
    expect((JSON.parse(ran.stdout) as { warnings: unknown[] }).warnings).toHaveLength(1);
  });
});
