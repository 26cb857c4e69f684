import { readFile, readdir } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/index.ts';
import { buildProgram, type BuiltProgram, type Running } from './support/built-program.ts';
import { dateBefore, openFixture, yearly, type Fixture } from './support/fixture.ts';

let program: BuiltProgram;
let fixture: Fixture;
let daemon: Running;
beforeAll(async () => {
  program = await buildProgram();
  fixture = await openFixture(program);
  await fixture.settings('scheduler: { grace: 1s }\n');
  await fixture.jobs(`pull-logs: { kind: pull-logs, schedule: "${yearly()}", since: ${dateBefore(3)} }`);
  expect((await fixture.here('run', 'pull-logs')).code).toBe(0);
  daemon = await fixture.serve();
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await program[Symbol.asyncDispose]();
});

/** Takes longer than any test. */
const endless = "SELECT max(levenshtein(repeat(model_name, 20000), repeat('ab', 90000))) AS far FROM cube";

type Fields = { readonly parent: string; readonly ticks: number; readonly nice: number };

/** Of a process or a thread; undefined when it has ended. */
const fieldsOf = async (folder: string): Promise<Fields | undefined> => {
  const stat = await readFile(`${folder}/stat`, 'utf8').catch(() => undefined);
  // The fields after the name, which may contain blanks, begin with the state.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && { parent: fields[1] ?? '', ticks: Number(fields[11]), nice: Number(fields[16]) };
};

const numbersIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder).catch(() => [])).filter((name) => /^\d+$/.test(name));

/** The priority of the processes that run queries of the daemon: that of the thread which has used most time. */
const queryPriorities = async (): Promise<readonly (number | undefined)[]> => {
  const found: (number | undefined)[] = [];
  for (const pid of await numbersIn('/proc')) {
    if ((await fieldsOf(`/proc/${pid}`))?.parent !== String(daemon.pid)) continue;
    const tasks = `/proc/${pid}/task`;
    const threads = await Promise.all((await numbersIn(tasks)).map((task) => fieldsOf(`${tasks}/${task}`)));
    found.push(threads.toSorted((left, right) => (right?.ticks ?? 0) - (left?.ticks ?? 0))[0]?.nice);
  }
  return found;
};

const untilProcesses = (count: number): Promise<void> =>
  expect.poll(queryPriorities, { timeout: 300_000 }).toEqual(Array.from({ length: count }, () => 10));

describe('a query of a person', () => {
  it('holds up no report, and a third at a time is refused', async () => {
    const queries = [fixture.start('query', endless), fixture.start('query', endless)];
    await untilProcesses(2);
    const third = await fixture.command('query', endless);
    expect(third.code).toBe(1);
    expect(third.stderr).toMatch(
      /2 queries run already\n {2}what to do: try again when .* \(queries-busy\)\n/,
    );
    const report = await fixture.command('report', 'spend-summary', '--period', 'last-7-days');
    expect(report.code).toBe(0);
    for (const query of queries) query.kill('SIGINT');
    for (const query of queries) expect((await query.ended).code).toBe(1);
    await untilProcesses(0);
    expect((await fixture.command('query', 'SELECT 1 AS one')).code).toBe(0);
  });

  it('of an assistant ends when the assistant cancels it or goes away', async () => {
    const [toServer, fromServer] = [new PassThrough(), new PassThrough()];
    const ended = fixture.folder.run(['mcp'], {
      clock: systemClock,
      env: fixture.env,
      streams: { input: toServer, output: fromServer },
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioServerTransport(fromServer, toServer));
    const ask = (signal?: AbortSignal) =>
      client.callTool({ name: 'query', arguments: { sql: endless } }, undefined, {
        timeout: 600_000,
        ...(signal === undefined ? {} : { signal }),
      });
    await untilProcesses(0);
    const cancelled = new AbortController();
    const first = ask(cancelled.signal);
    await untilProcesses(1);
    cancelled.abort();
    await expect(first).rejects.toThrow();
    await untilProcesses(0);
    const second = ask();
    second.catch(() => undefined);
    await untilProcesses(1);
    toServer.end();
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    await untilProcesses(0);
    await client.close();
  });
});
