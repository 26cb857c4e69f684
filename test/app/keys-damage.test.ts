import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Town } from './support/daemon.ts';
import { openKeyTown } from './support/key-town.ts';

let town: Town;
beforeEach(async () => {
  town = await openKeyTown('# of the batch\n');
});
afterEach(() => town[Symbol.asyncDispose]());

const file = (): string => join(town.folder.path, 'data', 'audit', 'keys.jsonl');
const status = async () => {
  const ran = await town.run('status', '--json');
  return { code: ran.code, status: JSON.parse(ran.stdout) as { needsPerson: string[]; data: object } };
};

it('an audit file that was taken away is missed and written anew; one that does not hold needs a person', async () => {
  expect((await town.run('keys', 'create', 'batch', '--job', 'rotate-prod', '--unlimited')).code).toBe(0);
  const whole = await readFile(file(), 'utf8');
  const steps = whole.trimEnd().split('\n').length;
  expect(await status()).toMatchObject({ code: 0, status: { needsPerson: [] } });

  await rm(file());
  const missed = await town.run('keys', 'audit', '--verify');
  expect(missed.code).toBe(1);
  expect(missed.stdout).toContain(
    `the file was missing, though the database knows ${steps} steps\nit was written anew from the database just now\n${steps} steps in one unbroken chain\n`,
  );
  expect(missed.stdout).toContain('what to do: find out who took it away');
  expect(await readFile(file(), 'utf8')).toBe(whole);
  expect((await town.run('keys', 'audit', '--verify')).code).toBe(0);

  const daemon = await town.serve();
  await rm(file());
  const asked = await town.run('keys', 'audit', '--verify', '--json');
  expect([asked.code, JSON.parse(asked.stdout)]).toMatchObject([1, { missing: { steps } }]);
  await daemon.stop();

  await town.folder.write('data/audit/keys.jsonl', whole.split('\n').slice(1).join('\n'));
  expect(await status()).toMatchObject({
    code: 1,
    status: {
      needsPerson: ['the journal of keys does not hold'],
      data: { keyTrouble: { code: 'audit-damaged' } },
    },
  });
  const page = await town.run('status');
  expect(page.stdout).toMatch(
    /\nnothing is done to keys: the audit file .*\nwhat to do: .* \(audit-damaged\)\n/,
  );
});

it('a rotation that is left open is listed, with who moves it on', async () => {
  expect((await town.run('keys', 'create', 'batch', '--job', 'rotate-prod', '--unlimited')).code).toBe(0);
  const rotated = await town.run('keys', 'rotate', 'batch');
  expect(rotated.stdout).toContain('no daemon runs: nothing moves this on until `tollkeeper serve` runs');
  const found = await status();
  expect(found).toMatchObject({
    code: 0,
    status: { data: { rotations: [{ service: 'batch', stage: 'current' }] } },
  });
  expect((await town.run('status')).stdout).toMatch(/^batch +current +2026-11-20 09:30$/m);
  const daemon = await town.serve();
  expect((await town.run('keys', 'rotate', 'batch')).stdout).not.toContain('no daemon');
  await daemon.stop();
});
