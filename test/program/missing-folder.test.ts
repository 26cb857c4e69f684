import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRotationFixture } from '../storm/support/rotation-fixture.ts';
import { exemptFile } from '../support/secret-watch.ts';

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

it('a missing folder of a sink is a warning of check, and stops plan, keys rotate and run before a key is created', async () => {
  await using fixture = await openRotationFixture({
    job: { deliver: '[{ file: { path: "later/{service}.env", variable: KEY } }]' },
  });
  const check = await fixture.run('check');
  expect([check.code, oneLine(check.stdout)]).toMatchObject([
    0,
    expect.stringMatching(/warning: .*folder \S+later does not exist/) as string,
  ]);
  const writes = fixture.sandbox.requests.writes();
  const plan = await fixture.run('keys', 'plan', 'rotate-app');
  expect([plan.code, oneLine(plan.stdout)]).toMatchObject([
    1,
    expect.stringMatching(/skipped: app: .*create the folder \S+later/) as string,
  ]);
  const rotated = await fixture.run('keys', 'rotate', 'app');
  expect(rotated.code).toBe(1);
  expect(rotated.stderr.match(/create the folder/g)).toHaveLength(1);
  const ran = await fixture.run('run', 'rotate-app');
  expect(ran.code).toBe(1);
  expect(ran.stderr.match(/create the folder/g)).toHaveLength(1);
  expect([fixture.sandbox.requests.writes(), fixture.names()]).toEqual([writes, ['app']]);
  await mkdir(join(fixture.folder.path, 'later'));
  exemptFile(join(fixture.folder.path, 'later/app.env'));
  expect((await fixture.run('run', 'rotate-app')).code).toBe(0);
  expect(fixture.names()).toEqual(['app', 'app.g2']);
  expect((await fixture.run('status')).code).toBe(0);
});
