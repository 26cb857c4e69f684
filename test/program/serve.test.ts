import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { interval, silentLog, systemClock, unixSeconds } from '../../src/core/index.ts';
import { openWarehouse } from '../../src/warehouse/index.ts';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { dateBefore, openFixture, parsed, zoneAtNoon, type Fixture } from './support/fixture.ts';

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

const open = () => openFixture(program, { months: 2, callsPerDay: 100 });

const pullLogs = (more = ''): string =>
  `pull-logs: { kind: pull-logs, since: ${dateBefore(40)}, window: 10d${more} }`;

const spool = async ({ folder }: Fixture): Promise<readonly string[]> =>
  readdir(join(folder.path, 'data/spool'));

/** What the warehouse holds, by its own account of it, after the processes are gone. */
const holdings = async ({ folder }: Fixture) => {
  await using warehouse = await openWarehouse({
    path: join(folder.path, 'data/tollkeeper.duckdb'),
    spoolDirectory: join(folder.path, 'data/spool'),
    memoryLimit: '512MB',
    threads: 2,
    clock: systemClock,
    log: silentLog,
  });
  const covered = await warehouse.logs.watermark('main');
  if (covered === undefined) throw new Error('nothing is landed');
  const spend = await warehouse.spend('main', interval(unixSeconds(0), covered.end));
  const outbox = await warehouse.outbox.list();
  return { covered, spend, outbox };
};

describe.concurrent('the daemon', () => {
  it('runs jobs, sends mail, answers health checks, and leaves nothing behind at SIGTERM', async () => {
    await using fixture = await open();
    await fixture.settings(`timezone: ${zoneAtNoon()}`);
    await fixture.jobs(
      pullLogs(', schedule: "* * * * * *"'),
      'spend: { kind: report, schedule: "*/2 * * * * *", report: spend-summary, needs: [pull-logs], mail: { to: [finance@example.com] } }',
      `broken: { kind: pull-usage, schedule: "* * * * * *", since: ${dateBefore(9)}, group_by: [moon], retries: { limit: 0 } }`,
    );
    const daemon = fixture.start('serve');
    const address = String(parsed(await daemon.line('"serving"'))['health']);
    await daemon.line('finance@example.com');
    for (const [path, status] of [
      ['healthz', 'alive'],
      ['readyz', 'ready'],
    ] as const) {
      const answer = await fetch(`http://${address}/${path}`);
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        200,
        expect.objectContaining({ status }),
      ]);
    }
    daemon.kill('SIGTERM');
    const began = Date.now();
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(daemon.stderr()).toBe('');

    const report = fixture.mail.taken.find(({ recipients }) => recipients.includes('finance@example.com'));
    expect(report?.parsed.subject).toMatch(/^AI spend/);
    const lines = daemon.stdout().map(parsed);
    expect(lines.at(-1)).toMatchObject({ message: 'stopped' });
    expect(lines.find(({ job, message }) => job === 'broken' && message === 'the run failed')).toMatchObject({
      level: 'error',
      code: expect.stringMatching(/^gateway-/) as string,
      advice: expect.stringMatching(/./) as string,
    });
    // The outbox is looked at every few seconds; that it was empty is no news.
    for (const line of lines.filter(({ message }) => message === 'outbox processed'))
      expect(Number(line['sent']) + Number(line['deferred'])).toBeGreaterThan(0);
    expect(await spool(fixture)).toEqual([]);
    const { spend, covered, outbox } = await holdings(fixture);
    expect(spend.served).toBe(fixture.sandbox.truth.sums(covered.start, covered.end).quota);
    expect(outbox.filter(({ state }) => state === 'sending' || state === 'unknown')).toEqual([]);
  });

  it('continues while gateway and mail server are down, and reports what to do', async () => {
    await using fixture = await open();
    await fixture.jobs(
      pullLogs(', schedule: "* * * * * *"'),
      'spend: { kind: report, schedule: "* * * * * *", report: spend-summary, mail: { to: [finance@example.com] } }',
    );
    await using dead = program.start(['serve'], {
      cwd: fixture.folder.path,
      env: {
        GATEWAY_BASE_URL: 'http://127.0.0.1:1',
        GATEWAY_ADMIN_KEY: fixture.sandbox.adminKey,
        SMTP_URL: 'smtp://127.0.0.1:1',
      },
    });
    expect(parsed(await dead.line('deferred a mail'))).toMatchObject({
      code: 'mail-unreachable',
      advice: expect.stringContaining('mail.smtp') as string,
    });
    expect(parsed(await dead.line('"the run failed"'))).toMatchObject({
      job: 'pull-logs',
      code: 'gateway-unreachable',
      advice: expect.stringContaining('base_url') as string,
    });
    dead.kill('SIGINT');
    expect(await dead.ended).toEqual({ code: 0, signal: null });
    expect(dead.stderr()).toBe('');
  });

  it('reports a port used by another program', async () => {
    await using fixture = await open();
    await fixture.jobs(pullLogs());
    const daemon = await fixture.serve();
    const address = String(parsed(await daemon.line('"serving"'))['health']);
    await fixture.folder.write(
      'other/tollkeeper.yaml',
      `health: { host: 127.0.0.1, port: ${address.split(':')[1]} }\nstatus: { port: 0 }\nwarehouse: { path: other/tollkeeper.duckdb }\n`,
    );
    const other = await fixture.command('serve', '--config', 'other');
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/held by another program\n {2}what to do: /);
    expect(await fixture.folder.files()).not.toContain('other/tollkeeper.duckdb');
  });
});

