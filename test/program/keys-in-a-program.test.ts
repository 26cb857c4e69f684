import { expect, it } from 'vitest';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openRotationFixture } from '../storm/support/rotation-fixture.ts';

it('an old key that comes back into use minutes before its deletion stays, although the pulled log does not show the call', async () => {
  await using fixture = await openRotationFixture();
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  const { key } = fixture.old;
  for (let hours = 0; hours < 3; hours += 1) {
    fixture.clock.advance(3_600_000);
    expect(await fixture.call(await fixture.deliveredKey())).toBe(200);
  }
  expect((await fixture.run('run', 'pull-logs')).code).toBe(0);
  // The lag keeps this call out of the pull.
  expect(await fixture.call(key)).toBe(200);
  fixture.clock.advance(60_000);
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  expect(await fixture.call(key)).toBe(200);
  expect(fixture.names()).toEqual(['app', 'app.g2']);
  expect((await fixture.run('keys', 'history', 'app')).stdout).toMatch(/app is retained: .* still in use/);
  for (let hours = 0; hours < 2; hours += 1) await fixture.later(2);
  expect(fixture.names()).toEqual(['app.g2']);
});

it('a key returned without the prefix that calls need is verified and delivered with it', async () => {
  await using fixture = await openRotationFixture({ sandbox: { variants: { key_prefix: 'none-required' } } });
  const first = await fixture.run('run', 'rotate-app');
  expect(first.code).toBe(0);
  expect(fixture.names()).toEqual(['app', 'app.g2']);
  const second = await fixture.deliveredKey();
  expect(second).toMatch(/^sk-/);
  expect(await fixture.call(second)).toBe(200);
  expect((await fixture.later(4)).code).toBe(0);
  expect(fixture.names()).toEqual(['app.g2']);
  // The next rotation knows the form: none of its calls is refused.
  const before = fixture.sandbox.requests.all().length;
  fixture.clock.advance(31 * 24 * 3_600_000);
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  const calls = fixture.sandbox.requests.all().slice(before);
  expect(calls.filter(({ path }) => path.startsWith('/v1/')).map(({ status }) => status)).toEqual([200]);
  expect(await fixture.deliveredKey()).not.toBe(second);
});

it('a key returned without a prefix is delivered unchanged when calls accept it', async () => {
  await using fixture = await openRotationFixture({ sandbox: { variants: { key_prefix: 'none' } } });
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  expect(await fixture.deliveredKey()).not.toMatch(/^sk-/);
  expect(await fixture.call(await fixture.deliveredKey())).toBe(200);
});

it('an old key stays while its former sink is no longer declared, status exits with 1, and a person ends the hold', async () => {
  await using fixture = await openRotationFixture();
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  expect((await fixture.run('status')).code).toBe(0);
  const jobs = join(fixture.folder.path, 'config/jobs/jobs.yaml');
  // A person puts the old key back and points the job elsewhere.
  const delivered = await fixture.deliveredKey();
  await fixture.folder.write('secrets/app.env', `KEY=${fixture.old.key}\n`);
  await fixture.folder.write(
    'config/jobs/jobs.yaml',
    (await readFile(jobs, 'utf8')).replace('secrets/{service}.env', 'secrets/{service}-2.env'),
  );
  fixture.clock.advance(3 * 3_600_000);
  expect(await fixture.call(delivered)).toBe(200);
  expect((await fixture.run('run', 'pull-logs')).code).toBe(0);
  const ran = await fixture.run('run', 'rotate-app');
  expect([ran.code, ran.stderr]).toMatchObject([0, expect.any(String)]);
  expect(fixture.names()).toEqual(['app', 'app.g2']);
  const status = await fixture.run('status');
  expect(status.code).toBe(1);
  expect(status.stdout.replaceAll(/\s+/g, ' ')).toMatch(/action required: .*may still hold it: app/);
  expect(status.stdout.replaceAll(/\s+/g, ' ')).toContain('keys give-up app --forget-places');
  const outbox = await fixture.run('outbox', '--json');
  expect(outbox.stdout.match(/a consumer may still hold it/g)).toHaveLength(1);
  const forgotten = await fixture.run('keys', 'give-up', 'app', '--forget-places', '--yes');
  expect(forgotten.code).toBe(0);
  expect(forgotten.stdout).toMatch(/app\.env#KEY no longer counts .* app/);
  expect((await fixture.run('status')).code).toBe(0);
  expect((await fixture.run('keys', 'history', 'app')).stdout).toMatch(/app\.env#KEY is .*no key/);
});

const hour = 3_600_000;

it.each([-2, 2])(
  'keys expire ends a key at once at a gateway that is %i hours ahead, and says since when',
  async (hours) => {
    await using fixture = await openRotationFixture({ gatewayShift: () => hours * hour });
    const { id, key } = fixture.old;
    expect(await fixture.call(key)).toBe(200);
    const expired = await fixture.run('keys', 'expire', `id:${id}`, '--yes', '--even-if-current');
    expect([expired.code, expired.stdout]).toMatchObject([
      0,
      expect.stringMatching(/app \(id \d+\) is refused since 2026-12-22 \d\d:\d\d/) as string,
    ]);
    expect(await fixture.call(key)).toBe(401);
  },
);

it('keys expire --at +1h ends a key in an hour at a gateway that is two hours ahead', async () => {
  await using fixture = await openRotationFixture({ gatewayShift: () => 2 * hour });
  const { id, key } = fixture.old;
  const expired = await fixture.run(
    'keys',
    'expire',
    `id:${id}`,
    '--at',
    '+1h',
    '--yes',
    '--even-if-current',
  );
  expect([expired.code, expired.stderr]).toEqual([0, '']);
  fixture.clock.advance(hour - 60_000);
  expect(await fixture.call(key)).toBe(200);
  fixture.clock.advance(120_000);
  expect(await fixture.call(key)).toBe(401);
});

it('keys expire says that caches may accept a key whose plaintext no sink shows, and --delete deletes it', async () => {
  await using fixture = await openRotationFixture();
  const { id } = fixture.old;
  await fixture.folder.write('secrets/app.env', 'OTHER=kept\n');
  const expired = await fixture.run('keys', 'expire', `id:${id}`, '--yes', '--even-if-current');
  expect(expired.code).toBe(0);
  expect(expired.stdout.replaceAll(/\s+/g, ' ')).toMatch(/is expired .*may accept it until 2026-12-22/);
  const deleted = await fixture.run('keys', 'expire', `id:${id}`, '--delete', '--yes', '--even-if-current');
  expect([deleted.code, fixture.names()]).toEqual([0, []]);
});
