import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Ran } from '../../support/program.ts';
import { fine, openKeyTown, type KeyTown } from '../support/key-town.ts';

let town: KeyTown;
beforeEach(async () => {
  town = await openKeyTown();
});
afterEach(() => town[Symbol.asyncDispose]());

const json = async <T>(...argv: string[]): Promise<T> => {
  const ran = await town.keys(...argv, '--json');
  try {
    return JSON.parse(ran.stdout) as T;
  } catch (error) {
    throw new Error(`${ran.code}: ${ran.stdout}${ran.stderr}`, { cause: error });
  }
};
const sink = (): Promise<string> => readFile(join(town.folder.path, 'secrets/batch.env'), 'utf8');
const secret = async (): Promise<string | undefined> => /^KEY=["']?(sk-[^"'\n]+)/m.exec(await sink())?.[1];
const all: string[] = [];
const noted = async (...argv: string[]): Promise<Ran> => {
  town.clock.advance(60_000);
  const ran = await town.keys(...argv);
  all.push(ran.stdout, ran.stderr);
  return ran;
};

it('a person creates, lists, rotates and expires a key, with every step in the history and no key in any output', async () => {
  await fine(noted('create', 'batch', '--job', 'rotate-prod', '--unlimited'));
  expect(town.names()).toEqual(['batch.g1-a0a0']);
  const first = await secret();
  expect(first).toMatch(/^sk-/);

  const { keys: listed } = await json<{ keys: object[] }>('list', 'batch');
  expect(listed).toMatchObject([
    { name: 'batch.g1-a0a0', service: 'batch', generation: 1, known: true, job: 'rotate-prod' },
  ]);

  await fine(noted('rotate', 'batch', '--now', '--yes'));
  expect(town.names()).toEqual(['batch.g2-a0a0']);
  const second = await secret();
  expect(second).not.toBe(first);

  expect(await fine(noted('rotate', 'batch'))).toMatch(
    /batch\.g2-a0a0 \(id \d+\) → batch\.g3-a0a0 \(id \d+\)/,
  );
  expect(town.names()).toEqual(['batch.g2-a0a0', 'batch.g3-a0a0']);
  expect(await secret()).not.toBe(second);
  // Both work on; what is under way is taken up, and no third key is made.
  await fine(noted('rotate', 'batch'));
  expect(town.names()).toEqual(['batch.g2-a0a0', 'batch.g3-a0a0']);
  // The old one leaked while both work: it goes at once.
  await fine(noted('rotate', 'batch.g2-a0a0', '--now', '--yes'));
  expect(town.names()).toEqual(['batch.g3-a0a0']);

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
  town.createByHand('batch');
  await fine(town.keys('rotate', 'batch'));
  const { keys: listed } = await json<{ keys: { name: string }[] }>('list', 'batch');
  expect(listed.map(({ name }) => name).toSorted()).toEqual(['batch', 'batch.g2-a0a0']);
  const refused = await town.keys('expire', 'batch', '--yes');
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('batch.g2-a0a0 (id ');
  expect(refused.stderr).toMatch(/current key of batch: file:.*batch\.env#KEY/);
  const placed = await town.keys('adopt', 'batch', '-s', 'x/../../esc', '-g', '1');
  expect([placed.code, placed.stderr]).toMatchObject([
    2,
    expect.stringContaining('letters, digits') as string,
  ]);
  const left = await town.keys('create', 'other', '--job', 'rotate-prod', '--unlimited');
  expect(left.code).toBe(2);
  expect(left.stderr).toContain('does not select other.g1');
  expect(left.stderr).toContain('the job selects name "batch*"');
  expect(town.names()).toEqual(['batch', 'batch.g2-a0a0']);
  // What leaked is what its sink holds: it is replaced, and gone.
  await fine(town.keys('rotate', 'batch', '--now', '--yes'));
  expect(town.names()).toEqual(['batch', 'batch.g3-a0a0']);
  expect(await fine(town.keys('expire', 'batch', '--yes', '--even-if-current', '--at', '+48h'))).toMatch(
    /it expires \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
  );
});

/** `batch`, which the sink holds, and `batch.g2`, which a person made for others. */
const twoKeys = async () => {
  const held = town.createByHand('batch');
  const other = town.createByHand('batch.g2');
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
    const refused = await town.keys(...argv);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(
      new RegExp(
        `batch \\(id ${held}, sk-\\w{4}\\*+\\w{4}, in file:\\S*batch\\.env#KEY\\); batch\\.g2 \\(id ${other}, sk-\\w{4}\\*+\\w{4}\\)`,
      ),
    );
    expect(refused.stderr).toContain('tollkeeper keys rotate id:N');
  }
  const plan = await town.keys('plan', 'rotate-prod', '--all');
  expect(plan.code).toBe(1);
  expect(plan.stdout).toContain(`nothing to do now`);
  expect(plan.stdout).toMatch(new RegExp(`skipped: batch \\(ID ${held}\\), current-unknown`));
  for (const _ of [1, 2]) expect((await town.run('run', 'rotate-prod')).stdout).toContain('2 keys skipped');
  expect((await town.run('outbox', '--json')).stdout.match(/it is unknown which one/g)).toHaveLength(1);
  expect(town.sandbox.requests.writes()).toBe(before);
  expect(town.names()).toEqual(['batch', 'batch.g2']);
});

