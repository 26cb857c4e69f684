import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { openFixture, pullLogs, yearly, type Fixture } from './support/fixture.ts';

describe.skipIf(noPostgres !== undefined)(
  noPostgres ?? 'replicas over PostgreSQL',
  { timeout: 180_000 },
  () => {
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
      const other = await otherReplica(fixture, (text) =>
        text.replace(`port: ${port}`, `port: ${otherPort}`),
      );
      const second = fixture.start('serve', ...other);
      await second.line('standing by: another replica works');
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
      expect(first.stderr() + first.stdout().join('\n')).toMatch(
        /another replica has taken over|works on this database/,
      );
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
      const other = await otherReplica(fixture, (text) =>
        text.replace(`port: ${port}`, `port: ${otherPort}`),
      );
      const second = fixture.start('serve', ...other);
      await second.line('serving the status page of the working replica');
      const pulled = await fixture.command('run', 'pull-logs', ...other);
      expect(pulled).toMatchObject({ code: 0 });
      expect(pulled.stdout).toMatch(/rows of 1 window landed/);
      expect((await fixture.command(...spend, ...other)).stdout).toBe(
        (await fixture.command(...spend)).stdout,
      );
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
        page.replaceAll(/\d+ s(?:econds)? ago|\d\d:\d\d:\d\d(?:\.\d+Z)?/g, '');
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
      expect(run.stderr()).toContain('the replica that ran the command ended before it finished');
      fixture.gateway.release();
      await second.line('"serving"');
      expect((await pageAt(otherPort)).includes('pull-logs')).toBe(true);
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

    it('leave the work at once when they stop, and a command works where no daemon does', async () => {
      await using fixture = await openFixture(program);
      await fixture.settings(await databaseLine());
      await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
      const first = await fixture.serve();
      first.kill('SIGTERM');
      expect((await first.ended).code).toBe(0);
      expect((await fixture.command('run', 'pull-logs')).code).toBe(0);
      expect((await fixture.command('status')).stdout).toContain('pull-logs');
    });
  },
);
