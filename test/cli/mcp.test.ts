import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { openFolder, type Folder, type Ran } from '../support/program.ts';

let folder: Folder;
let sandbox: Sandbox;
let client: Client;
let ended: Promise<Ran>;
const [toServer, fromServer] = [new PassThrough(), new PassThrough()];

const options = () => ({ clock: systemClock, env: { KEY: sandbox.adminKey } });

beforeAll(async () => {
  folder = await openFolder();
  sandbox = await startSandbox({ now: systemClock.now, months: 2, callsPerDay: 40 });
  await folder.write(
    'config/tollkeeper.yaml',
    `timezone: UTC\naccounts: { main: { base_url: "${sandbox.baseUrl}", admin_key: "\${KEY}", currency: USD, budget: { month: "5" } } }\n`,
  );
  await folder.write(
    'config/jobs/a.yaml',
    'jobs:\n  pull-logs: { kind: pull-logs, columns: detailed, since: 2026-10-01 }\n',
  );
  expect((await folder.run(['run', 'pull-logs'], options())).code).toBe(0);
  const streams = { input: toServer, output: fromServer };
  ended = folder.run(['mcp'], { ...options(), streams });
  client = new Client({ name: 'test', version: '1' });
  // The framing is the same in both directions.
  await client.connect(new StdioServerTransport(fromServer, toServer));
});
afterAll(async () => {
  await client.close();
  toServer.end();
  expect(await ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  await sandbox.stop();
  await folder[Symbol.asyncDispose]();
});

type Answer = { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };

const call = async (name: string, input: Record<string, unknown> = {}) => {
  const { isError, content } = (await client.callTool({ name, arguments: input })) as Answer;
  const text = content[0]?.text ?? '';
  return isError === true ? { error: text } : (JSON.parse(text) as Record<string, unknown>);
};

describe('mcp', () => {
  it('offers tools that only read', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['spend', 'budgets', 'keys', 'jobs', 'query', 'schema']);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  });

  it('states the spend of the report to the last decimal, with watermark, currency and verdict', async () => {
    const answer = await call('spend', { period: 'last-month' });
    const rows = answer['rows'] as readonly { readonly period: string; readonly spend: string }[];
    const spend = rows.find(({ period }) => period === 'current')?.spend;
    await folder.run(['report', 'spend-summary', '--period', 'last-month', '--attach', 'csv'], options());
    const figures = await readFile(join(folder.path, 'out/spend-summary-figures.csv'), 'utf8');
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
