import { readFile, readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, type BuiltProgram, type Running } from './support/built-program.ts';
import { dateBefore, openFixture, parsed, yearly, type Fixture } from './support/fixture.ts';

let program: BuiltProgram;
let fixture: Fixture;
beforeAll(async () => {
  program = await buildProgram();
  fixture = await openFixture(program);
  await fixture.settings('scheduler: { grace: 1s }\n');
  await fixture.jobs(
    `pull-logs: { kind: pull-logs, schedule: "${yearly()}", since: ${dateBefore(3)} }`,
    `hostile: { kind: report, schedule: "${yearly()}", report: hostile, period: last-7-days, mail: { to: [ops@example.com] }, retries: { limit: 0 } }`,
  );
  expect((await fixture.here('reports', 'new', 'hostile')).code).toBe(0);
  expect((await fixture.here('run', 'pull-logs')).code).toBe(0);
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await program[Symbol.asyncDispose]();
});

const report = (sql: string): Promise<unknown> =>
  fixture.folder.write('config/reports/hostile/models.sql', sql);

const reportWith = (value: string): Promise<unknown> =>
  report(`SELECT model_name, sum(calls) AS calls, sum(spend) AS spend, ${value} AS hostile
FROM cube WHERE period = 'current' AND kind IN ('consumption', 'refund') GROUP BY 1 ORDER BY 1`);

/** The process that runs the queries of a daemon. */
const queryProcess = async (daemon: Running): Promise<number | undefined> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (new RegExp(`^PPid:\\s+${daemon.pid}$`, 'm').test(status)) return Number(pid);
  }
  return undefined;
};

describe('a report whose SQL', () => {
  it.each([
    ['builds a list of two billion numbers', 'len(range(2000000000))', /more than \d+ MB of memory/],
    [
      'unnests a series',
      '(SELECT count(*) FROM (SELECT unnest(generate_series(1, 2000000000::BIGINT))))',
      /MB of memory/,
    ],
    ['repeats a text', "length(repeat('x', 2000000000))", /MB of memory/],
    [
      'compares long texts',
      "levenshtein(repeat('ab', 90000), repeat('ba', 90000))",
      /time limit of 20000 ms/,
    ],
    [
      'changes the engine',
      "(SELECT count(*) FROM enable_logging(storage_path := 'x'))",
      /enable_logging is not allowed/,
    ],
    ['hides a query in a text', "(SELECT count(*) FROM query('SELECT 1'))", /query is not allowed/],
    [
      'hides it in a quoted name',
      '(SELECT count(*) FROM "Enable_Profiling"())',
      /enable_profiling is not allowed/,
    ],
  ])('%s is rejected by `tollkeeper check`', async (_what, value, message) => {
    await reportWith(value);
    const checked = await fixture.command('check');
    expect(checked.code).toBe(1);
    expect(checked.stdout).toMatch(message);
    expect(checked.stdout).toContain('hostile/models.sql');
  });

  it('needs too much memory for its rows fails the report, and another report is built', async () => {
    await reportWith('len(list_sort(list_transform(range(20000000 + any_value(day_number)), x -> hash(x))))');
    const built = await fixture.command('report', 'hostile', '--period', 'last-7-days', '--out', 'built');
    expect(built.stderr).toMatch(/more than \d+ MB of memory/);
    expect(built.stderr).toContain('(report-query-failed)');
    expect(built.code).toBe(1);
    await reportWith('1');
    expect(
      (await fixture.command('report', 'hostile', '--period', 'last-7-days', '--out', 'built')).code,
    ).toBe(0);
  });

  it('never ends leaves the health endpoint and the stop of a daemon as they are', async () => {
    await reportWith("max(levenshtein(repeat(model_name, 20000), repeat('ab', 90000)))");
    const daemon = await fixture.serve();
    const address = String(parsed(await daemon.line('"serving"'))['health']);
    const ordered = fixture.here('run', 'hostile');
    let worker: number | undefined;
    while (worker === undefined) {
      const answer = await fetch(`http://${address}/healthz`);
      expect(answer.status).toBe(200);
      await answer.text();
      worker = await queryProcess(daemon);
    }
    daemon.kill('SIGTERM');
    expect((await daemon.ended).signal).toBeNull();
    expect((await ordered).code).not.toBe(0);
    await expect(readFile(`/proc/${worker}/status`, 'utf8')).rejects.toThrow('ENOENT');
  });
});
