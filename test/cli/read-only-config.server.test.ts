import { execFile } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openFolder } from '../support/program.ts';

const command = promisify(execFile);

it('the `check` command warns of a folder with mode 0777, unless its mount is read-only, as that of a ConfigMap', async () => {
  await using folder = await openFolder();
  const config = join(folder.path, 'config');
  await mkdir(config);
  await command('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', config]);
  try {
    await chmod(config, 0o777);
    await folder.write('config/tollkeeper.yaml', '# Nothing is declared yet.\n');
    const warning = `${config}:1:1: warning: every user`;
    expect((await folder.run(['check'])).stdout).toContain(warning);
    await command('mount', ['-o', 'remount,ro', config]);
    const checked = await folder.run(['check']);
    expect(checked.code).toBe(0);
    expect(checked.stdout).not.toContain('warning');
  } finally {
    await command('umount', [config]);
  }
});
