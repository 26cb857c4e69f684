import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Ran } from '../../support/program.ts';
import type { Town } from '../support/daemon.ts';
import { openKeyTown } from '../support/key-town.ts';

let town: Town;
beforeEach(async () => {
  town = await openKeyTown('OTHER=1\n');
});
afterEach(() => town[Symbol.asyncDispose]());

const keys = (...argv: string[]): Promise<Ran> => town.run('keys', ...argv);
const createByHand = (name: string) =>
  town.sandbox.state.keys.create({
    name,
    remain: 0n,
    unlimited: true,
    expiredTime: -1,
    group: 'default',
    createdAt: Date.parse('2026-09-01T00:00:00Z') / 1000,
  });
const names = (): readonly string[] =>
  town.sandbox.state.keys
    .all()
    .map(({ name }) => name)
    .filter((name) => name.startsWith('batch'));

/** `batch`, which the sink holds, and `batch.g2`, which a person made for others. */
const twoKeys = async () => {
  const held = createByHand('batch');
  const other = createByHand('batch.g2');
  await town.folder.write('secrets/batch.env', `KEY=${held.plaintext}\n`);
  return { held: held.key.id, other: other.key.id };
};

it('a service with two valid keys and no recorded cutover is not rotated, and the command names both keys', async () => {
  const { held, other } = await twoKeys();
  const before = town.sandbox.requests.writes();
  for (const argv of [
    ['rotate', 'batch', '--now', '--yes'],
    ['rotate', 'batch'],
    ['expire', 'batch', '--yes'],
  ]) {
    const refused = await keys(...argv);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(
      new RegExp(
        `batch \\(id ${held}, sk-\\w{4}\\*+\\w{4}, in file:\\S*batch\\.env#KEY\\); batch\\.g2 \\(id ${other}, sk-\\w{4}\\*+\\w{4}\\)`,
      ),
    );
    expect(refused.stderr).toContain('tollkeeper keys rotate id:N');
  }
  const plan = await keys('plan', 'rotate-prod', '--all');
  expect(plan.code).toBe(1);
  expect(plan.stdout).toContain(`nothing to do now`);
  expect(plan.stdout).toMatch(new RegExp(`skipped: batch \\(ID ${held}\\), current-unknown`));
  for (const _ of [1, 2]) expect((await town.run('run', 'rotate-prod')).stdout).toContain('2 keys skipped');
  expect((await town.run('outbox', '--json')).stdout.match(/it is unknown which one/g)).toHaveLength(1);
  expect(town.sandbox.requests.writes()).toBe(before);
  expect(names()).toEqual(['batch', 'batch.g2']);
});

it('a key that a person names by its id is ended alone, and the other keys of its service stay', async () => {
  const { held } = await twoKeys();
  const rotated = await keys('rotate', `id:${held}`, '--now', '--yes');
  expect(rotated.code).toBe(0);
  expect(names()).toEqual(['batch.g2', 'batch.g3-a0a0']);
  expect(await readFile(join(town.folder.path, 'secrets/batch.env'), 'utf8')).toMatch(/^KEY=sk-/m);
  expect((await keys('plan', 'rotate-prod')).code).toBe(0);
});

it('a key that may be the current one is expired by its id only with --even-if-current', async () => {
  const { other } = await twoKeys();
  const refused = await keys('expire', `id:${other}`, '--yes');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('--even-if-current');
  const ended = await keys('expire', `id:${other}`, '--yes', '--even-if-current');
  expect([ended.code, ended.stderr + ended.stdout]).toMatchObject([0, expect.any(String)]);
  expect((await keys('plan', 'rotate-prod')).code).toBe(0);
});
