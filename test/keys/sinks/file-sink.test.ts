import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { constants, type Stats } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mountPointsIn } from '../../../src/keys/sinks/file-target.ts';
import { systemFiles, type SinkFiles } from '../../../src/keys/sinks/sink-files.ts';
import type { FileHolds, FileSpec } from '../../../src/keys/sinks/file/settings.ts';
import {
  delivery,
  key,
  never,
  older,
  openSinkFixture,
  plaintext,
  secretOf,
  sha,
  thrownBy,
} from './support.ts';

const fileSpec = (path: string, holds: FileHolds = { kind: 'variable', name: 'KEY' }): FileSpec => ({
  kind: 'file',
  path,
  holds,
});

const systemError = (code: string): Error => Object.assign(new Error(`${code}: planted`), { code });

const isCreated = (flags: number): boolean => (flags & constants.O_CREAT) !== 0;

/** Opens existing files with other attributes. */
const openedAs =
  (change: Partial<Stats>): SinkFiles['open'] =>
  async (...args) => {
    const handle = await systemFiles.open(...args);
    if (isCreated(args[1])) return handle;
    const stats = await handle.stat();
    return Object.assign(handle, { stat: () => Promise.resolve(Object.assign(stats, change)) });
  };

/** Folders as if they belonged to root, whoever runs the tests. */
const foldersOfRoot: SinkFiles['lstat'] = async (path) =>
  Object.assign(await lstat(path), { uid: 0, gid: 0 });

