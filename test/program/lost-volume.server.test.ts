import { execFile } from 'node:child_process';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { openFixture, pullLogs, yearly } from './support/fixture.ts';

const command = promisify(execFile);

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

/** Mounting a real file system takes root, which CI has. */
it('a daemon whose volume is unmounted says so once, creates nothing in its place, and ends when a database is back', async () => {
  await using fixture = await openFixture(program);
  const disk = `${fixture.folder.path}/data`;
  await mkdir(disk);
  await command('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', disk]);
  await using mounted = {
    [Symbol.asyncDispose]: async () => void (await command('umount', [disk]).catch(() => undefined)),
  };
  expect(mounted).toBeDefined();
  await fixture.jobs(pullLogs(`schedule: "${yearly()}"`));
  const daemon = await fixture.serve();
  await command('umount', ['--lazy', disk]);
  expect(await daemon.line('was removed or its volume was unmounted')).toContain('"level":"error"');
  await daemon.line('"stopping"');
  expect(await readdir(disk)).toEqual([]);

  // A database comes back in the place of the one that is gone.
  await rename(disk, `${disk}-empty`);
  await fixture.command('status');
  expect((await daemon.ended).code).toBe(1);
  expect(daemon.stdout().filter((line) => line.includes('"level":"error"'))).toHaveLength(1);
  expect(daemon.stderr() + daemon.stdout().join('\n')).toContain('volume-lost');
  const again = await fixture.serve();
  again.kill('SIGTERM');
  expect((await again.ended).code).toBe(0);
}, 120_000);
