import { execFile } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { buildProgram } from '../program/support/built-program.ts';
import { openFolder } from '../support/program.ts';

test('the completion script completes the name of a job in zsh', async () => {
  await using program = await buildProgram();
  await using folder = await openFolder();
  await folder.write('config/jobs/a.yaml', 'jobs:\n  daily-spend: {}\n');
  await mkdir(join(folder.path, 'bin'));
  const command = await folder.write(
    'bin/tollkeeper',
    `#!/bin/sh\nexec ${process.execPath} ${join(program.folder, 'dist/main.js')} "$@"\n`,
  );
  await chmod(command, 0o755);
  // The completion system runs only on a terminal: what it would add is printed instead.
  const script = `compdef() { :; }
compadd() { shift; print -l "\${(@P)1}"; }
source <(tollkeeper completion zsh)
words=(tollkeeper run dai); CURRENT=3; _tollkeeper`;
  const { stdout } = await promisify(execFile)('zsh', ['-f', '-c', script], {
    cwd: folder.path,
    env: { PATH: `${join(folder.path, 'bin')}:${process.env['PATH'] ?? ''}` },
  });
  expect(stdout).toBe('daily-spend\n');
});
