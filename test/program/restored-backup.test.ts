import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { day, openKeyHouse } from '../storm/support/key-house.ts';
import type { KeyHouse, Lived } from '../storm/support/key-house.ts';
import { buildProgram } from './support/built-program.ts';
import type { BuiltProgram } from './support/built-program.ts';

const hour = 3_600_000;

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

/** Two services with two file sinks each, whose keys are due, and an application that calls with all of them all the while. */
const open = async (): Promise<KeyHouse> => {
  const house = await openKeyHouse(program, { name: 'calm', variants: {}, faults: [] });
  house.pass(31 * day);
  await house.begin();
  return house;
};

/** One command to its end, with what it says on one line. */
const does = async (house: KeyHouse, ...argv: readonly string[]): Promise<Pick<Lived, 'code' | 'said'>> => {
  const { code, said } = await house.live(argv);
  return { code, said: said.replaceAll(/\s+/g, ' ') };
};

const succeeds = async (house: KeyHouse, ...argv: readonly string[]): Promise<string> => {
  const { code, said } = await does(house, ...argv);
  expect([code, said]).toEqual([0, said]);
  return said;
};

/** The log is pulled, and the job goes by it. */
const pullAndRotate = async (house: KeyHouse): Promise<string> => {
  await house.consumer.round();
  await succeeds(house, 'run', 'pull-logs');
  return succeeds(house, 'run', 'rotate-apps');
};

/** Long enough for an old key to be retired, with calls by the new one in between. */
const passOverlap = async (house: KeyHouse): Promise<void> => {
  house.pass(hour);
  await house.consumer.round();
  house.pass(3 * hour);
};

/** No sink holds a dead key, no call of the application has failed, and each service has its one key. */
const expectWhole = async (house: KeyHouse): Promise<void> => {
  expect([await house.wrongs(), await house.unfinished()]).toEqual([[], []]);
};

const keysOf = (house: KeyHouse, service: string): readonly string[] =>
  house.sandbox.state.keys.all().flatMap(({ name }) => (name.split('.')[0] === service ? [name] : []));

const ofGeneration = (generation: number): unknown =>
  expect.stringMatching(new RegExp(`^app-one\\.g${generation}-`));

const copyFolder = async (house: KeyHouse, from: string, to: string): Promise<void> => {
  const [source, target] = [join(house.folder.path, from), join(house.folder.path, to)];
  await rm(target, { recursive: true, force: true });
  await cp(source, target, { recursive: true });
};

describe('a data folder that is put back from a backup of before its rotation ended', () => {
  it('stops key writes until `keys reconcile --apply` takes over what is there; the next rotation works', async () => {
    await using house = await open();
    const rotated = await house.live(['run', 'rotate-apps'], {
      kind: 'stop',
      which: /^before line (verifying|delivering)$/,
      meanwhile: (boundary) => copyFolder(house, 'data', `data-${boundary.split(' ')[0] ?? ''}`),
    });
    expect([rotated.code, rotated.said]).toEqual([0, rotated.said]);
    await passOverlap(house);
    await pullAndRotate(house);
    await expectWhole(house);
    expect(keysOf(house, 'app-one')).toEqual([ofGeneration(2)]);

    house.sandbox.requests.clear();
    for (const backup of ['data-created', 'data-verified']) {
      await copyFolder(house, backup, 'data');
      const mailed = house.mail.taken.length;
      expect(await pullAndRotate(house)).toContain('whose journal is out of date (app-one, app-two)');
      await expectWhole(house);
      const subjects = house.mail.taken.slice(mailed).map(({ parsed }) => parsed.subject);
      expect(subjects).toContain('Tollkeeper: no key of app-one is written: its journal is out of date');
    }
    const stopped = await does(house, 'status');
    expect(stopped.code).toBe(1);
    expect(stopped.said).toContain('no key of app-one is written: the journal of keys is out of date');
    expect(stopped.said).toMatch(/app-one\.env holds a key that the journal never delivered there/);

    const shown = await does(house, 'keys', 'reconcile');
    expect(shown.code).toBe(1);
    expect(shown.said).toMatch(/app-one\.json holds a key .* app-one\.g2-\w+ \(id \d+\) is generation 2 of/);
    expect(await succeeds(house, 'keys', 'reconcile', '--apply')).toContain('the journal was changed');
    expect(house.sandbox.requests.keyWrites()).toEqual({ POST: 0, PUT: 0, DELETE: 0 });
    await expectWhole(house);
    await succeeds(house, 'status');

    house.pass(31 * day);
    await house.begin();
    await succeeds(house, 'run', 'rotate-apps');
    await passOverlap(house);
    await pullAndRotate(house);
    await expectWhole(house);
    expect(keysOf(house, 'app-one')).toEqual([ofGeneration(3)]);
  }, 300_000);
});

describe('a key that was made and never delivered', () => {
  it('is listed, and deleted only once a pull has completed the call log', async () => {
    await using house = await open();
    const { killed } = await house.live(['run', 'rotate-apps'], {
      kind: 'boundary',
      which: /^before line verifying$/,
    });
    expect(killed).toBe(true);
    const [, orphan = ''] = keysOf(house, 'app-one');
    expect(orphan).toEqual(ofGeneration(2));

    // The rotation goes on with another key; however much time passes, the log is not known to be complete.
    await succeeds(house, 'run', 'rotate-apps');
    await passOverlap(house);
    await succeeds(house, 'run', 'rotate-apps');
    expect(keysOf(house, 'app-one')).toEqual(['app-one', orphan, ofGeneration(3)]);
    const listed = await succeeds(house, 'keys', 'list');
    expect(listed).toMatch(/made and never delivered, kept for now: .* `tollkeeper keys expire id:\d+` ends/);
    expect(listed).toContain(orphan);

    await pullAndRotate(house);
    await expectWhole(house);
    expect(keysOf(house, 'app-one')).toEqual([ofGeneration(3)]);
  }, 180_000);
});
