import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecretRegistry, deriveKey, unixMillis } from '../../src/core/index.ts';
import { signAlertLink } from '../../src/monitoring/index.ts';
import { freePort } from '../support/free-port.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { buildProgram, type BuiltProgram, type Running } from './support/built-program.ts';
import { openFixture, pullLogs, yearly, type Fixture } from './support/fixture.ts';

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'replicas over PostgreSQL', () => {
  let program: BuiltProgram;
  let cluster: PostgresCluster;
  beforeAll(async () => {
    [program, cluster] = await Promise.all([buildProgram(), startPostgres()]);
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  /** The setting of a database of its own. */
  const databaseLine = async (): Promise<string> => `database: "${await cluster.createUrl()}"`;

  /** The config of another replica, with a data folder of its own. Returns the arguments that name it. */
  const otherReplica = async (
    fixture: Fixture,
    changed = (text: string): string => text,
  ): Promise<readonly [string, string]> => {
    const { readFile } = await import('node:fs/promises');
    for (const name of ['tollkeeper.yaml', 'jobs/jobs.yaml']) {
      const text = await readFile(`${fixture.folder.path}/config/${name}`, 'utf8');
      await fixture.folder.write(
        `other/${name}`,
        changed(text.replace('warehouse: {', 'warehouse: { path: other-data/x.duckdb,')),
      );
    }
    return ['--config', 'other'];
  };

  const spend = ['query', 'SELECT sum(calls) AS calls, sum(spend) AS spend FROM cube'];

  it('pull into one database, and a standby takes over from one that is killed, with equal figures', async () => {
    await using fixture = await openFixture(program);
    const [port, otherPort] = [await freePort(), await freePort()];
    const isWorking = async (at: number): Promise<string | undefined> => {
      const scraped = await fetch(`http://127.0.0.1:${at}/metrics`);
      return /^tollkeeper_working (.*)$/m.exec(await scraped.text())?.[1];
    };
    await fixture.settings(`${await databaseLine()}\nmetrics: { enabled: true, port: ${port} }`);
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    const first = await fixture.serve();
    const pulled = await fixture.command('run', 'pull-logs');
    expect(pulled).toMatchObject({ code: 0 });
    const before = await fixture.command(...spend);
    expect(before.code).toBe(0);
    expect(before.stdout).toMatch(/\d{2,}/);
    const other = await otherReplica(fixture, (text) => text.replace(`port: ${port}`, `port: ${otherPort}`));
    expect((await fixture.command('backup', 'backups')).code).toBe(0);
    // Of a backup that was killed.
    await fixture.folder.write('other-data/spool/export-copy/tollkeeper.duckdb', 'rows');
    const second = fixture.start('serve', ...other);
    await second.line('standing by: another replica works');
    expect((await fixture.folder.files()).filter((file) => file.includes('spool/export-'))).toEqual([]);
    const restored = await fixture.command('restore', 'backups', ...other);
    expect(restored.code).toBe(1);
    expect(restored.stderr.replaceAll(/\s+/g, ' ')).toContain('also those that stand by');
    expect(second.stdout().join('\n')).not.toContain('lease-lost');
    expect([await isWorking(port), await isWorking(otherPort)]).toEqual(['1', '0']);
    const { stdout } = await fixture.command('status');
    const [, replica = ''] = /works as the replica (\S+) on PostgreSQL/.exec(stdout) ?? [];
    expect(replica).not.toBe('');
    expect((await fixture.command('status', ...other)).stdout).toContain(
      `works as the replica ${replica} on`,
    );
    first.kill('SIGKILL');
    await second.line('"serving"');
    expect(await isWorking(otherPort)).toBe('1');
    expect((await fixture.command(...spend, ...other)).stdout).toBe(before.stdout);
    expect((await fixture.command('run', 'pull-logs', ...other)).code).toBe(0);
    expect((await fixture.command(...spend, ...other)).stdout).toBe(before.stdout);
  });

  it('write nothing after another has taken over: one that was stopped and goes on ends', async () => {
    await using fixture = await openFixture(program);
    await fixture.settings(await databaseLine());
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    const first = await fixture.serve();
    fixture.gateway.holdAfter(0);
    const run = fixture.start('run', 'pull-logs');
    await fixture.gateway.blocked();
    first.kill('SIGSTOP');
    const other = await otherReplica(fixture);
    const second = fixture.start('serve', ...other);
    await second.line('"serving"');
    fixture.gateway.release();
    const pulled = await fixture.command('run', 'pull-logs', ...other);
    expect(pulled).toMatchObject({ code: 0 });
    const figures = await fixture.command(...spend, ...other);
    first.kill('SIGCONT');
    expect((await first.ended).code).toBe(1);
    expect(first.stderr() + first.stdout().join('\n')).toMatch(/replica has taken|works on this database/);
    await run.ended;
    expect((await fixture.command(...spend, ...other)).stdout).toBe(figures.stdout);
    expect((await fixture.command('runs', 'pull-logs', ...other)).stdout).toMatch(/interrupted/);
  });

  it('serve commands and the status page wherever they reach a replica', async () => {
    await using fixture = await openFixture(program);
    const [port, otherPort] = [await freePort(), await freePort()];
    fixture.env['STATUS_TOKEN'] = 'abcdefghijklmnopqrstuvwx';
    await fixture.settings(`${await databaseLine()}\nstatus: { port: ${port}, token: "\${STATUS_TOKEN}" }`);
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    const first = await fixture.serve();
    const other = await otherReplica(fixture, (text) => text.replace(`port: ${port}`, `port: ${otherPort}`));
    const second = fixture.start('serve', ...other);
    await second.line('serving the status page of the working replica');
    const pulled = await fixture.command('run', 'pull-logs', ...other);
    expect(pulled).toMatchObject({ code: 0 });
    expect(pulled.stdout).toMatch(/rows of 1 window landed/);
    expect((await fixture.command(...spend, ...other)).stdout).toBe((await fixture.command(...spend)).stdout);
    const examined = await fixture.command('doctor', ...other);
    expect(examined.stdout).toMatch(/PostgreSQL \d+\.\d+, .* connections in use/);
    const unknown = await fixture.command('run', 'pull-nothing', ...other);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('pull-nothing');
    const pageAt = async (at: number): Promise<string> => {
      const page = await fetch(`http://127.0.0.1:${at}/`);
      expect([page.status, page.headers.get('content-security-policy') ?? '']).toEqual([
        200,
        expect.stringContaining("default-src 'none'"),
      ]);
      return page.text();
    };
    const withoutTimes = (page: string): string =>
      page.replaceAll(/\b(?:now|under 1 s|\d+ (?:s|min)(?: ago)?)\b|\d\d:\d\d:\d\d(?:\.\d+Z)?/g, '');
    expect(withoutTimes(await pageAt(otherPort))).toBe(withoutTimes(await pageAt(port)));
    const login = await fetch(`http://127.0.0.1:${otherPort}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        origin: `http://127.0.0.1:${otherPort}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'name=anna&token=abcdefghijklmnopqrstuvwx',
    });
    expect([login.status, login.headers.getSetCookie().length]).toEqual([303, 1]);
    fixture.gateway.holdAfter(0);
    const run = fixture.start('run', 'pull-logs', ...other);
    await fixture.gateway.blocked();
    first.kill('SIGKILL');
    expect((await run.ended).code).toBe(1);
    expect(run.stderr()).toContain('ended before it finished');
    fixture.gateway.release();
    await second.line('"serving"');
    expect((await pageAt(otherPort)).includes('pull-logs')).toBe(true);
  });

  it('let commands that only read pass a command that holds the lease, and others wait for it', async () => {
    await using fixture = await openFixture(program);
    await fixture.settings(`${await databaseLine()}\nscheduler: { lease: 6s }`);
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    expect((await fixture.command('run', 'pull-logs')).code).toBe(0);
    const figures = await fixture.command(...spend);
    // Each is held for less than the minute after which a pull gives up, also on a busy machine.
    const heldRun = async (meanwhile: () => Promise<void>): Promise<void> => {
      fixture.gateway.holdAfter(0);
      const run = fixture.start('run', 'pull-logs');
      await fixture.gateway.blocked();
      await meanwhile();
      fixture.gateway.release();
      fixture.gateway.resume();
      expect((await run.ended).code, run.stderr()).toBe(0);
    };
    await heldRun(async () => {
      const reading = [['status'], ['runs'], ['outbox'], ['next'], ['alerts']];
      const answers = await Promise.all(reading.map((argv) => fixture.command(...argv)));
      expect(answers.map(({ stderr }) => stderr)).toEqual(reading.map(() => ''));
      const asked = await fixture.command(...spend);
      expect(asked.stdout, asked.stderr).toBe(figures.stdout);
      expect((await fixture.command('report', 'spend-summary', '--out', 'out')).code).toBe(0);
    });
    let waiting: Running | undefined;
    await heldRun(async () => {
      const late = await fixture.command('outbox', 'release');
      expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('(lease-lost)')]);
      waiting = fixture.start('outbox', 'release');
    });
    await waiting?.ended;
    expect((await fixture.command('outbox', 'release')).code).toBe(0);
  });

  it('say in what their configurations differ', async () => {
    await using fixture = await openFixture(program);
    const [port, otherPort] = [await freePort(), await freePort()];
    await fixture.settings(
      `${await databaseLine()}\nscheduler: { lease: 2s }\nmetrics: { enabled: true, port: ${port} }`,
    );
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    const first = await fixture.serve();
    const other = await otherReplica(fixture, (text) =>
      text
        .replace(`port: ${port}`, `port: ${otherPort}`)
        .replace('scheduler:', 'budgets: { all: { amount: 5, period: month } }\nscheduler:')
        .replace(`"${yearly()}"`, '"0 3 * * *"'),
    );
    const second = fixture.start('serve', ...other);
    await second.line('standing by: another replica works');
    await first.line('a replica differs from the one that works');
    const status = await fixture.command('status');
    expect(status.stdout).toMatch(/^REPLICA +STATE +VERSION/m);
    expect(status.stdout).toMatch(/^\S+ +standing by .* differs .*: budget all, job pull-logs$/m);
    const json = JSON.parse((await fixture.command('status', '--json', ...other)).stdout) as {
      replicas: { state: string; differs: string[] }[];
    };
    expect(Object.fromEntries(json.replicas.map(({ state, differs }) => [state, differs]))).toEqual({
      working: [],
      'standing by': ['budget all', 'job pull-logs'],
    });
    expect((await fixture.command('doctor')).stdout).toMatch(/differs .*: budget all, job pull-logs/);
    const scraped = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(scraped).toMatch(/^tollkeeper_replicas\{state="standing by"\} 1$/m);
    expect(scraped).toMatch(/^tollkeeper_replicas_different 1$/m);
    expect(scraped).toMatch(/^tollkeeper_lease_age_seconds [0-9.]+$/m);
    second.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
    await first.line('all replicas have the same configuration and version');
  });

  it('pass on what a person does on the page of a standby, and neither its token, cookie nor form tokens', async () => {
    await using fixture = await openFixture(program);
    const [port, otherPort] = [await freePort(), await freePort()];
    const token = 'abcdefghijklmnopqrstuvwx';
    fixture.env['STATUS_TOKEN'] = token;
    const url = await cluster.createUrl();
    const [, database = ''] = /@\/(\w+)\?/.exec(url) ?? [];
    const status = `status: { port: ${port}, token: "\${STATUS_TOKEN}", public_url: "http://localhost:${port}/" }`;
    await fixture.settings(
      `database: "${url}"\n${status}\nteams: { growth: { keys: ["*"], budget: { month: 5 } } }`,
    );
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    await fixture.serve();
    // Each row that is stored, although it is deleted later.
    await cluster.execute(
      [
        'CREATE TABLE noted (row_text TEXT)',
        `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN INSERT INTO noted VALUES (NEW::TEXT); RETURN NEW; END $$`,
        ...['command_request', 'command_line'].map(
          (table) =>
            `CREATE TRIGGER note BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION note()`,
        ),
      ],
      database,
    );
    const other = await otherReplica(fixture, (text) =>
      text.replace(`status: { port: ${port}`, `status: { port: ${otherPort}`),
    );
    const second = fixture.start('serve', ...other);
    await second.line('serving the status page of the working replica');
    const ask = async (at: number, where: string, form?: Record<string, string>, cookie = '') => {
      const base = `http://127.0.0.1:${at}`;
      const answer = await fetch(`${base}${where}`, {
        redirect: 'manual',
        headers: { origin: base, cookie },
        ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
      });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    };
    expect((await ask(otherPort, '/login', { token: `${token}y`, name: 'anna' })).status).toBe(401);
    const login = await ask(otherPort, '/login', { token, name: 'anna' });
    expect(login.status).toBe(303);
    const [cookie = ''] = (login.headers.getSetCookie()[0] ?? '').split(';');
    expect(cookie).toContain('tollkeeper-session=');
    const page = await ask(otherPort, '/', undefined, cookie);
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.text) ?? [];
    expect([page.status, csrf === '']).toEqual([200, false]);
    const bearer = await fetch(`http://127.0.0.1:${otherPort}/status.json`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(bearer.status).toBe(200);
    const alert = { account: 'main', alert: 'team-growth' };
    const muted = await ask(otherPort, '/actions/mute', { ...alert, days: '2', csrf }, cookie);
    expect(muted.status).toBe(303);
    expect((await ask(otherPort, '/actions/mute', { ...alert, csrf: `${csrf}x` }, cookie)).status).toBe(403);
    const job = await ask(otherPort, '/actions/run', { job: 'pull-logs', csrf }, cookie);
    expect(job.status).toBe(303);
    // A session of one replica is one of each other with the same token, and so are its forms.
    expect((await ask(port, '/', undefined, cookie)).text).toContain(csrf);
    const key = deriveKey(createSecretRegistry().register(token), 'links in alert mails');
    const expiresAt = unixMillis(Date.now() + 60_000);
    const link = signAlertLink({ ...alert, id: 'main 0123456789abcdef', expiresAt }, key);
    expect((await ask(otherPort, `/alert-links/${link}`)).status).toBe(200);
    const act = async (at: number): Promise<number> =>
      (await ask(at, `/alert-links/${link}`, { action: 'mute', days: '3' })).status;
    expect((await Promise.all([act(port), act(otherPort)])).sort()).toEqual([200, 410]);
    const log = await fixture.command('alerts', 'log', '--json', ...other);
    expect(log.stdout).toContain('person anna');
    expect(log.stdout).toContain('mail link main 0123456789abcdef');

    const pool = new Pool({ host: cluster.folder, port: cluster.port, user: 'test', database });
    const { rows } = await pool.query<{ row_text: string }>('SELECT row_text FROM noted');
    await pool.end();
    const noted = rows.map(({ row_text: text }) => text).join('\n');
    expect(noted).toContain('person anna');
    const [, session = ''] = cookie.split('=');
    const secrets = { token, session, csrf, link, signature: link.split('.')[1] ?? '' };
    const found = Object.entries(secrets).filter(
      ([, secret]) =>
        secret === '' || [secret, decodeURIComponent(secret)].some((one) => noted.includes(one)),
    );
    expect(found.map(([name]) => name)).toEqual([]);
    expect(noted).not.toMatch(/cookie|authorization/i);
  });

  it('go on when the server restarts', async () => {
    await using fixture = await openFixture(program);
    await fixture.settings(await databaseLine());
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    const daemon = await fixture.serve();
    expect((await fixture.command('run', 'pull-logs')).code).toBe(0);
    const figures = await fixture.command(...spend);
    await cluster.restart();
    expect((await fixture.command('run', 'pull-logs')).code).toBe(0);
    expect((await fixture.command(...spend)).stdout).toBe(figures.stdout);
    daemon.kill('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
  });

  it('do not suspend a job during whose runs they lose their leases', async () => {
    await using fixture = await openFixture(program);
    const line = await databaseLine();
    await fixture.settings(`${line}\nscheduler: { lease: 2s, suspend_after: 1 }`);
    const retries = 'retries: { limit: 1, initial: 1s }';
    await fixture.jobs(pullLogs(`schedule: "* * * * * *", ${retries}`));
    fixture.gateway.holdAfter(0);
    const first = await fixture.serve();
    await fixture.gateway.blocked();
    const database = new URL(line.slice(line.indexOf('"') + 1, -1).replace('@/', '@socket/')).pathname.slice(
      1,
    );
    const hold = (until: string): Promise<void> =>
      cluster.execute([`UPDATE account_lease SET holder = 'other', until = ${until}`], database);
    await hold('9000000000000');
    expect((await first.ended).code).toBe(1);
    await hold('0');
    fixture.gateway.release();
    await fixture.jobs(pullLogs(`schedule: "${yearly()}", ${retries}`));
    const again = await fixture.serve();
    await again.line('"run succeeded"');
    const runs = await fixture.runs('pull-logs');
    const codes = runs.flatMap(({ attempts }) => attempts).flatMap(({ code }) => code ?? []);
    expect(codes).toEqual(['lease-lost']);
  });

  it('leave the work at once when they stop, and a command works where no daemon does', async () => {
    await using fixture = await openFixture(program);
    await fixture.settings(await databaseLine());
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    const first = await fixture.serve();
    first.kill('SIGTERM');
    expect((await first.ended).code).toBe(0);
    fixture.gateway.holdAfter(0);
    const run = fixture.start('run', 'pull-logs');
    await fixture.gateway.blocked();
    // A daemon that stands by leaves the spool to the command that works.
    const second = fixture.start('serve');
    await second.line('standing by: another replica works');
    expect((await fixture.folder.files()).filter((file) => file.includes('spool/export-'))).not.toEqual([]);
    fixture.gateway.release();
    fixture.gateway.resume();
    expect((await run.ended).code).toBe(0);
    await second.line('"serving"');
    expect((await fixture.command('status')).stdout).toContain('pull-logs');
  });
});
