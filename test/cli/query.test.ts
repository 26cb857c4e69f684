import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportRelations } from '../../src/settings.ts';
import type { Ran } from '../support/program.ts';
import { openCliFixture, type CliFixture } from './support/fixture.ts';

let fixture: CliFixture;
beforeAll(async () => {
  fixture = await openCliFixture({
    months: 2,
    callsPerDay: 40,
    settings: `timezone: UTC
accounts: { main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}", currency: USD, budget: { month: "5" } } }
`,
    jobs: 'jobs:\n  pull-logs: { kind: pull-logs, columns: detailed, since: 2026-10-01 }\n',
  });
  expect((await run('run', 'pull-logs')).code).toBe(0);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const run = (...argv: string[]) => fixture.run(argv);
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
    const bytes = await readFile(join(fixture.folder.path, 'models.parquet'));
    expect(bytes.subarray(0, 4).toString()).toBe('PAR1');
    const again = await query(byModel, '--out', 'models.parquet');
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toMatch(/models\.parquet already exists; it was not overwritten\n {2}what to do: /);
    expect(await readFile(join(fixture.folder.path, 'models.parquet'))).toEqual(bytes);
  });

  it.each([
    'SELECT * FROM call_log',
    'SELECT * FROM information_schema.tables, key_event',
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
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
    const before = await fixture.folder.files();
    const ran = await query(sql);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(
      /\n {2}what to do: use one SELECT over the views that `tollkeeper schema` lists/,
    );
    // The class of the engine's error says nothing to people.
    expect(ran.stderr).not.toMatch(/\w Error: |INTERNAL|at Object\./);
    expect(await fixture.folder.files()).toEqual(before);
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

type Answer = { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };

describe('mcp', () => {
  let client: Client;
  let ended: Promise<Ran>;
  const [toServer, fromServer] = [new PassThrough(), new PassThrough()];

  beforeAll(async () => {
    ended = fixture.run(['mcp'], { streams: { input: toServer, output: fromServer } });
    client = new Client({ name: 'test', version: '1' });
    // The framing is the same in both directions.
    await client.connect(new StdioServerTransport(fromServer, toServer));
  });
  afterAll(async () => {
    await client.close();
    toServer.end();
    expect(await ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { isError, content } = (await client.callTool({ name, arguments: input })) as Answer;
    const text = content[0]?.text ?? '';
    return isError === true ? { error: text } : (JSON.parse(text) as Record<string, unknown>);
  };

  it('offers tools that only read', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['spend', 'budgets', 'keys', 'jobs', 'query', 'schema']);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  });

  it('states the spend of the report to the last decimal, with watermark, currency and verdict', async () => {
    const answer = await call('spend', { period: 'last-month' });
    const rows = answer['rows'] as readonly { readonly period: string; readonly spend: string }[];
    const spend = rows.find(({ period }) => period === 'current')?.spend;
    await run('report', 'spend-summary', '--period', 'last-month', '--attach', 'csv');
    const figures = await readFile(join(fixture.folder.path, 'out/spend-summary-figures.csv'), 'utf8');
    expect(figures).toContain(`Spend,${spend},`);
    expect(answer).toMatchObject({
      currency: 'USD',
      basis: { account: 'main', watermark: expect.stringMatching(/Z$/) as string },
    });
    expect(answer['basis']).toHaveProperty('reconciliation');
    const parts = (await call('spend', { period: 'last-month', by: 'model' }))['rows'] as readonly unknown[];
    expect(parts.length).toBeGreaterThan(3);
  });

  it('answers every tool with watermark, currency and verdict, and names no key', async () => {
    const answers = await Promise.all([
      call('budgets'),
      call('keys'),
      call('jobs'),
      call('schema', { view: 'days' }),
      call('query', { sql: 'SELECT count(*) AS days FROM days' }),
    ]);
    for (const answer of answers) {
      expect(answer).not.toHaveProperty('error');
      for (const field of ['"watermark":"', '"currency":"USD"', '"reconciliation":'])
        expect(JSON.stringify(answer)).toContain(field);
    }
    const text = JSON.stringify(answers);
    // Keys of the sandbox begin with sk-; a mask shows at most their ends.
    expect(text).not.toMatch(/sk-[A-Za-z0-9]{16}/);
  });

  it('states with spend whether the period that was asked agrees with the gateway', async () => {
    const whole = await call('spend', { period: 'last-month' });
    expect(whole['verdict']).toMatchObject({ verdict: 'equal', good: true });
    // Nothing is landed for it.
    const before = await call('spend', { period: '2026-01' });
    expect(before['verdict']).toMatchObject({ verdict: 'unknown', good: false });
  });

  it('answers a line that is no message with an error of JSON-RPC, and goes on', async () => {
    const answers: string[] = [];
    const read = (piece: Buffer): void => void answers.push(piece.toString());
    fromServer.on('data', read);
    toServer.write('{ broken\n');
    toServer.write('{"hello":1}\n');
    expect(await call('schema', { view: 'days' })).not.toHaveProperty('error');
    fromServer.off('data', read);
    const lines = answers.join('').trim().split('\n');
    expect(lines.slice(0, 2).map((line) => JSON.parse(line) as unknown)).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32_700, message: expect.any(String) as string } },
      { jsonrpc: '2.0', id: null, error: { code: -32_600, message: expect.any(String) as string } },
    ]);
  });

  it.each([
    ['query', { sql: 'DROP VIEW cube' }, /use one SELECT over the views/],
    ['spend', { period: 'someday' }, /someday/],
    ['schema', { view: 'call_log' }, /there is no view call_log/],
    ['keys', { account: 'other' }, /account other is not declared/],
  ])('answers %s of %j with the error and its next step', async (name, input, message) => {
    expect(await call(name, input)).toEqual({ error: expect.stringMatching(message) as string });
  });
});
