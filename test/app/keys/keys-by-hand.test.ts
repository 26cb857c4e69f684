import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Ran } from '../../support/program.ts';
import type { Town } from '../support/daemon.ts';
import { openKeyTown } from '../support/key-town.ts';

let town: Town;
beforeEach(async () => {
  town = await openKeyTown('# of the batch\nOTHER=1\n');
});
afterEach(() => town[Symbol.asyncDispose]());

const keys = (...argv: string[]): Promise<Ran> => town.run('keys', ...argv);
const json = async <T>(...argv: string[]): Promise<T> => {
  const ran = await keys(...argv, '--json');
  try {
    return JSON.parse(ran.stdout) as T;
  } catch (error) {
    throw new Error(`${ran.code}: ${ran.stdout}${ran.stderr}`, { cause: error });
  }
};
const secret = async (): Promise<string | undefined> =>
  /^KEY=["']?(sk-[^"'\n]+)/m.exec(await readFile(join(town.folder.path, 'secrets/batch.env'), 'utf8'))?.[1];
const names = (): readonly string[] =>
  town.sandbox.state.keys
    .all()
    .map(({ name }) => name)
    .filter((name) => name.startsWith('batch'));

/** With all that it said where it did not end well. */
const fine = async (run: Promise<Ran>): Promise<string> => {
  const ran = await run;
  expect([ran.code, ran.code === 0 ? '' : `${ran.stdout}${ran.stderr}`]).toEqual([0, '']);
  return ran.stdout;
};

const all: string[] = [];
const noted = async (...argv: string[]): Promise<Ran> => {
  town.clock.advance(60_000);
  const ran = await keys(...argv);
  all.push(ran.stdout, ran.stderr);
  return ran;
};

it('a person creates, lists, rotates and expires a key, with every step in the history and no key in any output', async () => {
  await fine(noted('create', 'batch', '--job', 'rotate-prod', '--unlimited'));
  expect(names()).toEqual(['batch.g1-a0a0']);
  const first = await secret();
  expect(first).toMatch(/^sk-/);

  const { keys: listed } = await json<{ keys: object[] }>('list', 'batch');
  expect(listed).toMatchObject([
    { name: 'batch.g1-a0a0', service: 'batch', generation: 1, known: true, job: 'rotate-prod' },
  ]);

  await fine(noted('rotate', 'batch', '--now', '--yes'));
  expect(names()).toEqual(['batch.g2-a0a0']);
  const second = await secret();
  expect(second).not.toBe(first);

  expect(await fine(noted('rotate', 'batch'))).toMatch(
    /batch\.g2-a0a0 \(id \d+\) → batch\.g3-a0a0 \(id \d+\)/,
  );
  expect(names()).toEqual(['batch.g2-a0a0', 'batch.g3-a0a0']);
  expect(await secret()).not.toBe(second);
  // Both work on; what is under way is taken up, and no third key is made.
  await fine(noted('rotate', 'batch'));
  expect(names()).toEqual(['batch.g2-a0a0', 'batch.g3-a0a0']);
  // The old one leaked while both work: it goes at once.
  await fine(noted('rotate', 'batch.g2-a0a0', '--now', '--yes'));
  expect(names()).toEqual(['batch.g3-a0a0']);

  const history = await noted('history', 'batch');
  expect(history.stdout).toMatch(/○ planned .*a first key, since .*\(person /);
  expect(history.stdout).toMatch(/since it is compromised/);
  expect((await noted('audit', '--verify')).stdout).toMatch(
    /\d+ steps in an unbroken chain\nhead [0-9a-f]{64}\neach step agrees with the database\n$/,
  );
  const output = all.join('');
  for (const key of [first, second, await secret()]) expect(output).not.toContain(key);
});

it('a service is found by its name even if its first key has it, and a key in a sink is expired only on request', async () => {
  town.sandbox.state.keys.create({
    name: 'batch',
    remain: 0n,
    unlimited: true,
    expiredTime: -1,
    group: '',
    createdAt: Date.parse('2026-09-01T00:00:00Z') / 1000,
  });
  await fine(keys('rotate', 'batch'));
  const { keys: listed } = await json<{ keys: { name: string }[] }>('list', 'batch');
  expect(listed.map(({ name }) => name).toSorted()).toEqual(['batch', 'batch.g2-a0a0']);
  const refused = await keys('expire', 'batch', '--yes');
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('batch.g2-a0a0 (id ');
  expect(refused.stderr).toMatch(/current key of batch: file:.*batch\.env#KEY/);
  const placed = await keys('adopt', 'batch', '-s', 'x/../../esc', '-g', '1');
  expect([placed.code, placed.stderr]).toMatchObject([
    2,
    expect.stringContaining('letters, digits') as string,
  ]);
  const left = await keys('create', 'other', '--job', 'rotate-prod', '--unlimited');
  expect(left.code).toBe(2);
  expect(left.stderr).toContain('does not select other.g1');
  expect(left.stderr).toContain('the job selects name "batch*"');
  expect(names()).toEqual(['batch', 'batch.g2-a0a0']);
  // What leaked is what its sink holds: it is replaced, and gone.
  await fine(keys('rotate', 'batch', '--now', '--yes'));
  expect(names()).toEqual(['batch', 'batch.g3-a0a0']);
  expect(await fine(keys('expire', 'batch', '--yes', '--even-if-current', '--at', '+48h'))).toMatch(
    /it expires \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
  );
});

it('a plan is applied only while nothing has changed, and writes nothing before', async () => {
  town.sandbox.state.keys.create({
    name: 'batch',
    remain: 0n,
    unlimited: true,
    expiredTime: -1,
    group: '',
    createdAt: Date.parse('2026-09-01T00:00:00Z') / 1000,
  });
  const before = town.sandbox.requests.writes();
  const plan = join(town.folder.path, 'plan.json');
  expect(await fine(keys('plan', 'rotate-prod', '-o', plan))).toMatch(/^rotate +batch/m);
  await fine(keys('apply', plan, '--dry-run'));
  expect(town.sandbox.requests.writes()).toBe(before);

  const daemon = await town.serve();
  await fine(keys('apply', plan));
  expect(names()).toEqual(['batch', 'batch.g2-a0a0']);
  const stale = await keys('apply', plan);
  expect([stale.code, stale.stdout]).toMatchObject([1, expect.stringContaining('batch.g2-a0a0') as string]);
  expect(await secret()).toMatch(/^sk-/);
  await daemon.stop();
  await writeFile(plan, (await readFile(plan, 'utf8')).replace('"batch"', '"other"'));
  expect((await keys('apply', plan)).code).toBe(2);
});
