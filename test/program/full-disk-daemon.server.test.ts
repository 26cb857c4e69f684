import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { openFixture, pullLogs } from './support/fixture.ts';

const command = promisify(execFile);

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

/** Mounting a real file system takes root, which CI has. */
it('a daemon on a full disk says so in `status` until there is space, and then goes on', async () => {
  await using fixture = await openFixture(program);
  const disk = `${fixture.folder.path}/data`;
  await mkdir(disk);
  await command('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', disk]);
  await using mounted = {
    [Symbol.asyncDispose]: async () => void (await command('umount', ['--lazy', disk])),
  };
  expect(mounted).toBeDefined();
  await fixture.jobs(pullLogs('schedule: "* * * * * *"'));
  const daemon = await fixture.serve();
  await daemon.line('landed a call log window');
  await writeFile(`${disk}/fill`, Buffer.alloc(80_000_000)).catch(() => undefined);
  await daemon.line('cannot update the run ledger');
  const full = await fixture.command('status');
  expect([full.code, full.stdout]).toEqual([1, expect.stringContaining('nothing can be stored since')]);
  expect(full.stdout.replaceAll(/\s+/g, ' ')).toMatch(/No space left on device .*what to do: free space/);

  await rm(`${disk}/fill`);
  expect((await fixture.command('run', 'pull-logs')).code).toBe(0);
  expect((await fixture.command('status')).stdout).not.toContain('nothing can be stored');
  daemon.kill('SIGTERM');
  expect((await daemon.ended).code).toBe(0);
}, 120_000);
