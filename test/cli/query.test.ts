import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { systemClock } from '../../src/core/index.ts';
import { reportRelations } from '../../src/settings.ts';
import { openFolder, type Folder } from '../support/program.ts';

let folder: Folder;
let sandbox: Sandbox;
beforeAll(async () => {
  folder = await openFolder();
  sandbox = await startSandbox({ now: systemClock.now, months: 2, callsPerDay: 40 });
  await folder.write(
    'config/tollkeeper.yaml',
    `timezone: UTC\naccounts: { main: { base_url: "${sandbox.baseUrl}", admin_key: "\${KEY}", currency: USD } }\n`,
  );
  await folder.write(
    'config/jobs/a.yaml',
    'jobs:\n  pull-logs: { kind: pull-logs, columns: detailed, since: 2026-10-01 }\n',
  );
  expect((await run('run', 'pull-logs')).code).toBe(0);
});
afterAll(async () => {
  await sandbox.stop();
  await folder[Symbol.asyncDispose]();
});

const run = (...argv: string[]) => folder.run(argv, { clock: systemClock, env: { KEY: sandbox.adminKey } });
const query = (...argv: string[]) => run('query', '--period', 'last-month', ...argv);

const byModel = `SELECT model_name, sum(calls) AS calls, sum(spend) AS spend
  FROM cube WHERE period = 'current' AND kind = 'consumption' GROUP BY ALL ORDER BY ALL`;

describe('query', () => {
  it('prints exact figures as table, CSV and JSON, and says what they are based on', async () => {
    const json = await query(byModel, '--format', 'json');
    expect(json.code).toBe(0);
    expect(json.stderr).toMatch(/\d+ rows; .*; amounts in USD; data through \S+ \S+ UTC\n$/);
    const rows = JSON.parse(json.stdout) as { model_name: string; calls: string; spend: string }[];
    expect(rows.length).toBeGreaterThan(3);
    for (const { calls, spend } of rows)
      expect([calls, spend]).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+\.?\d*$/)]);
    const csv = (await query(byModel, '--format', 'csv')).stdout;
    expect(csv.replace('\uFEFF', '').split('\r\n').slice(0, -1)).toEqual([
      'model_name,calls,spend',
      ...rows.map(({ model_name: model, calls, spend }) => `${model},${calls},${spend}`),
    ]);
    const table = (await query(byModel)).stdout.split('\n').map((line) => line.trim().split(/\s{2,}/));
    expect(table.slice(0, -1)).toEqual([
      ['model_name', 'calls', 'spend'],
      ...rows.map(({ model_name: model, calls, spend }) => [model, calls, spend]),
    ]);
  });

  it('writes a new file in the format of its ending, and overwrites none', async () => {
    expect(await query(byModel, '--out', 'models.parquet')).toMatchObject({ code: 0, stdout: '' });
    const bytes = await readFile(join(folder.path, 'models.parquet'));
    expect(bytes.subarray(0, 4).toString()).toBe('PAR1');
    const again = await query(byModel, '--out', 'models.parquet');
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toMatch(/models\.parquet already exists; it was not overwritten\n {2}what to do: /);
    expect(await readFile(join(folder.path, 'models.parquet'))).toEqual(bytes);
  });

  it.each([
    'SELECT * FROM call_log',
    'SELECT * FROM information_schema.tables, key_event',
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM read_text('config/tollkeeper.yaml')",
    "SELECT * FROM read_parquet('data/archive/*.parquet')",
    "SELECT * FROM glob('*')",
    "COPY (SELECT 1) TO 'out.csv'",
    'CREATE TABLE mine (a INTEGER)',
    'DROP VIEW cube',
    'DELETE FROM days',
    "UPDATE days SET period = 'x'",
    'INSERT INTO days SELECT * FROM days',
    "ATTACH 'data/tollkeeper.duckdb' AS own",
    'INSTALL httpfs',
    'LOAD httpfs',
    "SET memory_limit = '100GB'",
    "EXPORT DATABASE 'out'",
    'CHECKPOINT',
    "SELECT getenv('HOME')",
    'SELECT 1; SELECT 2',
    'SELECT * FROM range(200000)',
    'BEGIN',
    'COMMIT',
    'ROLLBACK',
    'SELEC 1',
    "SELECT CAST('x' AS INTEGER)",
    "SELECT error('no more')",
    'SELECT nothing FROM cube',
    "SELECT regexp_extract('x', '(')",
  ])('refuses %j with the next step', async (sql) => {
    const before = await folder.files();
    const ran = await query(sql);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(
      /\n {2}what to do: use one SELECT over the views that `tollkeeper schema` lists/,
    );
    // The class of the engine's error says nothing to people.
    expect(ran.stderr).not.toMatch(/\w Error: |INTERNAL|at Object\./);
    expect(await folder.files()).toEqual(before);
  });
});

describe('schema', () => {
  it('prints each view with its columns, and one alone by its name', async () => {
    const all = (await run('schema')).stdout;
    for (const { name, description } of reportRelations) expect(all).toContain(`${name}: ${description}\n`);
    const one = (await run('schema', 'days')).stdout;
    expect(one).toMatch(/^days: /);
    expect(one).not.toContain('cube: ');
  });
});
