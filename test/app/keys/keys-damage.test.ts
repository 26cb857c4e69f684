import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lineAfter, noHead, readLine } from '../../../src/keys/journal/audit-line.ts';
import type { Daemon } from '../support/daemon.ts';
import { fine, openKeyTown, type KeyTown } from '../support/key-town.ts';

let town: KeyTown;
beforeEach(async () => {
  town = await openKeyTown();
});
afterEach(() => town[Symbol.asyncDispose]());

const file = (): string => join(town.folder.path, 'data', 'audit', 'keys.jsonl');
const status = async () => {
  const ran = await town.run('status', '--json');
  return { code: ran.code, status: JSON.parse(ran.stdout) as { needsPerson: string[]; data: object } };
};

const made = async (): Promise<string> => {
  await fine(town.keys('create', 'batch', '--job', 'rotate-prod', '--unlimited'));
  return readFile(file(), 'utf8');
};

it('a missing audit file is written again, and one that fails verification requires action', async () => {
  const whole = await made();
  const steps = whole.trimEnd().split('\n').length;
  expect(await status()).toMatchObject({ code: 0, status: { needsPerson: [] } });

  await rm(file());
  const missed = await town.keys('audit', '--verify');
  expect(missed.code).toBe(1);
  expect(missed.stdout).toMatch(
    new RegExp(`missing .* ${steps} steps\n.*rewritten .*\n${steps} steps in an unbroken chain\n`),
  );
  expect(missed.stdout).toContain('what to do: ');
  expect(await readFile(file(), 'utf8')).toBe(whole);
  expect((await town.keys('audit', '--verify')).code).toBe(0);

  const daemon = await town.serve();
  await rm(file());
  const asked = await town.keys('audit', '--verify', '--json');
  expect([asked.code, JSON.parse(asked.stdout)]).toMatchObject([1, { missing: { steps } }]);
  await daemon.stop();

  await town.folder.write('data/audit/keys.jsonl', whole.split('\n').slice(1).join('\n'));
  expect(await status()).toMatchObject(troubled);
  const page = await town.run('status');
  expect(page.stdout).toMatch(/\nkey operations are suspended: .*\n {2}what to do: .* \(audit-damaged\)\n/);
});

it('an open rotation is listed with what advances it', async () => {
  await made();
  const rotated = await town.keys('rotate', 'batch');
  expect(rotated.stdout).toContain('no daemon is running');
  const found = await status();
  expect(found).toMatchObject({
    code: 0,
    status: { data: { rotations: [{ service: 'batch', stage: 'current' }] } },
  });
  expect((await town.run('status')).stdout).toMatch(/^batch +current +2026-11-20 09:30/m);
  const daemon = await town.serve();
  expect((await town.keys('rotate', 'batch')).stdout).not.toContain('no daemon');
  await daemon.stop();
});

const editLast = (whole: string): string => whole.replace(/"at":\d(?=[^\n]*\n$)/, '"at":9');
const troubled = {
  code: 1,
  status: {
    needsPerson: ['the key journal failed verification'],
    data: { keyProblem: { code: 'audit-damaged' } },
  },
};
const well = { code: 0, status: { needsPerson: [] } };
const subjects = () => town.mail.taken.map(({ parsed }) => parsed.subject ?? '');
/** The next pass over rotations, and one of the outbox after it. */
const cycles = async (message: string, daemon: Daemon): Promise<void> => {
  const seen = daemon.lines().filter((line) => line['message'] === message).length;
  const sent = daemon.lines().filter((line) => line['message'] === 'mail sent').length;
  town.clock.advance(300_000);
  await daemon.line({ message }, seen + 1);
  await daemon.settled();
  town.clock.advance(6_000);
  await daemon.line({ message: 'mail sent' }, sent + 1);
};

const doesNotHold = 'key operations are suspended: the key journal is invalid';
const holdsAgain = 'the key journal is valid again: rotations advance again';

it('an audit file edited while the daemon runs is reported in status and by mail, and work continues after it is moved away', async () => {
  const whole = await made();
  const daemon = await town.serve();
  expect(await status()).toMatchObject(well);
  const edited = editLast(whole);
  expect(edited).not.toBe(whole);
  await writeFile(file(), edited);
  expect(await status()).toMatchObject(troubled);
  await cycles(doesNotHold, daemon);
  expect(subjects().filter((subject) => /journal is invalid/.test(subject))).toHaveLength(1);
  expect((await town.keys('rotate', 'batch', '--now', '--yes')).stderr).toContain('no restart is needed');
  expect(await readFile(file(), 'utf8')).toBe(edited);

  await rename(file(), `${file()}.damaged`);
  expect(await status()).toMatchObject(well);
  expect(await readFile(file(), 'utf8')).toBe(whole);
  await cycles(holdsAgain, daemon);
  expect(subjects().filter((subject) => /valid again/.test(subject))).toHaveLength(1);
  const mailOf = (subject: RegExp) =>
    town.mail.taken.find(({ parsed }) => subject.test(parsed.subject ?? ''));
  expect(mailOf(/valid again/)?.parsed.inReplyTo).toBe(mailOf(/journal is invalid/)?.parsed.messageId);
  expect((await town.keys('audit', '--verify')).code).toBe(0);
  expect((await town.keys('rotate', 'batch')).code).toBe(0);
  await daemon.stop();
});

