import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { openFixture, parsed, pullLogs, yearly, type Fixture } from './support/fixture.ts';

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

const healthOn = (port: number): string => `health: { host: 127.0.0.1, port: ${port} }`;

/** The config once more in a folder of its own, with health on another port; the volume is the same. */
const otherConfig = async (fixture: Fixture, port: number): Promise<string> => {
  const { readFile } = await import('node:fs/promises');
  for (const name of ['tollkeeper.yaml', 'jobs/jobs.yaml']) {
    const text = await readFile(`${fixture.folder.path}/config/${name}`, 'utf8');
    await fixture.folder.write(
      `other/${name}`,
      text.replace('health: { host: 127.0.0.1, port: 0 }', healthOn(port)),
    );
  }
  return 'other';
};

describe.concurrent('two daemons on one volume', () => {
  it('are prevented, and the second reports the first and exits, on any port', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    const first = await fixture.serve();
    const second = await fixture.command('serve');
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(
      new RegExp(`another daemon is running .*\\(process id ${first.pid}\\)\\n {2}what to do: .*--wait`),
    );
    expect((await fixture.command('status')).stdout).toContain(`pid ${first.pid}`);
  });

  it('are prevented with the same config and port', async () => {
    await using fixture = await openFixture(program);
    await fixture.settings(healthOn(await freePort()));
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    const first = await fixture.serve();
    const second = await fixture.command('serve');
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`process id ${first.pid}`);
  });

  it('are coordinated by --wait: the second is alive and not ready, and takes over after a kill -9', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    const port = await freePort();
    const first = await fixture.serve();
    const second = fixture.start('serve', '--wait', '--config', await otherConfig(fixture, port));
    expect(parsed(await second.line('waiting for the other daemon'))['message']).toContain(`${first.pid}`);
    const answers = async (): Promise<readonly number[]> =>
      Promise.all(
        ['healthz', 'readyz'].map(async (path) => (await fetch(`http://127.0.0.1:${port}/${path}`)).status),
      );
    expect(await answers()).toEqual([200, 503]);
    // What goes to every daemon, as a reload does, does not end the one that waits.
    second.kill('SIGHUP');
    expect(await answers()).toEqual([200, 503]);

    first.kill('SIGKILL');
    await second.line('"serving"');
    expect(await answers()).toEqual([200, 200]);
    expect((await fixture.command('run', 'pull-logs')).code).toBe(0);
  });

  it('are coordinated on one port, also after SIGTERM', async () => {
    await using fixture = await openFixture(program);
    const port = await freePort();
    await fixture.settings(healthOn(port));
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    const first = await fixture.serve();
    const second = fixture.start('serve', '--wait');
    await second.line('waiting for the other daemon');
    first.kill('SIGTERM');
    expect((await first.ended).code).toBe(0);
    await second.line('"serving"');
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  });

  it('are coordinated so that a waiting one stops cleanly', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
    await fixture.serve();
    const second = fixture.start('serve', '--wait');
    await second.line('waiting for the other daemon');
    second.kill('SIGTERM');
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(second.stderr()).toBe('');
  });
});
