import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCuttingProxy, type CuttingProxy } from '../storage/support/cutting-proxy.ts';
import { freePort } from '../support/free-port.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { openFixture, pullLogs, yearly, type Fixture } from './support/fixture.ts';

describe.skipIf(noPostgres !== undefined)(
  noPostgres ?? 'a replica to which the database says nothing',
  () => {
    let program: BuiltProgram;
    let cluster: PostgresCluster;
    let proxy: CuttingProxy;
    let fixture: Fixture;
    let name: string;
    let port: number;
    beforeAll(async () => {
      [program, cluster] = await Promise.all([buildProgram(), startPostgres({ overTcp: true })]);
      await cluster.execute(["ALTER ROLE test PASSWORD 'pw-of-silence'"]);
    });
    afterAll(async () => {
      await program[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      proxy = await startCuttingProxy(cluster.port);
      fixture = await openFixture(program);
      name = /\/(test_\d+)\?/.exec(await cluster.createUrl())?.[1] ?? '';
      port = await freePort();
      fixture.env['DATABASE_PASSWORD'] = 'pw-of-silence';
      await write('config', proxy.port, port);
    });
    afterEach(async () => {
      proxy.stall(false);
      await fixture[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    });

    const contentOf = async (path: Promise<string>): Promise<string> => readFile(await path, 'utf8');
    /** The config of a replica with a data folder of its own. */
    const write = async (folder: string, databasePort: number, healthPort: number): Promise<void> => {
      const text = await contentOf(
        fixture.settings(
          `database: "postgres://test:\${DATABASE_PASSWORD}@127.0.0.1:${databasePort}/${name}"\nscheduler: { lease: 2s, grace: 1s }`,
        ),
      );
      await fixture.folder.write(
        `${folder}/tollkeeper.yaml`,
        text
          .replace(/health: .*/, `health: { host: 127.0.0.1, port: ${healthPort} }`)
          .replace('warehouse: {', `warehouse: { path: data-of-${folder}/x.duckdb,`),
      );
      const jobs = await contentOf(fixture.jobs(pullLogs(`schedule: "${yearly()}"`)));
      await fixture.folder.write(`${folder}/jobs/jobs.yaml`, jobs);
    };
    const readiness = async (of = port): Promise<number> =>
      (await fetch(`http://127.0.0.1:${of}/readyz`)).status;
    const serve = () => fixture.start('serve', '--config', 'config');

    it('goes on over new connections when those that are open say nothing', async () => {
      const daemon = serve();
      await daemon.line('"serving"');
      proxy.freeze();
      await expect
        .poll(async () => (await fixture.command('run', 'pull-logs')).code, { timeout: 300_000 })
        .toBe(0);
      await expect.poll(readiness, { timeout: 300_000 }).toBe(200);
    });

    it('takes over from one that is killed', async () => {
      await write('direct', cluster.port, await freePort());
      await write('config', proxy.port, port);
      const first = fixture.start('serve', '--config', 'direct');
      await first.line('"serving"');
      const standby = serve();
      await standby.line('standing by: another replica works');
      await expect.poll(readiness, { timeout: 300_000 }).toBe(200);
      proxy.freeze();
      first.kill('SIGKILL');
      await standby.line('"serving"');
      expect(await readiness()).toBe(200);
    });

    it('says at once that it is not ready, and ends with exit code 1', async () => {
      const daemon = serve();
      await daemon.line('"serving"');
      expect(await readiness()).toBe(200);
      proxy.stall(true);
      await expect.poll(readiness, { timeout: 300_000 }).toBe(503);
      expect((await daemon.ended).code).toBe(1);
      expect(daemon.stdout().join('\n')).toContain('not be extended in time');
    });

    it('ends on SIGTERM', async () => {
      const daemon = serve();
      await daemon.line('"serving"');
      fixture.gateway.holdAfter(0);
      const run = fixture.start('run', 'pull-logs');
      await fixture.gateway.blocked();
      proxy.stall(true);
      daemon.kill('SIGTERM');
      await daemon.ended;
      await run.ended;
      expect(daemon.stdout().join('\n')).toMatch(/"stopping"/);
    });

    it('waits for it when it starts', async () => {
      proxy.stall(true);
      const daemon = serve();
      await daemon.line('waiting for the database');
      expect(await readiness()).toBe(503);
      proxy.stall(false);
      await daemon.line('"serving"');
      expect(await readiness()).toBe(200);
    });
  },
);
