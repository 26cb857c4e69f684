import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const plant = (name: string, script: string): Promise<void> =>
  writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

interface Image {
  readonly running?: boolean;
  readonly health?: string;
  readonly users?: readonly number[];
  readonly exitStatus?: number;
  /** Bytes. */
  readonly size?: number;
  readonly isRootWritable?: boolean;
  readonly hasSecretVariables?: boolean;
  readonly memory?: string;
  readonly jobs?: string;
}

/** A Docker whose one container is in the given state. */
const plantDocker = async (image: Image = {}): Promise<void> => {
  const { running = true, health = 'healthy', users = [1000], exitStatus = 0, size = 271_000_000 } = image;
  const { isRootWritable = false, hasSecretVariables = false, jobs = '"added"' } = image;
  const { memory = 'memory: 1073MB of the container' } = image;
  await plant('sleep', 'exit 0');
  await plant(
    'docker',
    `case "$*" in
      *State.Running*) echo ${running} ;;
      *State.Health*) echo ${health} ;;
      *State.ExitCode*) echo ${exitStatus} ;;
      *.Size*) echo ${size} ;;
      *"stat -c"*) printf '%s\\n' ${users.join(' ')} ;;
      *"touch /data"*) ;;
      exec*touch*) exit ${isRootWritable ? 0 : 1} ;;
      exec*printenv*) exit ${hasSecretVariables ? 0 : 1} ;;
      exec*check*) echo '${memory}' ;;
      exec*status*) echo '${jobs}' ;;
      exec*) ;;
      logs*) echo the log of the container ;;
      *) echo container ;;
    esac`,
  );
};

const runScript = (...args: string[]): Promise<{ status: number | string; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, TMPDIR: folder };
    execFile(join(root, 'scripts/image.sh'), args, { env }, (error, stdout, stderr) => {
      resolve({ status: error?.code ?? 0, stdout, stderr });
    });
  });

describe('the smoke check', () => {
  it('passes an image that fulfils each check', async () => {
    await plantDocker();
    const { status, stderr } = await runScript('smoke');
    expect(stderr).not.toContain(': NO');
    expect(stderr.match(/: yes$/gm)).toHaveLength(8);
    expect(status).toBe(0);
  });

  it.each<[string, Image, string]>([
    ['ends before it is healthy', { running: false, health: 'starting' }, 'becomes healthy'],
    ['never becomes healthy', { health: 'unhealthy' }, 'becomes healthy'],
    ['has a process of root', { users: [0, 1000] }, 'processes run as the user 1000'],
    ['can write its root file system', { isRootWritable: true }, 'only /data is writable'],
    ['has secrets in variables', { hasSecretVariables: true }, 'secrets are files, not variables'],
    [
      'does not see the limit of its container',
      { memory: 'memory: 24000MB of the machine' },
      'the memory of its container',
    ],
    ['does not read a changed configuration', { jobs: '' }, 'a change of the configuration'],
    ['is killed at its end', { exitStatus: 137 }, '0 when it is stopped'],
    ['is larger than 300 MB', { size: 301_000_000 }, 'is at most 300 MB'],
  ])('fails an image that %s, and prints its log', async (_, image, check) => {
    await plantDocker(image);
    const { status, stderr } = await runScript('smoke');
    expect(stderr).toContain(`${check}: NO\n`);
    expect(stderr).toContain('the log of the container');
    expect(status).toBe(1);
  });
});

describe('the script of the image', () => {
  it('needs no Debian package where Docker runs containers of the base image', async () => {
    await plantDocker();
    expect(await runScript('packages')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('names the Debian packages it needs, and is skipped with its reason for a user other than root, where no engine runs containers', async () => {
    await Promise.all([plant('docker', 'exit 1'), plant('podman', 'exit 125'), plant('id', 'echo 1000')]);
    expect(await runScript('packages')).toMatchObject({ status: 0, stdout: 'podman crun mmdebstrap\n' });
    const { status, stderr } = await runScript('smoke');
    expect(stderr).toMatch(/^image: skipped: .* node:26-trixie-slim, and only root .*\n$/);
    expect(status).toBe(77);
  });

  it('fails when the build fails, and prints the end of the log', async () => {
    await plant('docker', 'case "$1" in build) echo no such stage; exit 1 ;; esac');
    const { status, stderr } = await runScript();
    expect(stderr).toBe('image: building with docker\nno such stage\nimage: the build failed\n');
    expect(status).toBe(1);
  });
});
