import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { openFixture, pullLogs, yearly, zoneAtNoon, type Fixture } from './support/fixture.ts';

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

const rarely = `schedule: "${yearly()}"`;

/** `status` reports the failed job with an action, and exits with 1 until the job succeeds. */
const expectFailedUntilSuccess = async (fixture: Fixture): Promise<void> => {
  const failed = await fixture.here('status');
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/^action required: job failed: pull-logs$/m);
  expect(failed.stdout).toMatch(/^ +what to do: .*`tollkeeper run pull-logs`/m);
  expect(failed.stdout).not.toContain('retry policy');
  fixture.gateway.release();
  expect((await fixture.here('run', 'pull-logs')).code).toBe(0);
  const recovered = await fixture.here('status');
  expect(recovered.code).toBe(0);
  expect(recovered.stdout).not.toContain('what to do');
};

describe.concurrent('a manual run that is killed', () => {
  it('counts as failed until the next success when no daemon runs', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(rarely));
    fixture.gateway.holdAfter(0);
    const run = fixture.start('run', 'pull-logs');
    await fixture.gateway.blocked();
    run.kill('SIGKILL');
    await run.ended;
    await expectFailedUntilSuccess(fixture);
  });

  it('counts as failed until the next success when its client is killed beside a daemon', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(rarely));
    const daemon = await fixture.serve();
    fixture.gateway.holdAfter(0);
    const client = fixture.start('run', 'pull-logs');
    await fixture.gateway.blocked();
    client.kill('SIGKILL');
    await daemon.line('the run was interrupted');
    await expectFailedUntilSuccess(fixture);
  });

  it('tells its client to repeat the command when the daemon is killed, and counts as failed', async () => {
    await using fixture = await openFixture(program);
    await fixture.jobs(pullLogs(rarely));
    const daemon = await fixture.serve();
    fixture.gateway.holdAfter(0);
    const client = fixture.start('run', 'pull-logs');
    await fixture.gateway.blocked();
    daemon.kill('SIGKILL');
    await daemon.ended;
    expect(await client.ended).toEqual({ code: 1, signal: null });
    expect(client.stderr()).toContain('restart the daemon');
    const again = await fixture.serve();
    await again.line('the run was interrupted');
    await expectFailedUntilSuccess(fixture);
    expect(fixture.mail.taken).toEqual([]);
  });
});

/** Ends a program with SIGKILL as soon as a report is complete in the archive. */
const killedWhenKept = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { rename } = fs.promises;
fs.promises.rename = async (from, to) => {
  await rename(from, to);
  if (String(to).includes('/reports/digest/')) process.kill(process.pid, 'SIGKILL');
};
syncBuiltinESMExports();`;

it('a report whose run is killed between the archive and the outbox is sent, or not sent, as the run decided', async () => {
  await using fixture = await openFixture(program);
  const { env, mail } = fixture;
  await fixture.settings(`timezone: ${zoneAtNoon()}\n`);
  const digest = (above: string): Promise<string> =>
    fixture.jobs(
      pullLogs(rarely),
      `digest: { kind: report, report: digest, period: yesterday, mail: { to: [a@example.com] }, send_when: { above: ${above} }, at_least_every: 400d, ${rarely} }`,
    );
  const succeeds = async (...argv: readonly string[]): Promise<void> => {
    const { code, stderr } = await fixture.command(...argv);
    expect([code, stderr]).toEqual([0, stderr]);
  };
  const mailed = (): number =>
    mail.taken.filter(({ recipients }) => recipients[0] === 'a@example.com').length;
  await digest('0.000001');
  await succeeds('run', 'pull-logs');
  await succeeds('run', 'digest');
  expect(mailed()).toBe(1);
  // The amount that is set when the run is repeated would decide otherwise.
  for (const [first, second, before, after] of [
    ['1000000', '0.000001', 1, 1],
    ['0.000001', '1000000', 1, 2],
  ] as const) {
    await digest(first);
    env['NODE_OPTIONS'] = `--import=data:text/javascript,${encodeURIComponent(killedWhenKept)}`;
    const run = fixture.start('run', 'digest');
    expect(await run.ended).toMatchObject({ signal: 'SIGKILL' });
    delete env['NODE_OPTIONS'];
    expect(mailed()).toBe(before);
    const [killed] = await fixture.runs('digest');
    await digest(second);
    await succeeds('run', 'digest', '--slot', killed?.slot ?? '');
    expect(mailed()).toBe(after);
  }
});

it('a manual run that fails makes `status` exit with 1 until the next success of its job', async () => {
  await using fixture = await openFixture(program);
  await fixture.jobs(pullLogs(rarely), `other: { kind: pull-usage, since: 2026-01-01, ${rarely} }`);
  fixture.sandbox.faults.plant({ kind: 'status', path: '/api/log', status: 403, times: 9 });
  expect((await fixture.here('run', 'pull-logs')).code).toBe(1);
  fixture.sandbox.faults.clear();
  // A success of another job changes nothing.
  expect((await fixture.here('run', 'other')).code).toBe(0);
  await expectFailedUntilSuccess(fixture);
});
