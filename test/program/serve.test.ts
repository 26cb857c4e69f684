import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { interval, silentLog, systemClock, unixSeconds } from '../../src/base/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { openWarehouse } from '../../src/warehouse/index.ts';
import { openMailServer } from '../support/mail-server.ts';
import type { MailServer } from '../support/mail-server.ts';
import { openFolder } from '../support/program.ts';
import type { Folder } from '../support/program.ts';
import { buildProgram } from './support/built-program.ts';
import type { BuiltProgram, Running } from './support/built-program.ts';
import { openHoldingGateway } from './support/holding-gateway.ts';
import type { HoldingGateway } from './support/holding-gateway.ts';

const day = 86_400_000;
const dateBefore = (days: number): string => new Date(Date.now() - days * day).toISOString().slice(0, 10);

let program: BuiltProgram;
let folder: Folder;
let sandbox: Sandbox;
let gateway: HoldingGateway;
let mail: MailServer;
const started: Running[] = [];

beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

beforeEach(async () => {
  [folder, mail, sandbox] = await Promise.all([
    openFolder(),
    openMailServer(),
    startSandbox({ now: Date.now, months: 2, callsPerDay: 100 }),
  ]);
  gateway = await openHoldingGateway(sandbox.baseUrl);
  await folder.write(
    'config/tollkeeper.yaml',
    `accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
warehouse: { memory_limit: 512MB }
mail: { smtp: "\${SMTP_URL}", from: "Tollkeeper <reports@example.com>", tls: { ca: ${mail.ca} } }
health: { host: 127.0.0.1, port: 0 }
`,
  );
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((running) => running[Symbol.asyncDispose]()));
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
  await mail[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const start = (...argv: string[]): Running => {
  const env = {
    GATEWAY_BASE_URL: gateway.baseUrl,
    GATEWAY_ADMIN_KEY: sandbox.adminKey,
    SMTP_URL: mail.url,
    TZ: 'UTC',
  };
  const running = program.start(argv, { cwd: folder.path, env });
  started.push(running);
  return running;
};

const jobs = (text: string) => folder.write('config/jobs/jobs.yaml', `jobs:\n${text}\n`);
const pullLogs = (more = '') =>
  `  pull-logs: { kind: pull-logs, since: ${dateBefore(40)}, window: 10d${more} }`;

const spool = async (): Promise<readonly string[]> => readdir(join(folder.path, 'data/spool'));

const parsed = (line: string): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>;

/** What the warehouse holds, by its own account of it, after the processes are gone. */
const holdings = async () => {
  await using warehouse = await openWarehouse({
    path: join(folder.path, 'data/tollkeeper.duckdb'),
    spoolDirectory: join(folder.path, 'data/spool'),
    memoryLimit: '512MB',
    threads: 2,
    clock: systemClock,
    log: silentLog,
  });
  const covered = await warehouse.logs.reach('main');
  if (covered === undefined) throw new Error('nothing is landed');
  const spend = await warehouse.spend('main', interval(unixSeconds(0), covered.end));
  const outbox = await warehouse.outbox.list();
  return { covered, spend, outbox };
};

describe('the daemon, as its users run it', () => {
  it('fires jobs, mails, answers health checks, and leaves nothing behind at SIGTERM', async () => {
    await jobs(`${pullLogs(', schedule: "* * * * * *"')}
  spend:
    kind: report
    schedule: "*/2 * * * * *"
    report: spend-summary
    needs: [pull-logs]
    mail: { to: [finance@example.com] }
  broken: { kind: pull-usage, schedule: "* * * * * *", since: ${dateBefore(9)}, group_by: [moon] }`);
    const daemon = start('serve');
    const address = String(parsed(await daemon.line('"serving"'))['health']);
    await daemon.line('mail sent');
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

    expect(mail.taken[0]?.recipients).toEqual(['finance@example.com']);
    expect(mail.taken[0]?.parsed.subject).toMatch(/^AI spend/);
    const lines = daemon.stdout().map(parsed);
    expect(lines.at(-1)).toMatchObject({ message: 'stopped' });
    expect(lines.find(({ job, message }) => job === 'broken' && message === 'the run failed')).toMatchObject({
      level: 'error',
      code: expect.stringMatching(/^gateway-/) as string,
      advice: expect.stringMatching(/./) as string,
    });
    // The outbox is looked at every few seconds; that it was empty is no news.
    for (const line of lines.filter(({ message }) => message === 'outbox worked off'))
      expect(Number(line['sent']) + Number(line['deferred'])).toBeGreaterThan(0);
    expect(await spool()).toEqual([]);
    const { spend, covered, outbox } = await holdings();
    expect(spend.served).toBe(sandbox.truth.sums(covered.start, covered.end).quota);
    expect(outbox.filter(({ state }) => state === 'sending' || state === 'unknown')).toEqual([]);
  });

  it('goes on while gateway and mail server are down, and says what to do', async () => {
    await jobs(`${pullLogs(', schedule: "* * * * * *"')}
  spend: { kind: report, schedule: "* * * * * *", report: spend-summary, mail: { to: [finance@example.com] } }`);
    const dead = program.start(['serve'], {
      cwd: folder.path,
      env: {
        GATEWAY_BASE_URL: 'http://127.0.0.1:1',
        GATEWAY_ADMIN_KEY: sandbox.adminKey,
        SMTP_URL: 'smtp://127.0.0.1:1',
      },
    });
    started.push(dead);
    expect(parsed(await dead.line('mail put off'))).toMatchObject({
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

  it('names the process that holds the database, and a port that is held', async () => {
    await jobs(pullLogs());
    const daemon = start('serve');
    const address = String(parsed(await daemon.line('"serving"'))['health']);
    const second = start('run', 'pull-logs');
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.stderr()).toContain(`process id ${daemon.pid}`);
    const settings = `health: { host: 127.0.0.1, port: ${address.split(':')[1]} }\n`;
    await folder.write('other/tollkeeper.yaml', settings);
    const third = start('serve', '--config', 'other');
    expect(await third.ended).toEqual({ code: 2, signal: null });
    expect(third.stderr()).toMatch(/held by another program\n {2}what to do: /);
    expect(await folder.files()).not.toContain('other/data/tollkeeper.duckdb');
  });
});

describe('a pull that is stopped in its middle', () => {
  beforeEach(() => jobs(pullLogs()));

  /** The next run is whole, the one after it has nothing more to do. */
  const nextRunIsWhole = async () => {
    gateway.release();
    const next = start('run', 'pull-logs', '--json');
    expect(await next.ended).toEqual({ code: 0, signal: null });
    expect(await spool()).toEqual([]);
    const { covered, spend } = await holdings();
    const truth = sandbox.truth.sums(covered.start, covered.end);
    expect(spend.served).toBe(truth.quota);
    expect(covered.end - covered.start).toBeGreaterThan(39 * 86_400);
  };

  it('by kill -9: nothing half-written stays, and the next run is whole', async () => {
    gateway.holdAfter(4);
    const pull = start('run', 'pull-logs');
    await gateway.held();
    pull.kill('SIGKILL');
    expect(await pull.ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await spool()).toHaveLength(1);
    await nextRunIsWhole();
  });

  it('by SIGTERM: says so, and the next run is whole', async () => {
    gateway.holdAfter(4);
    const pull = start('run', 'pull-logs');
    await gateway.held();
    pull.kill('SIGTERM');
    expect(await pull.ended).toEqual({ code: 1, signal: null });
    expect(pull.stderr()).toContain('SIGTERM');
    expect(pull.stderr()).not.toContain('    at ');
    expect(await spool()).toEqual([]);
    await nextRunIsWhole();
  });

  it('by the timeout of its job: names it', async () => {
    await jobs(pullLogs(', timeout: 3s'));
    gateway.holdAfter(2);
    const pull = start('run', 'pull-logs');
    expect(await pull.ended).toEqual({ code: 1, signal: null });
    expect(pull.stderr()).toMatch(/took longer than its timeout of 3 s\n {2}what to do: .*\(run-timeout\)/);
    expect(await spool()).toEqual([]);
    await jobs(pullLogs());
    await nextRunIsWhole();
  });

  it('by two signals to the daemon: the second ends it at once', async () => {
    await jobs(pullLogs(', schedule: "* * * * * *"'));
    gateway.holdAfter(2);
    const daemon = start('serve');
    await gateway.held();
    daemon.kill('SIGTERM');
    await daemon.line('"stopping"');
    daemon.kill('SIGTERM');
    expect(await daemon.ended).toEqual({ code: 143, signal: null });
    await nextRunIsWhole();
  });
});
