import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ran } from '../support/program.ts';
import { buildProgram, startIn, type BuiltProgram, type Running } from './support/built-program.ts';
import {
  dateBefore,
  openFixture,
  pullLogs,
  saying,
  yearly,
  type Fixture,
  type RunJson,
} from './support/fixture.ts';

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

const rarely = `schedule: "${yearly()}"`;
/** Half a day away from now, so that none of its slots comes while a test runs. */
const hour = (new Date().getUTCHours() + 12) % 24;
const weekday = (new Date().getUTCDay() + 3) % 7;
const usage = `pull-usage: { kind: pull-usage, since: ${dateBefore(20)}, schedule: "20 ${hour} * * *", notify: [] }`;
const weekly = `weekly: { kind: report, schedule: "0 8 * * ${weekday}", report: spend-summary, period: last-week, needs: [pull-logs], mail: { to: [finance@example.com] } }`;

/** Its last slot, four days ago. */
const lastWeekly = (): string => `${dateBefore(4)}T08:00Z`;

const stopped = async (daemon: Running): Promise<void> => {
  daemon.kill('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
};

describe.concurrent('commands', () => {
  it('print the same with and without a daemon, and run and mail a slot once for any number of requests', async () => {
    await using fixture = await openFixture(program, { months: 2, callsPerDay: 40 });
    await fixture.jobs(pullLogs(rarely), usage, weekly);
    const slot = ['run', 'weekly', '--slot', lastWeekly()];
    const first = await fixture.here(...slot);
    expect(first.stderr).not.toContain('what to do');
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toMatch(/1 mail sent/);

    const asked = [
      [...slot, '--json'],
      ['runs', '--json'],
      ['runs', 'weekly'],
      ['next', '--count', '20'],
      ['next', 'weekly', '--json'],
      ['run', 'pull-usage', '--from', dateBefore(3), '--to', dateBefore(0), '--dry-run'],
      ['run', 'weekly', '--dry-run', '--json'],
      ['run', 'weekly', '--slot', '2099-01-01'],
      ['run', 'no-such-job'],
      ['runs', 'no-such-job'],
      ['run', 'weekly', '--slot', 'once upon a time'],
    ];
    const answers = async (): Promise<readonly Ran[]> => {
      const all: Ran[] = [];
      for (const argv of asked) {
        const ran = await fixture.here(...argv);
        // Time goes on between two answers.
        all.push({
          ...ran,
          stdout: ran.stdout.replaceAll(/\bin \d+ [dh]+(?: \d+ (?:h|min))?/g, 'in a while'),
        });
      }
      return all;
    };
    const files = (await fixture.folder.files()).filter((file) => !file.endsWith('.wal'));
    const without = await answers();
    expect((await fixture.folder.files()).filter((file) => !file.endsWith('.wal'))).toEqual(files);
    expect(without.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2]);
    expect(JSON.parse(without[0]?.stdout ?? '')).toMatchObject({ already: true, mail: { sent: 1 } });
    expect(without[7]?.stderr).toContain('in the future');
    type Status = { jobs: unknown; open: unknown; mail: unknown; daemon?: { pid: number } };
    const status = async (): Promise<Status> =>
      JSON.parse((await fixture.here('status', '--json')).stdout) as Status;
    const { daemon: nobody, ...before } = await status();
    expect(nobody).toBeUndefined();

    const daemon = await fixture.serve();
    expect(await answers()).toEqual(without);
    const { daemon: somebody, ...after } = await status();
    expect(somebody?.pid).toBe(daemon.pid);
    expect(after).toMatchObject({ jobs: before.jobs, open: before.open, mail: before.mail });
    // A plan writes nothing: the ledger holds what it held.
    expect(saying(daemon, 'run started')).toEqual([]);
    const again = await fixture.command(...slot);
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^already ran, succeeded/) as string,
    });
    const report = await fixture.here('report', 'spend-summary', '--period', 'last-week', '--out', 'out');
    expect(report.code).toBe(0);
    expect(await readFile(join(fixture.folder.path, 'out/spend-summary.txt'), 'utf8')).toContain('AI spend');
    await stopped(daemon);
    expect(fixture.mail.taken).toHaveLength(1);
  });

  it('of ten clients at once are all answered, and their common run takes place once', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(rarely));
    const daemon = await fixture.serve();
    fixture.gateway.holdAfter(0);
    const slot = ['run', 'pull-logs', '--slot', dateBefore(1), '--json'];
    const runs = [1, 2, 3, 4].map(() => fixture.here(...slot));
    await fixture.gateway.blocked();
    const others = [
      ['status'],
      ['status', '--json'],
      ['runs'],
      ['next'],
      ['run', 'pull-logs', '--dry-run'],
      ['runs', 'pull-logs', '--json'],
    ].map((argv) => fixture.here(...argv));
    expect((await Promise.all(others)).map(({ code, stderr }) => [code, stderr])).toEqual(
      others.map(() => [0, '']),
    );
    fixture.gateway.release();
    fixture.gateway.resume();
    const results = (await Promise.all(runs)).map(({ code, stdout }) => ({
      code,
      run: (JSON.parse(stdout) as { run: RunJson }).run,
    }));
    for (const { code, run } of results) expect([code, run.state, run.attempts.length]).toEqual([0, 'ok', 1]);
    expect(saying(daemon, 'run started')).toHaveLength(1);
  });

  it('whose client is killed stop their run, and the daemon continues', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(rarely));
    const daemon = await fixture.serve();
    fixture.gateway.holdAfter(0);
    const client = fixture.start('run', 'pull-logs');
    await fixture.gateway.blocked();
    client.kill('SIGKILL');
    await daemon.line('the run was interrupted');
    const [run] = await fixture.runs('pull-logs');
    expect(run).toMatchObject({ state: 'interrupted', trigger: 'hand', code: 'aborted' });
    fixture.gateway.release();
    expect((await fixture.here('run', 'pull-logs')).code).toBe(0);
    const status = await fixture.here('status');
    expect(status).toMatchObject({ code: 0 });
    expect(status.stdout).not.toContain('OPEN RUN');
    // What a person ordered and broke off is nothing to mail about.
    await stopped(daemon);
    expect(fixture.mail.taken).toEqual([]);
  });

  it('whose client gets Ctrl-C end with exit code 1', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(rarely));
    const daemon = await fixture.serve();
    fixture.gateway.holdAfter(0);
    const client = fixture.start('run', 'pull-logs');
    await fixture.gateway.blocked();
    client.kill('SIGINT');
    expect(await client.ended).toEqual({ code: 1, signal: null });
    expect(client.stderr()).toContain('SIGINT');
    expect(client.stderr()).not.toContain('    at ');
    await daemon.line('the run was interrupted');
  });
});

