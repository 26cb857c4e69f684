import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkThen } from '../../src/doctor/then.ts';
import type { Config } from '../../src/config/index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollkeeper-'));
  await mkdir(join(folder, 'bin', 'folder'), { recursive: true });
  for (const name of ['reload', 'plain'])
    await writeFile(join(folder, 'bin', name), `#!/bin/sh\ntouch ran\n`);
  await chmod(join(folder, 'bin', 'reload'), 0o755);
  await chmod(join(folder, 'bin', 'plain'), 0o644);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const jobs = (argv: readonly string[] | undefined, change: object = {}): Config['jobs'] =>
  ({
    'rotate-prod': {
      name: 'rotate-prod',
      kind: 'rotate-keys',
      account: 'main',
      suspend: false,
      // oxlint-disable-next-line unicorn/no-thenable -- the word of the YAML, and no promise
      fields: argv === undefined ? {} : { then: { argv, env: [], timeout: 1000 } },
      ...change,
    },
  }) as never;

const check = (argv: readonly string[] | undefined, change?: object) =>
  checkThen('main', jobs(argv, change), { cwd: folder, env: { PATH: `/no/such:${join(folder, 'bin')}` } });

it.each([
  ['by its name', ['reload', '{service}']],
  ['by a path', ['./bin/reload']],
])('an existing program is found %s and not run', (_, argv) => {
  expect(check(argv)).toMatchObject([{ about: 'then of rotate-prod', state: 'ok' }]);
});

it.each([
  ['that is nowhere', 'systemctl-of-elsewhere'],
  ['that does not exist', '/no/such/reload'],
  ['that may not be run', 'plain'],
  ['that is a folder', './bin/folder'],
])('a program %s is reported before the cutover of any key', (_, program) => {
  expect(check([program, 'reload'])).toMatchObject([
    {
      about: 'then of rotate-prod',
      state: 'failed',
      message: `${program} is not an executable program`,
      code: 'command-failed',
    },
  ]);
});

it('a command is completed with the account, but not with what depends on the service', () => {
  expect(check(['/no/{account}'])).toMatchObject([{ message: '/no/main is not an executable program' }]);
  expect(check(['/no/{service}'])).toMatchObject([{ state: 'skipped' }]);
});

it('a job that runs no program is not checked', () => {
  expect(check(undefined)).toEqual([]);
  for (const change of [{ kind: 'expire-keys' }, { account: 'other' }, { suspend: true }])
    expect(check(['nowhere'], change)).toEqual([]);
});
