import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFolder, type Folder } from '../support/program.ts';

const root = new URL('../..', import.meta.url).pathname;

let folder: Folder;
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const plant = (name: string, script: string): Promise<void> =>
  writeFile(join(folder.path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

const usual = {
  running: true,
  health: 'healthy',
  users: [1000],
  exitStatus: 0,
  /** Bytes. */
  size: 271_000_000,
  isRootWritable: false,
  hasSecretVariables: false,
  memory: 'memory: 1073MB of the container',
  jobs: '"added"',
};
type Image = Partial<typeof usual>;

/** A Docker whose one container is in the given state. */
const plantDocker = async (change: Image = {}): Promise<void> => {
  const image = { ...usual, ...change };
  await plant('sleep', 'exit 0');
  await plant(
    'docker',
    `case "$*" in
      *State.Running*) echo ${image.running} ;;
      *State.Health*) echo ${image.health} ;;
      *State.ExitCode*) echo ${image.exitStatus} ;;
      *.Size*) echo ${image.size} ;;
      *"stat -c"*) printf '%s\\n' ${image.users.join(' ')} ;;
      *"touch /data"*) ;;
      exec*touch*) exit ${image.isRootWritable ? 0 : 1} ;;
      exec*printenv*) exit ${image.hasSecretVariables ? 0 : 1} ;;
      exec*check*) echo '${image.memory}' ;;
      exec*status*) echo '${image.jobs}' ;;
      exec*) ;;
      logs*) echo the log of the container ;;
      *) echo container ;;
    esac`,
  );
};

const runScript = (...args: string[]): Promise<{ status: number | string; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const { path } = folder;
    const env = { PATH: `${path}:${process.env['PATH']}`, HOME: path, TMPDIR: path };
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

/** Runs the translation of a Compose file that the smoke check of the image uses. */
const optionsOf = (file: string): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['scripts/compose-options.mjs', file, 'tollkeeper'], (_, stdout, stderr) => {
      resolve({ stdout, stderr });
    });
  });

it('the smoke check runs the image with every option of the Compose file', async () => {
  const { stdout, stderr } = await optionsOf('config/deploy/compose.yaml');
  expect(stderr).toBe('');
  const lines = stdout.replaceAll(process.cwd(), '').split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'SMTP_URL_FILE=/run/secrets/smtp_url',
      '/config/deploy/secrets/smtp_url:/run/secrets/smtp_url:ro',
      '/config/deploy/config:/config:ro',
      '1000:1000',
      '--read-only',
      'no-new-privileges:true',
    ]),
  );
});

it.each([
  ['an option that it cannot pass on', 'read_only: true', 'privileged: true', 'privileged is not known'],
  [
    'a secret without a file',
    'smtp_url: { file: ./secrets/smtp_url }',
    '',
    'secret smtp_url is not declared',
  ],
  [
    'a volume that is not declared',
    'volumes:\n  tollkeeper:',
    'volumes:\n  other:',
    'volume tollkeeper is not declared',
  ],
])('the smoke check refuses a Compose file with %s', async (_, from, to, problem) => {
  const text = await readFile('config/deploy/compose.yaml', 'utf8');
  expect(text).toContain(from);
  const file = await folder.write('compose.yaml', text.replace(from, to));
  expect((await optionsOf(file)).stderr).toContain(problem);
});