describe.concurrent('a pull interrupted', () => {
  /** The next run is whole, the one after it has nothing more to do. */
  const nextRunIsWhole = async (fixture: Fixture) => {
    fixture.gateway.release();
    const next = fixture.start('run', 'pull-logs', '--json');
    expect(await next.ended).toEqual({ code: 0, signal: null });
    expect(await spool(fixture)).toEqual([]);
    const { covered, spend } = await holdings(fixture);
    const truth = fixture.sandbox.truth.sums(covered.start, covered.end);
    expect(spend.served).toBe(truth.quota);
    expect(covered.end - covered.start).toBeGreaterThan(39 * 86_400);
  };

  it('by kill -9 leaves no partial data, and the next run is complete', async () => {
    await using fixture = await open();
    await fixture.jobs(pullLogs());
    fixture.gateway.holdAfter(4);
    const pull = fixture.start('run', 'pull-logs');
    await fixture.gateway.blocked();
    pull.kill('SIGKILL');
    expect(await pull.ended).toEqual({ code: null, signal: 'SIGKILL' });
    // Windows are fetched ahead: of more than one something may lie there.
    expect((await spool(fixture)).length).toBeGreaterThan(0);
    await nextRunIsWhole(fixture);
  });

  it('by SIGTERM reports it, and the next run is complete', async () => {
    await using fixture = await open();
    await fixture.jobs(pullLogs());
    fixture.gateway.holdAfter(4);
    const pull = fixture.start('run', 'pull-logs');
    await fixture.gateway.blocked();
    pull.kill('SIGTERM');
    expect(await pull.ended).toEqual({ code: 1, signal: null });
    expect(pull.stderr()).toContain('SIGTERM');
    expect(pull.stderr()).not.toContain('    at ');
    expect(await spool(fixture)).toEqual([]);
    await nextRunIsWhole(fixture);
  });

  it('by the timeout of its job reports the timeout', async () => {
    await using fixture = await open();
    await fixture.jobs(pullLogs(', timeout: 3s'));
    fixture.gateway.holdAfter(2);
    const pull = fixture.start('run', 'pull-logs');
    expect(await pull.ended).toEqual({ code: 1, signal: null });
    expect(pull.stderr()).toMatch(/exceeded its timeout of 3 s\n {2}what to do: .*\(run-timeout\)/);
    expect(await spool(fixture)).toEqual([]);
    await fixture.jobs(pullLogs());
    await nextRunIsWhole(fixture);
  });

  it('by two signals to the daemon ends at once at the second', async () => {
    await using fixture = await open();
    await fixture.jobs(pullLogs(', schedule: "* * * * * *"'));
    fixture.gateway.holdAfter(2);
    const daemon = fixture.start('serve');
    await fixture.gateway.blocked();
    daemon.kill('SIGTERM');
    await daemon.line('"stopping"');
    daemon.kill('SIGTERM');
    expect(await daemon.ended).toEqual({ code: 143, signal: null });
    await nextRunIsWhole(fixture);
  });
});
