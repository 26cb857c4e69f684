import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { day, openKeyFixture, type KeyFixture, type Lived } from '../storm/support/key-fixture.ts';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';

const hour = 3_600_000;

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

/** Two services with two file sinks each, whose keys are due, and an application that calls with all of them all the while. */
const open = async (): Promise<KeyFixture> => {
  const fixture = await openKeyFixture(program, { name: 'calm', variants: {}, faults: [] });
  fixture.elapse(31 * day);
  await fixture.begin();
  return fixture;
};

/** One command to its end, with what it says on one line. */
const does = async (
  fixture: KeyFixture,
  ...argv: readonly string[]
): Promise<Pick<Lived, 'code' | 'output'>> => {
  const { code, output } = await fixture.live(argv);
  return { code, output: output.replaceAll(/\s+/g, ' ') };
};

const succeeds = async (fixture: KeyFixture, ...argv: readonly string[]): Promise<string> => {
  const { code, output } = await does(fixture, ...argv);
  expect([code, output]).toEqual([0, output]);
  return output;
};

/** The log is pulled, and the job goes by it. */
const pullAndRotate = async (fixture: KeyFixture): Promise<string> => {
  await fixture.consumer.round();
  await succeeds(fixture, 'run', 'pull-logs');
  return succeeds(fixture, 'run', 'rotate-apps');
};

/** Long enough for an old key to be retired, with calls by the new one in between. */
const passOverlap = async (fixture: KeyFixture): Promise<void> => {
  fixture.elapse(hour);
  await fixture.consumer.round();
  fixture.elapse(3 * hour);
};

/** No sink holds a dead key, no call of the application has failed, and each service has its one key. */
const expectWhole = async (fixture: KeyFixture): Promise<void> => {
  expect([await fixture.wrongs(), await fixture.unfinished()]).toEqual([[], []]);
};

const keysOf = (fixture: KeyFixture, service: string): readonly string[] =>
  fixture.sandbox.state.keys.all().flatMap(({ name }) => (name.split('.')[0] === service ? [name] : []));

const ofGeneration = (generation: number): unknown =>
  expect.stringMatching(new RegExp(`^app-one\\.g${generation}-`));

const copyFolder = async (fixture: KeyFixture, from: string, to: string): Promise<void> => {
  const [source, target] = [join(fixture.folder.path, from), join(fixture.folder.path, to)];
  await rm(target, { recursive: true, force: true });
  await cp(source, target, { recursive: true });
};

describe('a data folder restored from a backup taken before its rotation ended', () => {
  it('stops key writes until `keys reconcile --apply` adopts the existing keys, and the next rotation works', async () => {
    await using fixture = await open();
    const rotated = await fixture.live(['run', 'rotate-apps'], {
      kind: 'stop',
      which: / > before line (verifying|delivering)$/,
      meanwhile: (boundary) => copyFolder(fixture, 'data', `data-${boundary.split(' ')[0] ?? ''}`),
    });
    expect([rotated.code, rotated.output]).toEqual([0, rotated.output]);
    await passOverlap(fixture);
    await pullAndRotate(fixture);
    await expectWhole(fixture);
    expect(keysOf(fixture, 'app-one')).toEqual([ofGeneration(2)]);

    fixture.sandbox.requests.clear();
    for (const backup of ['data-created', 'data-verified']) {
      await copyFolder(fixture, backup, 'data');
      const mailed = fixture.mail.taken.length;
      expect(await pullAndRotate(fixture)).toContain('outdated journal (app-one, app-two)');
      await expectWhole(fixture);
      const subjects = fixture.mail.taken.slice(mailed).map(({ parsed }) => parsed.subject);
      expect(subjects).toContainEqual(expect.stringMatching(/app-one are suspended: .*out of date$/));
    }
    const stopped = await does(fixture, 'status');
    expect(stopped.code).toBe(1);
    expect(stopped.output).toMatch(/app-one are suspended: .*out of date/);
    expect(stopped.output).toMatch(/app-one\.env holds a key .*never delivered/);

    const shown = await does(fixture, 'keys', 'reconcile');
    expect(shown.code).toBe(1);
    expect(shown.output).toMatch(
      /app-one\.json holds a key .* app-one\.g2-\w+ \(id \d+\) is generation 2 of/,
    );
    expect(await succeeds(fixture, 'keys', 'reconcile', '--apply')).toContain('the journal was updated');
    expect(fixture.sandbox.requests.keyWrites()).toEqual({ POST: 0, PUT: 0, DELETE: 0 });
    await expectWhole(fixture);
    await succeeds(fixture, 'status');

    fixture.elapse(31 * day);
    await fixture.begin();
    await succeeds(fixture, 'run', 'rotate-apps');
    await passOverlap(fixture);
    await pullAndRotate(fixture);
    await expectWhole(fixture);
    expect(keysOf(fixture, 'app-one')).toEqual([ofGeneration(3)]);
  }, 300_000);
});

describe('a key that was created and never delivered', () => {
  it('is listed, and deleted only once a pull has completed the call log', async () => {
    await using fixture = await open();
    const { killed } = await fixture.live(['run', 'rotate-apps'], {
      kind: 'boundary',
      which: / > before line verifying$/,
    });
    expect(killed).toBe(true);
    const [, orphan = ''] = keysOf(fixture, 'app-one');
    expect(orphan).toEqual(ofGeneration(2));

    // The rotation goes on with another key; however much time passes, the log is not known to be complete.
    await succeeds(fixture, 'run', 'rotate-apps');
    await passOverlap(fixture);
    await succeeds(fixture, 'run', 'rotate-apps');
    expect(keysOf(fixture, 'app-one')).toEqual(['app-one', orphan, ofGeneration(3)]);
    const listed = await succeeds(fixture, 'keys', 'list');
    expect(listed).toMatch(/never delivered, retained for now: .* `.*keys expire id:\d+` expires/);
    expect(listed).toContain(orphan);

    await pullAndRotate(fixture);
    await expectWhole(fixture);
    expect(keysOf(fixture, 'app-one')).toEqual([ofGeneration(3)]);
  }, 600_000);
});