it('a key that a person names by its id is ended alone, and the other keys of its service stay', async () => {
  const { held } = await twoKeys();
  const rotated = await town.keys('rotate', `id:${held}`, '--now', '--yes');
  expect(rotated.code).toBe(0);
  expect(town.names()).toEqual(['batch.g2', 'batch.g3-a0a0']);
  expect(await sink()).toMatch(/^KEY=sk-/m);
  expect((await town.keys('plan', 'rotate-prod')).code).toBe(0);
});

it('a key that may be the current one is expired by its id only with --even-if-current', async () => {
  const { other } = await twoKeys();
  const refused = await town.keys('expire', `id:${other}`, '--yes');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('--even-if-current');
  const ended = await town.keys('expire', `id:${other}`, '--yes', '--even-if-current');
  expect([ended.code, ended.stderr + ended.stdout]).toMatchObject([0, expect.any(String)]);
  expect((await town.keys('plan', 'rotate-prod')).code).toBe(0);
});

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

it('a sink that holds a deleted key is a fault of status, doctor and keys reconcile, until a rotation delivers another', async () => {
  await fine(town.run('keys', 'create', 'batch', '--job', 'rotate-prod', '--unlimited'));
  const first = await sink();
  town.clock.advance(60_000);
  await fine(town.run('keys', 'rotate', 'batch', '--now', '--yes'));
  await fine(town.run('keys', 'reconcile'));
  // A restore of the consumer puts back the key that is deleted.
  await town.folder.write('secrets/batch.env', first);
  const reconcile = await town.run('keys', 'reconcile');
  expect([reconcile.code, reconcile.stdout]).toMatchObject([
    1,
    expect.stringMatching(
      /batch\.env#KEY holds batch\.g1-a0a0 \(id \d+\), which is deleted: calls/,
    ) as string,
  ]);
  expect(oneLine((await town.run('doctor')).stdout)).toMatch(
    /holds batch\.g1-a0a0 \(id \d+\), which is deleted.*`tollkeeper keys rotate batch`/,
  );
  const daemon = await town.serve();
  await daemon.line({ message: 'a sink holds a key that no longer works' });
  await daemon.stop();
  // Without the daemon, the last reading counts.
  const status = await town.run('status');
  expect(status.code).toBe(1);
  expect(oneLine(status.stdout)).toMatch(/action required: .* no longer works: batch/);
  const mails = await town.run('outbox', '--json');
  expect(mails.stdout.match(/sink of batch holds a key that no longer works/g)).toHaveLength(1);
  await fine(town.run('keys', 'rotate', 'batch'));
  expect(await sink()).not.toBe(first);
  await fine(town.run('status'));
  await fine(town.run('keys', 'reconcile'));
});

it('a daemon on a restored data folder says at its start that the journal is out of date', async () => {
  await fine(town.run('keys', 'create', 'batch', '--job', 'rotate-prod', '--unlimited'));
  // Another Tollkeeper, or this one before a restore, has made a newer key.
  town.createByHand('batch.g7-b1b1', town.clock.now());
  const daemon = await town.serve();
  await daemon.line({ message: 'key operations of a service are suspended: its journal is out of date' });
  const status = await town.run('status');
  expect([status.code, oneLine(status.stdout)]).toMatchObject([
    1,
    expect.stringContaining('out of date: batch') as string,
  ]);
  await daemon.stop();
});