describe('a key in a file', () => {
  it('is written and read back from the disk with mode 0600, and no other file is left', async () => {
    await using fixture = await openSinkFixture();
    const path = join(fixture.folder, 'billing.env');
    const sink = fixture.sink(fileSpec('{service}.env'));
    expect([sink.place, sink.describe()]).toEqual([`file:${path}#KEY`, `variable KEY of ${path}`]);
    expect(await sink.fingerprint(delivery, never)).toEqual({ state: 'empty' });
    await writeFile(path, `# keep\nKEY="${older}" # c\r\nOTHER=1`, { mode: 0o644 });
    expect(await sink.problems(never)).toEqual([]);
    expect(await sink.deliver(key, delivery, never)).toEqual({ fingerprint: sha(plaintext) });
    expect(await sink.fingerprint(delivery, never)).toEqual({ state: 'holds', fingerprint: sha(plaintext) });
    expect(await readFile(path, 'utf8')).toBe(`# keep\nKEY="${plaintext}" # c\r\nOTHER=1`);
    const before = await stat(path);
    expect(before.mode & 0o777).toBe(0o600);
    await sink.deliver(key, delivery, never);
    expect((await stat(path)).ino).toBe(before.ino);
    expect(await readdir(fixture.folder)).toEqual(['billing.env']);
  });

  it('is examined without a file left beside it, also after a process that was killed while it examined', async () => {
    await using fixture = await openSinkFixture();
    const sink = fixture.sink(fileSpec('{service}.env'));
    await sink.deliver(key, delivery, never);
    const killed = fixture.sink(fileSpec('{service}.env'), {
      files: { ...systemFiles, unlink: () => Promise.reject(systemError('EIO')) },
    });
    expect(await killed.problems(never)).toMatchObject([{ message: expect.stringContaining('EIO') }]);
    await writeFile(join(fixture.folder, '.billing.env.tollkeeper-probe'), '');
    expect(await sink.problems(never)).toEqual([]);
    expect(await readdir(fixture.folder)).toEqual(['billing.env']);
  });

  it('is kept byte for byte in JSON with comments, and created if it does not exist', async () => {
    await using fixture = await openSinkFixture();
    const path = join(fixture.folder, 'app.json');
    const sink = fixture.sink(fileSpec(path, { kind: 'pointer', pointer: '/gateway/{service}/api~1key' }));
    const text = (value: string) =>
      `// é\n{\n\t"n": 1.50, // 12345678901234567890\n\t"gateway": { "billing": { "api/key": ${value}, } },\n}\r\n`;
    await writeFile(path, text(`"${older}"`));
    await sink.deliver(key, delivery, never);
    expect(await readFile(path, 'utf8')).toBe(text(`"${plaintext}"`));
    await writeFile(path, '{\n  "a": 1\n}\n');
    await sink.deliver(key, delivery, never);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      a: 1,
      gateway: { billing: { 'api/key': plaintext } },
    });
    await writeFile(path, '');
    expect(await sink.deliver(key, delivery, never)).toEqual({ fingerprint: sha(plaintext) });
  });

  it.each<[string, string, FileHolds?]>([
    ['{"gateway": {"billing": {"api": 1}, "billing": {}}}', 'twice'],
    ['{"gateway": []}', 'no item'],
    ['{"gateway": "text"}', 'object nor a list'],
    ['{"gateway": {"billing": {"k": {"deep": 1}}}}', 'an object is where'],
    ['{"gateway": ', 'not valid JSON'],
    [`# c\nKEY=${older}; export KEY\n`, 'KEY on line 2 of', { kind: 'variable', name: 'KEY' }],
  ])(
    'is not written into %s',
    async (text, message, holds = { kind: 'pointer', pointer: '/gateway/billing/k' }) => {
      await using fixture = await openSinkFixture();
      const path = join(fixture.folder, 'app');
      const sink = fixture.sink(fileSpec(path, holds));
      await writeFile(path, text, { mode: 0o600 });
      const error = await thrownBy(sink.deliver(key, delivery, never));
      expect(error).toMatchObject({ code: 'sink-refused', message: expect.stringContaining(message) });
      expect(await sink.problems(never)).toMatchObject([{ message: expect.stringContaining(message) }]);
      expect(JSON.stringify(error) + String(error)).not.toContain(older);
      expect(await readFile(path, 'utf8')).toBe(text);
      expect(await readdir(fixture.folder)).toEqual(['app']);
    },
  );

  it('is rejected behind a symbolic link, a hard link and in a folder', async () => {
    await using fixture = await openSinkFixture();
    const at = (name: string) => join(fixture.folder, name);
    await mkdir(at('real'));
    await writeFile(at('real/a.env'), `KEY=${older}\n`);
    await symlink('real/a.env', at('a.env'));
    await symlink('nowhere', at('b.env'));
    await link(at('real/a.env'), at('c.env'));
    await writeFile(at('c.env'), `KEY=${older}\n`);
    for (const [name, message] of [
      ['a.env', 'is a symbolic link'],
      ['b.env', 'is a symbolic link'],
      ['c.env', '2 hard links'],
      ['real', 'not a regular file'],
    ] as const) {
      const sink = fixture.sink(fileSpec(name));
      const refusal = { message: expect.stringContaining(message) };
      expect(await thrownBy(sink.deliver(key, delivery, never))).toMatchObject({
        code: 'sink-refused',
        ...refusal,
      });
      expect(await sink.problems(never)).toMatchObject([refusal]);
    }
    expect((await lstat(at('a.env'))).isSymbolicLink()).toBe(true);
    expect(await readFile(at('real/a.env'), 'utf8')).toBe(`KEY=${older}\n`);
    expect(await readdir(fixture.folder)).toEqual(['a.env', 'b.env', 'c.env', 'real']);
  });

  it('is rejected where it can never be: no folder, another owner, a mount', async () => {
    await using fixture = await openSinkFixture();
    const path = join(fixture.folder, 'a.env');
    await writeFile(path, `KEY=${older}\n`);
    const own = await stat(path);
    const withFiles = (files: Partial<SinkFiles>) =>
      fixture.sink(fileSpec(path), { files: { ...systemFiles, lstat: foldersOfRoot, ...files } });
    const refusedBy = async (sink: ReturnType<typeof withFiles>, message: string) => {
      const refusal = { message: expect.stringContaining(message) };
      expect(await sink.problems(never)).toMatchObject([refusal]);
      expect(await thrownBy(sink.deliver(key, delivery, never))).toMatchObject({
        code: 'sink-refused',
        ...refusal,
      });
      expect(await readFile(path, 'utf8')).toBe(`KEY=${older}\n`);
    };
    await refusedBy(withFiles({ uid: () => own.uid + 1 }), 'cannot change the owner');
    const ours = { uid: () => 12_345, open: openedAs({ uid: 12_345, gid: 678 }) };
    await refusedBy(withFiles({ ...ours, groups: () => [1] }), 'belongs to group 678');
    const mountinfo = `36 35 98:0 /a ${fixture.folder.replaceAll(' ', '\\040')}/a.env rw,noatime shared:1 - ext4 /dev/sda rw\n`;
    const readFileOr = (name: string) =>
      name === '/proc/self/mountinfo' ? Promise.resolve(Buffer.from(mountinfo)) : readFile(name);
    await refusedBy(withFiles({ readFile: readFileOr }), 'mounted as a single file');
    await refusedBy(withFiles({ open: openedAs({ dev: 12_345 }) }), 'mounted as a single file');

    const nowhere = fixture.sink(fileSpec('no/folder.env'));
    expect(await nowhere.problems(never)).toMatchObject([
      { message: expect.stringContaining('does not exist') },
    ]);
    expect(await thrownBy(nowhere.deliver(key, delivery, never))).toMatchObject({ code: 'sink-failed' });
  });

  it.each([
    ['ENOSPC', 'sink-failed', 'free space'],
    ['EROFS', 'sink-refused', 'mount the volume writable; `tollkeeper doctor` names its folder'],
    ['EBUSY', 'sink-refused', 'mount the folder'],
  ])('%s leaves the old contents and no other file', async (code, fault, advice) => {
    await using fixture = await openSinkFixture();
    const path = join(fixture.folder, 'a.env');
    await writeFile(path, `KEY=${older}\n`);
    const full: SinkFiles['open'] = async (...args) => {
      const handle = await systemFiles.open(...args);
      return Object.assign(handle, { writeFile: () => Promise.reject(systemError(code)) });
    };
    const stuck: SinkFiles['rename'] = () => Promise.reject(systemError(code));
    for (const files of [{ open: full }, { rename: stuck }]) {
      const sink = fixture.sink(fileSpec(path), { files: { ...systemFiles, ...files } });
      const error = await thrownBy(sink.deliver(key, delivery, never));
      expect(error).toMatchObject({ code: fault, advice: expect.stringContaining(advice) });
      expect(await readFile(path, 'utf8')).toBe(`KEY=${older}\n`);
      expect(await readdir(fixture.folder)).toEqual(['a.env']);
    }
  });

  it('keeps concurrent changes of others, and of other sinks of the same file', async () => {
    await using fixture = await openSinkFixture();
    const path = join(fixture.folder, 'a.env');
    await writeFile(path, 'A=1\n');
    let times = 0;
    const readThenChange: SinkFiles['open'] = async (...args) => {
      const handle = await systemFiles.open(...args);
      const content = await readFile(args[0]);
      if (args[0] === path && (times += 1) === 1) await writeFile(path, 'A=2\n');
      return Object.assign(handle, { readFile: () => Promise.resolve(content) });
    };
    await fixture
      .sink(fileSpec(path), { files: { ...systemFiles, open: readThenChange } })
      .deliver(key, delivery, never);
    expect(await readFile(path, 'utf8')).toBe(`A=2\nKEY=${plaintext}\n`);
    const names = Array.from({ length: 12 }, (_, index) => `K${index}`);
    await Promise.all(
      names.map((name) =>
        fixture.sink(fileSpec(path, { kind: 'variable', name })).deliver(key, delivery, never),
      ),
    );
    const lines = (await readFile(path, 'utf8')).trim().split('\n').sort();
    expect(lines).toEqual(['A=2', `KEY=${plaintext}`, ...names.map((name) => `${name}=${plaintext}`)].sort());
  });

  it('keeps its owner and group before its bytes are written, and is rejected if they cannot be set', async () => {
    await using fixture = await openSinkFixture();
    const path = join(fixture.folder, 'a.env');
    await writeFile(path, `KEY=${older}\n`);
    const reported: unknown[] = [];
    const files = (chown: () => Promise<void>): SinkFiles => ({
      ...systemFiles,
      lstat: foldersOfRoot,
      uid: () => 0,
      open: async (...args) => {
        if (!isCreated(args[1])) return openedAs({ uid: 12_345, gid: 678 })(...args);
        const handle = await systemFiles.open(...args);
        const write = handle.writeFile.bind(handle);
        return Object.assign(handle, {
          chown: (uid: number, gid: number) => {
            reported.push([uid, gid]);
            return chown();
          },
          writeFile: (content: Buffer) => {
            reported.push('bytes');
            return write(content);
          },
        });
      },
    });
    const given = fixture.sink(fileSpec(path), { files: files(() => Promise.resolve()) });
    await given.deliver(key, delivery, never);
    expect(reported).toEqual([[12_345, 678], 'bytes']);
    const denied = fixture.sink(fileSpec(path), { files: files(() => Promise.reject(systemError('EPERM'))) });
    expect(await thrownBy(denied.deliver(secretOf(older), delivery, never))).toMatchObject({
      code: 'sink-refused',
      message: expect.stringContaining('user 12345, group 678'),
    });
    expect(await readFile(path, 'utf8')).toBe(`KEY=${plaintext}\n`);
    expect(await readdir(fixture.folder)).toEqual(['a.env']);
  });

  it('keeps the rights of a group if configured, and reports when it would remove them', async () => {
    await using fixture = await openSinkFixture();
    const path = join(fixture.folder, 'a.env');
    await writeFile(path, `KEY=${older}\n`);
    await chmod(path, 0o640);
    expect(await fixture.sink(fileSpec(path)).problems(never)).toMatchObject([
      { advice: expect.stringContaining('0640') },
    ]);
    const sink = fixture.sink({ ...fileSpec(path), mode: 0o640 });
    expect(await sink.problems(never)).toEqual([]);
    await sink.deliver(key, delivery, never);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  it('reads mount points as the kernel writes them', () => {
    const list = '1 2 0:1 / /data rw - ext4 a b\n3 4 0:1 / /my\\040secrets/a.env rw - ext4 a b\n';
    expect([...mountPointsIn(list)]).toEqual(expect.arrayContaining(['/data', '/my secrets/a.env']));
  });
});
