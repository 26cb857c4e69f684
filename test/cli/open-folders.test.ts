import { chmod, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFolder, type Folder } from '../support/program.ts';

let folder: Folder;
beforeEach(async () => {
  folder = await openFolder();
  await folder.write(
    'config/tollkeeper.yaml',
    'accounts: { main: { base_url: "https://gateway.example.com", admin_key: "${KEY}", currency: USD } }\n',
  );
  await folder.write(
    'config/jobs/jobs.yaml',
    'jobs:\n  pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: 2026-01-01 }\n',
  );
});
afterEach(() => folder[Symbol.asyncDispose]());

const env = { KEY: 'sk-admin-of-the-tests' };

describe('the `check` command', () => {
  it('warns of a configuration that every user can write, and accepts it', async () => {
    expect((await folder.run(['check'], { env })).stdout).not.toContain('warning');
    await chmod(join(folder.path, 'config/jobs'), 0o777);
    const checked = await folder.run(['check'], { env });
    expect(checked.code).toBe(0);
    const jobs = join(folder.path, 'config/jobs');
    expect(checked.stdout).toContain(`${jobs}:1:1: warning: every user`);
    expect(checked.stdout).toContain(`run chmod o-w ${jobs}`);
  });
});

describe('`report --out`', () => {
  const report = () => folder.run(['report', 'spend-summary', '--out', 'out'], { env });

  it('does not write through a symbolic link in the folder, which itself may be one', async () => {
    await mkdir(join(folder.path, 'real'));
    await symlink('real', join(folder.path, 'out'));
    expect((await report()).code).toBe(0);
    await folder.write('other/precious.txt', 'keep me');
    await mkdir(join(folder.path, 'shared'));
    const [file = ''] = (await report()).stdout.match(/\S+\.html/) ?? [];
    await symlink('../other/precious.txt', join(folder.path, 'shared', file.split('/').at(-1) ?? ''));
    const refused = await folder.run(['report', 'spend-summary', '--out', 'shared'], { env });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/is a symbolic link.*\n {2}what to do: .*--out/);
    expect(await readFile(join(folder.path, 'other/precious.txt'), 'utf8')).toBe('keep me');
  });
});
