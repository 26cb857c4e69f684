import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRotationFixture } from '../storm/support/rotation-fixture.ts';

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
