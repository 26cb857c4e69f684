import { join } from 'node:path';
import { expect, it } from 'vitest';
import { interval, silentLog, unixSeconds } from '../../src/core/index.ts';
import { openWarehouse } from '../../src/warehouse/index.ts';
import { openRotationFixture, type RotationFixture } from '../storm/support/rotation-fixture.ts';

const hour = 3_600_000;

/** Calls with a key, as the warehouse and as the gateway count them. */
const callsOf = async ({ folder, clock, sandbox }: RotationFixture, name: string) => {
  const path = join(folder.path, 'data/tollkeeper.duckdb');
  const spoolDirectory = join(folder.path, 'spool');
  await using warehouse = await openWarehouse({
    path,
    memoryLimit: '256MB',
    threads: 1,
    spoolDirectory,
    clock,
    log: silentLog,
  });
  const now = Math.floor(clock.now() / 1000);
  const range = interval(unixSeconds(now - 30 * 86_400), unixSeconds(now));
  const { calls } = await warehouse.keys.use('main', name, range);
  const rows = [...sandbox.state.ledger.rows(range, now)];
  return { stored: calls, made: rows.filter(({ token }) => token === name).length };
};

it.each(['date-ahead', 'date-behind'] as const)(
  'an old key that is no longer used is deleted although the Date header alone is wrong (%s)',
  async (gateway_clock) => {
    await using fixture = await openRotationFixture({ sandbox: { variants: { gateway_clock } } });
    expect((await fixture.run('run', 'pull-logs')).code).toBe(0);
    expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
    // The header is three hours off, and the key has to be unused for two.
    expect((await fixture.later(2)).code).toBe(0);
    expect(fixture.names()).toEqual(['app', 'app.g2']);
    for (let passed = 0; passed < 8 && fixture.names().length > 1; passed += 1) await fixture.later(1);
    expect(fixture.names()).toEqual(['app.g2']);
    // No call is lost to windows that were pulled before their time.
    fixture.clock.advance(hour);
    expect((await fixture.run('run', 'pull-logs')).code).toBe(0);
    const { stored, made } = await callsOf(fixture, 'app.g2');
    expect([stored, made]).toEqual([made, made]);
    expect(made).toBeGreaterThan(3);
  },
);

it('an old key that is still used is not deleted while the Date header alone is wrong', async () => {
  await using fixture = await openRotationFixture({ sandbox: { variants: { gateway_clock: 'date-ahead' } } });
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  for (let passed = 0; passed < 8; passed += 1) {
    expect(await fixture.call(fixture.old.key)).toBe(200);
    await fixture.later(1);
  }
  expect(fixture.names()).toEqual(['app', 'app.g2']);
});
