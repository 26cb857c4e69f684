import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { openFixture, parsed, pullLogs, saying, yearly } from './support/fixture.ts';

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

const everySecond = 'schedule: "* * * * * *"';

describe.concurrent('a daemon stopped while a job runs', () => {
  it('aborts it after the grace period, records it, starts nothing else, and repeats it after the restart without a retry', async () => {
    await using fixture = await openFixture(program);
    await fixture.settings('scheduler: { grace: 2s }');
    const retries = 'retries: { limit: 0 }';
    await fixture.jobs(
      pullLogs(`${everySecond}, ${retries}`),
      `other: { kind: pull-usage, since: 2026-01-01, ${everySecond} }`,
    );
    fixture.gateway.holdAfter(0);
    const daemon = await fixture.serve();
    await fixture.gateway.blocked();
    const began = Date.now();
    daemon.kill('SIGTERM');
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
    expect(daemon.stderr()).toBe('');
    expect(Date.now() - began).toBeGreaterThan(1_900);

    const messages = daemon.stdout().map((line) => String(parsed(line)['message']));
    const afterStop = messages.slice(messages.indexOf('stopping'));
    expect(afterStop).toContain('aborting running jobs');
    expect(afterStop).not.toContain('run started');
    expect(messages.at(-1)).toBe('stopped');
    const interrupted = saying(daemon, 'the run was interrupted').find(({ job }) => job === 'pull-logs');
    expect(interrupted).toMatchObject({ code: 'run-stopped', nextAttempt: expect.any(String) as string });
    const slot = String(interrupted?.['slot']);

    fixture.gateway.release();
    // Of its schedule nothing more is to come: what runs now is the second try.
    await fixture.jobs(pullLogs(`schedule: "${yearly()}", ${retries}`));
    const again = await fixture.serve();
    expect(parsed(await again.line('"run succeeded"'))).toMatchObject({
      job: 'pull-logs',
      slot,
      attempt: 2,
    });
    const run = (await fixture.runs('pull-logs')).find((one) => one.slot === slot);
    expect(run).toMatchObject({ state: 'ok', trigger: 'schedule' });
    expect(run?.attempts.map(({ state }) => state)).toEqual(['interrupted', 'ok']);
    again.kill('SIGTERM');
    expect(await again.ended).toEqual({ code: 0, signal: null });
  });

  it('lets it finish within the grace period, and claims nothing meanwhile', async () => {
    await using fixture = await openFixture(program);
    await fixture.settings('scheduler: { grace: 2m }');
    await fixture.jobs(pullLogs(everySecond));
    fixture.gateway.holdAfter(0);
    const daemon = await fixture.serve();
    await fixture.gateway.blocked();
    daemon.kill('SIGTERM');
    await daemon.line('"stopping"');
    const refused = await fixture.command('run', 'pull-logs');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('is stopping');
    fixture.gateway.release();
    fixture.gateway.resume();
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
    const messages = daemon.stdout().map((line) => String(parsed(line)['message']));
    const afterStop = messages.slice(messages.indexOf('stopping'));
    expect(afterStop).toContain('run succeeded');
    expect(afterStop).not.toContain('run started');
    const states = (await fixture.runs('pull-logs')).map(({ state }) => state);
    expect(states).not.toContain('interrupted');
    expect(states.filter((state) => state === 'ok')).toHaveLength(saying(daemon, 'run succeeded').length);
  });

  it('by kill -9 becomes ready again, and the interrupted run is retried', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(`${everySecond}, retries: { limit: 2, initial: 1s }`));
    fixture.gateway.holdAfter(0);
    const daemon = await fixture.serve();
    await fixture.gateway.blocked();
    const { slot } = parsed(await daemon.line('"run started"'));
    daemon.kill('SIGKILL');
    await daemon.ended;

    fixture.gateway.release();
    await fixture.jobs(pullLogs(`schedule: "${yearly()}", retries: { limit: 2, initial: 1s }`));
    const again = await fixture.serve();
    const address = String(parsed(await again.line('"serving"'))['health']);
    expect((await fetch(`http://${address}/readyz`)).status).toBe(200);
    expect(parsed(await again.line('the run was interrupted'))).toMatchObject({
      slot,
      code: 'process-ended',
      nextAttempt: expect.any(String) as string,
    });
    expect(parsed(await again.line('"run succeeded"'))).toMatchObject({ slot, attempt: 2 });
    const run = (await fixture.runs('pull-logs')).find((one) => one.slot === slot);
    expect(run?.attempts.map(({ state }) => state)).toEqual(['interrupted', 'ok']);
  });

  it('by kill -9 at the last attempt leaves it interrupted, and operators are notified', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(`${everySecond}, retries: { limit: 0 }`));
    fixture.gateway.holdAfter(0);
    const daemon = await fixture.serve();
    await fixture.gateway.blocked();
    const { slot } = parsed(await daemon.line('"run started"'));
    daemon.kill('SIGKILL');
    await daemon.ended;
    await fixture.jobs(pullLogs(`schedule: "${yearly()}", retries: { limit: 0 }`));
    const again = await fixture.serve();
    await again.line('mail sent');
    expect(fixture.mail.taken.map(({ parsed: { subject } }) => subject)).toEqual([
      'Tollkeeper: pull-logs failed',
    ]);
    const status = await fixture.command('status');
    expect(status.code).toBe(1);
    expect(status.stdout).toContain('job in outage: pull-logs');
    const run = (await fixture.runs('pull-logs')).find((one) => one.slot === slot);
    expect(run).toMatchObject({
      state: 'interrupted',
      reason: expect.stringMatching(/^the process ended/) as string,
    });
  });
});
