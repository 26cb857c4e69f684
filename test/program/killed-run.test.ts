import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from './support/built-program.ts';
import type { BuiltProgram } from './support/built-program.ts';
import { openHouse, pullLogs, yearly } from './support/house.ts';
import type { House } from './support/house.ts';

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

const rarely = `schedule: "${yearly()}"`;

/** `status` reports the failed job with an action, and exits with 1 until the job succeeds. */
const expectFailedUntilSuccess = async (house: House): Promise<void> => {
  const failed = await house.here('status');
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/^needs a person: job failed: pull-logs$/m);
  expect(failed.stdout).toMatch(/^ +what to do: .*`tollkeeper run pull-logs`/m);
  expect(failed.stdout).not.toContain('retry policy');
  house.gateway.release();
  expect((await house.here('run', 'pull-logs')).code).toBe(0);
  const recovered = await house.here('status');
  expect(recovered.code).toBe(0);
  expect(recovered.stdout).not.toContain('what to do');
};

describe.concurrent('a manual run that is killed', { timeout: 180_000 }, () => {
  it('counts as failed until the next success when no daemon runs', async () => {
    await using house = await openHouse(program);
    await house.jobs(pullLogs(rarely));
    house.gateway.holdAfter(0);
    const run = house.start('run', 'pull-logs');
    await house.gateway.held();
    run.kill('SIGKILL');
    await run.ended;
    await expectFailedUntilSuccess(house);
  });

  it('counts as failed until the next success when its client is killed beside a daemon', async () => {
    await using house = await openHouse(program);
    await house.jobs(pullLogs(rarely));
    const daemon = await house.serve();
    house.gateway.holdAfter(0);
    const client = house.start('run', 'pull-logs');
    await house.gateway.held();
    client.kill('SIGKILL');
    await daemon.line('the run was interrupted');
    await expectFailedUntilSuccess(house);
  });

  it('tells its client to repeat the command when the daemon is killed, and counts as failed', async () => {
    await using house = await openHouse(program);
    await house.jobs(pullLogs(rarely));
    const daemon = await house.serve();
    house.gateway.holdAfter(0);
    const client = house.start('run', 'pull-logs');
    await house.gateway.held();
    daemon.kill('SIGKILL');
    await daemon.ended;
    expect(await client.ended).toEqual({ code: 1, signal: null });
    expect(client.stderr()).toContain('what to do: start the daemon again, then repeat the command');
    const again = await house.serve();
    await again.line('the run was interrupted');
    await expectFailedUntilSuccess(house);
    expect(house.mail.taken).toEqual([]);
  });
});

it(
  'a manual run that fails makes `status` exit with 1 until the next success of its job',
  { timeout: 180_000 },
  async () => {
    await using house = await openHouse(program);
    await house.jobs(pullLogs(rarely), `other: { kind: pull-usage, since: 2026-01-01, ${rarely} }`);
    house.sandbox.faults.plant({ kind: 'status', path: '/api/log', status: 403, times: 9 });
    expect((await house.here('run', 'pull-logs')).code).toBe(1);
    house.sandbox.faults.clear();
    // A success of another job changes nothing.
    expect((await house.here('run', 'other')).code).toBe(0);
    await expectFailedUntilSuccess(house);
  },
);