it.each([
  ['status', ['status'], 0],
  ['an order', ['keys', 'rotate', 'batch', '--now', '--yes'], 0],
  ['a check, which misses the file once', ['keys', 'audit', '--verify'], 1],
])(
  'a daemon started on a damaged audit file continues after it is moved away, with %s',
  async (_, argv, code) => {
    const whole = await made();
    await writeFile(file(), whole.split('\n').slice(1).join('\n'));
    const daemon = await town.serve();
    expect(await status()).toMatchObject(troubled);
    expect((await town.keys('rotate', 'batch', '--now', '--yes')).stderr).toContain('begins with step 2');
    await rename(file(), `${file()}.damaged`);
    const ran = await town.run(...argv);
    expect([ran.code, ran.stderr]).toEqual([code, expect.not.stringContaining('audit-damaged')]);
    expect((await readFile(file(), 'utf8')).startsWith(whole)).toBe(true);
    expect((await town.keys('audit', '--verify')).code).toBe(0);
    expect((await status()).status.needsPerson).toEqual([]);
    await daemon.stop();
  },
);

it('a command reports a damaged audit file once a day without a daemon', async () => {
  const whole = await made();
  const reported = () => subjects().filter((subject) => /journal is invalid/.test(subject)).length;
  await writeFile(file(), whole.split('\n').slice(1).join('\n'));
  for (let times = 0; times < 2; times += 1) await town.run('status');
  expect(reported()).toBe(1);
  town.clock.advance(24 * 3_600_000);
  for (let times = 0; times < 2; times += 1) await town.run('status');
  expect(reported()).toBe(2);
});

/** Every line with its hash recomputed. */
const rehashed = (whole: string, change: (event: string) => string): string => {
  let head = noHead;
  return whole
    .trimEnd()
    .split('\n')
    .map((text) => {
      const line = readLine(text);
      if (typeof line === 'string') throw new Error(line);
      const next = lineAfter(head, change(line.written));
      head = next.head;
      return `${next.text}\n`;
    })
    .join('');
};

const verify = async () => {
  const ran = await town.keys('audit', '--verify', '--json');
  const page = await town.keys('audit', '--verify');
  expect(page.code).toBe(ran.code);
  return { code: ran.code, view: JSON.parse(ran.stdout) as Record<string, unknown>, page: page.stdout };
};

const intact = { code: 0, page: expect.stringContaining('agrees with the database\n') as string };

const changes: readonly (readonly [string, (whole: string) => string, string])[] = [
  ['whose last line was removed', (whole) => whole.replace(/[^\n]*\n$/, ''), 'ends with step'],
  [
    'whose first step was changed and whose hashes were recomputed',
    (whole) => rehashed(whole, (event) => event.replace(/"at":\d/, '"at":9')),
    'differs',
  ],
];

it.each(changes)(
  '`keys audit --verify` exits with 1 for a file %s, with and without a daemon',
  async (_, change, why) => {
    const whole = await made();
    const steps = whole.trimEnd().split('\n').length;
    expect(await verify()).toMatchObject({ ...intact, view: { lines: steps, database: { steps } } });
    const daemon = await town.serve();
    expect(await verify()).toMatchObject(intact);
    await writeFile(file(), change(whole));
    const database = { differs: expect.stringContaining(why) as string };
    expect(await verify()).toMatchObject({ code: 1, view: { database } });
    await daemon.stop();
    const { code, view, page } = await verify();
    const advice = expect.stringContaining(`move ${file()} aside`) as string;
    expect([code, view]).toMatchObject([1, { database, advice }]);
    expect(view['broken']).toBeUndefined();
    expect(page).toContain('in an unbroken chain');
    expect(page).toContain('differs from the database: ');
    await rename(file(), `${file()}.damaged`);
    expect((await town.keys('audit', '--verify')).code).toBe(1);
    expect((await verify()).code).toBe(0);
    expect(await readFile(file(), 'utf8')).toBe(whole);
  },
);

it('`keys audit --verify` misses a file of an account that is no longer configured', async () => {
  await made();
  const settings = join(town.folder.path, 'config', 'tollkeeper.yaml');
  const text = await readFile(settings, 'utf8');
  await rm(join(town.folder.path, 'config', 'jobs'), { recursive: true });
  await writeFile(settings, text.replace(/^accounts:\n(?: .*\n)+/m, ''));
  await rm(file());
  expect((await town.keys('audit', '--verify')).code).toBe(1);
  expect((await town.keys('audit', '--verify')).code).toBe(0);
});
