import { execFileSync } from 'node:child_process';
import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemFiles, type SinkFiles } from '../../../src/keys/sinks/sink-files.ts';
import {
  delivery,
  key,
  never,
  older,
  openSinkFixture,
  plaintext,
  thrownBy,
  type SinkFixture,
} from './support.ts';

const sinkAt = (fixture: SinkFixture, path: string, files: Partial<SinkFiles> = {}) =>
  fixture.sink(
    { kind: 'file', path, holds: { kind: 'variable', name: 'KEY' } },
    { files: { ...systemFiles, ...files } },
  );

const expectRefused = async (sink: ReturnType<typeof sinkAt>, message: RegExp): Promise<void> => {
  const refusal = { message: expect.stringMatching(message) as string };
  expect(await sink.problems(never)).toMatchObject([refusal]);
  const fault = { code: 'sink-refused', ...refusal };
  expect(await thrownBy(sink.deliver(key, delivery, never))).toMatchObject(fault);
  expect(await thrownBy(sink.fingerprint(delivery, never))).toMatchObject(fault);
};

const byRoot = { uid: 0, gid: 0 };

/** The system as if all belonged to root, whoever runs the tests, with other attributes of what lies at some paths. */
const seenAs = (changes: Readonly<Record<string, Partial<Stats>>>): Pick<SinkFiles, 'lstat' | 'open'> => ({
  lstat: async (path) => Object.assign(await lstat(path), byRoot, changes[path]),
  open: async (path, ...rest) => {
    const handle = await systemFiles.open(path, ...rest);
    const stats = Object.assign(await handle.stat(), byRoot, changes[path]);
    return Object.assign(handle, { stat: () => Promise.resolve(stats), chown: () => Promise.resolve() });
  },
});

/** A file in a folder; they go with the test. */
const opened = async () => {
  const fixture = await openSinkFixture();
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  const folder = join(fixture.folder, 'keys');
  const path = join(folder, 'a.env');
  await mkdir(folder, { mode: 0o700 });
  await writeFile(path, `KEY=${older}\n`, { mode: 0o600 });
  return { fixture, folder, path };
};

describe('a file that receives a key', () => {
  it('must not be a FIFO or a device, which are not waited for', async () => {
    const { fixture, folder } = await opened();
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    await expectRefused(sinkAt(fixture, join(folder, 'fifo')), /fifo is not a regular file/);
    await expectRefused(sinkAt(fixture, '/dev/null'), /\/dev\/null is not a regular file/);
  });

  it('is judged by its open descriptor, so a link that is put there at the last moment is refused', async () => {
    const { fixture, folder, path } = await opened();
    const other = join(fixture.folder, 'other');
    await writeFile(other, `KEY=${older}\n`);
    const swapped: SinkFiles['open'] = async (...args) => {
      if (args[0] === path) {
        await rename(path, join(folder, 'before')).catch(() => undefined);
        await symlink(other, path).catch(() => undefined);
      }
      return systemFiles.open(...args);
    };
    await expectRefused(sinkAt(fixture, path, { open: swapped }), /a\.env is a symbolic link/);
    expect(await readFile(other, 'utf8')).toBe(`KEY=${older}\n`);
  });
});

describe('a folder above a file that receives a key', () => {
  it.each([
    ['a user', 1000],
    ['root', 0],
  ] as const)('must belong to root or to the user itself for %s', async (_name, uid) => {
    const { fixture, folder, path } = await opened();
    const ours = { uid, gid: uid };
    const groups = () => [uid];
    const files = (changes: Parameters<typeof seenAs>[0]) => ({
      ...seenAs({ [path]: ours, [folder]: ours, ...changes }),
      uid: () => uid,
      groups,
    });
    for (const above of [folder, fixture.folder])
      await expectRefused(
        sinkAt(fixture, path, files({ [above]: { uid: 4711 } })),
        new RegExp(`the folder ${above} belongs to user 4711`),
      );
    expect(await readFile(path, 'utf8')).toBe(`KEY=${older}\n`);
    expect(await sinkAt(fixture, path, files({})).problems(never)).toEqual([]);
    await sinkAt(fixture, path, files({ [fixture.folder]: ours })).deliver(key, delivery, never);
    expect(await readFile(path, 'utf8')).toBe(`KEY=${plaintext}\n`);
  });

  it('can belong to the owner of the file for root, unless all users can create files in it', async () => {
    const { fixture, folder, path } = await opened();
    const theirs = { uid: 4711, gid: 4711 };
    const asRoot = { uid: () => 0, groups: () => [0] };
    const files = { ...seenAs({ [path]: theirs, [folder]: theirs }), ...asRoot };
    expect(await sinkAt(fixture, path, files).problems(never)).toEqual([]);
    await chmod(folder, 0o770);
    await sinkAt(fixture, path, files).deliver(key, delivery, never);
    await expectRefused(
      sinkAt(fixture, path, { ...seenAs({ [folder]: theirs }), ...asRoot }),
      /the folder .*keys belongs to user 4711/,
    );
    const created = sinkAt(fixture, join(folder, 'new.env'), files);
    await expectRefused(created, /the folder .*keys belongs to user 4711/);
    await chmod(folder, 0o1777);
    await expectRefused(
      sinkAt(fixture, path, { ...seenAs({ [path]: theirs }), ...asRoot }),
      /belongs to user 4711, in a folder where all users can create files/,
    );
    expect(await readdir(folder)).toEqual(['a.env']);
  });

  it('must not be writable by all users, or by a group of others, unless it is sticky', async () => {
    const { fixture, folder, path } = await opened();
    for (const above of [folder, fixture.folder]) {
      await chmod(above, 0o707);
      await expectRefused(sinkAt(fixture, path), new RegExp(`all users can write to the folder ${above} `));
      await chmod(above, 0o770);
      const foreign = { ...seenAs({ [above]: { gid: 4711 } }), uid: () => 0 };
      await expectRefused(
        sinkAt(fixture, path, { ...foreign, groups: () => [0] }),
        new RegExp(`group 4711 can write to the folder ${above} `),
      );
      expect(await sinkAt(fixture, path, { ...foreign, groups: () => [4711] }).problems(never)).toEqual([]);
      await chmod(above, 0o1777);
      expect(await sinkAt(fixture, path).problems(never)).toEqual([]);
      await chmod(above, 0o700);
    }
  });

  it('can be behind symbolic links of our own or of root, but not of other users', async () => {
    const { fixture, path } = await opened();
    const at = (name: string) => join(fixture.folder, name);
    await symlink('../keys', join(at('keys'), 'up'));
    await symlink(join(at('keys'), 'up'), at('linked'));
    const linked = join(at('linked'), 'a.env');
    await expectRefused(
      sinkAt(fixture, linked, seenAs({ [at('linked')]: { uid: 4711 } })),
      /the symbolic link .*linked belongs to user 4711/,
    );
    await sinkAt(fixture, linked).deliver(key, delivery, never);
    expect(await readFile(path, 'utf8')).toBe(`KEY=${plaintext}\n`);
    await symlink('loop', at('loop'));
    await expectRefused(sinkAt(fixture, join(at('loop'), 'a.env')), /too many symbolic links/);
  });
});
