import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compiledModules } from '../../support/compiled-modules.ts';
import { delivery, key, never, older, openSinkFixture, plaintext } from './support.ts';

/** Delivers a key and stands still at one step, which it says: there it is killed. */
const child = `
  const [out, path, step, key] = process.argv.slice(1);
  const { createNamedGates, createSecretRegistry } = await import(out + '/core/index.js');
  const { createFileSink } = await import(out + '/keys/sinks/file/file-sink.js');
  const { systemFiles } = await import(out + '/keys/sinks/sink-files.js');
  const { constants } = await import('node:fs');
  const at = (name) => new Promise((go) => name === step ? setInterval(() => process.stdout.write('there'), 50) : go());
  const files = {
    ...systemFiles,
    open: async (...args) => {
      if ((args[1] & constants.O_CREAT) === 0) return systemFiles.open(...args);
      await at('before the new file');
      const handle = await systemFiles.open(...args);
      await at('in the empty file');
      const write = handle.writeFile.bind(handle);
      const sync = handle.sync.bind(handle);
      handle.writeFile = async (content) => {
        if (step !== 'in the middle of the bytes') return write(content);
        await write(content.subarray(0, content.length / 2));
        await at('in the middle of the bytes');
      };
      handle.sync = async () => { await at('before they are on the disk'); await sync(); };
      return handle;
    },
    rename: async (...args) => {
      await at('before the change of names');
      await systemFiles.rename(...args);
      await at('behind the change of names');
    },
    sync: async (folder) => { await systemFiles.sync(folder); await at('behind all of it'); },
  };
  const deps = { cwd: '/', env: {}, files, gates: createNamedGates(), secrets: createSecretRegistry() };
  const sink = createFileSink({ kind: 'file', path, holds: { kind: 'variable', name: 'KEY' } }, path, deps);
  await sink.deliver({ reveal: () => key }, {}, new AbortController().signal);`;

const steps = [
  ['before the new file', older, false],
  ['in the empty file', older, true],
  ['in the middle of the bytes', older, true],
  ['before they are on the disk', older, true],
  ['before the change of names', older, true],
  ['behind the change of names', plaintext, false],
  ['behind all of it', plaintext, false],
] as const;

it('a process killed at any step of a delivery leaves the complete old or new file, and the next one cleans up', async () => {
  await using fixture = await openSinkFixture();
  const out = await compiledModules();
  const filler = 'A="some other\nvalue"\r\n'.repeat(500);
  const whole = (key: string) => `${filler}KEY=${key} # rotated\n${filler}`;
  const killAt = async (step: string): Promise<string> => {
    const name = `${step.replaceAll(' ', '-')}.env`;
    const path = join(fixture.folder, name);
    await writeFile(path, whole(older));
    const killed = spawn(process.execPath, ['--input-type=module', '-e', child, out, path, step, plaintext], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(killed, 'exit');
    await Promise.race([once(killed.stdout, 'data'), exit]);
    killed.kill('SIGKILL');
    expect(await exit).toEqual([null, 'SIGKILL']);
    return path;
  };
  const paths = await Promise.all(steps.map(([step]) => killAt(step)));
  const beside = (await readdir(fixture.folder)).filter((name) => name.endsWith('.tollkeeper'));
  for (const [index, [step, holds, leftover]] of steps.entries()) {
    const path = paths[index] ?? '';
    expect([step, await readFile(path, 'utf8')]).toEqual([step, whole(holds)]);
    expect([step, beside.includes(`.${step.replaceAll(' ', '-')}.env.tollkeeper`)]).toEqual([step, leftover]);
    const sink = fixture.sink({ kind: 'file', path, holds: { kind: 'variable', name: 'KEY' } });
    await sink.deliver(key, delivery, never);
    expect(await readFile(path, 'utf8')).toBe(whole(plaintext));
  }
  expect((await readdir(fixture.folder)).filter((name) => name.includes('tollkeeper'))).toEqual([]);
});