describe.concurrent('a backfill interrupted by Ctrl-C', () => {
  const days = 6;
  const range = ['run', 'pull-usage', '--from', dateBefore(days), '--to', dateBefore(0)];

  /** Breaks a backfill off after its first slots, goes on, and looks at what there is then. */
  const brokenOff = async (fixture: Fixture): Promise<void> => {
    fixture.gateway.holdAfter(5, '/api/data/self/pivot/stream-export');
    const first = fixture.start(...range);
    await first.line(' ok ');
    await fixture.gateway.blocked();
    first.kill('SIGINT');
    expect(await first.ended).toEqual({ code: 1, signal: null });
    const done = first.stdout().filter((line) => line.includes(' ok ')).length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(days);

    fixture.gateway.release();
    const second = await fixture.here(...range);
    expect(second.code).toBe(0);
    expect(second.stdout).toContain(`${days} slots: ${days - done} ok, ${done} already ran, 0 failed\n`);
    const third = await fixture.here(...range);
    expect(third.stdout).toContain(`${days} slots: 0 ok, ${days} already ran, 0 failed\n`);
    const runs = await fixture.runs('pull-usage');
    expect(runs.map(({ state, trigger }) => [state, trigger])).toEqual(runs.map(() => ['ok', 'backfill']));
    expect(new Set(runs.map(({ slot }) => slot)).size).toBe(days);
    expect(runs).toHaveLength(days);
  };

  it('continues at its last slot without a daemon', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(usage);
    await brokenOff(fixture);
  });

  it('continues at its last slot through the daemon', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(usage);
    const daemon = await fixture.serve();
    await brokenOff(fixture);
    expect(saying(daemon, 'the run was interrupted')).toHaveLength(1);
  });
});

it('a clock before the build date is rejected, and the other commands still work', async () => {
  await using fixture = await openFixture(program);
  await fixture.jobs(pullLogs(rarely));
  const copy = await mkdtemp(join(tmpdir(), 'tollkeeper-later-'));
  try {
    for (const name of ['dist', 'fonts', 'reports', 'package.json'])
      await cp(join(program.folder, name), join(copy, name), { recursive: true });
    await symlink(join(program.folder, 'node_modules'), join(copy, 'node_modules'));
    const later = async (builtAt: string, command: string): Promise<Running> => {
      await writeFile(join(copy, 'dist/build.json'), JSON.stringify({ builtAt }));
      return startIn(copy, [command], { cwd: fixture.folder.path, env: fixture.env });
    };
    const refused = await later('2199-01-01T00:00:00.000Z', 'serve');
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.stderr()).toMatch(
      /the clock shows .* build time of this program, 2199-01-01T00:00:00\.000Z\n {2}what to do: .*clock/,
    );
    expect(refused.stdout()).toEqual([]);
    expect(await (await later('2199-01-01T00:00:00.000Z', 'check')).ended).toMatchObject({ code: 0 });
    const taken = await later(new Date(Date.now() - 1000).toISOString(), 'serve');
    await taken.line('"serving"');
    await stopped(taken);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
});
