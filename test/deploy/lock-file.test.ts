import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

type Locked = {
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly cpu?: readonly string[];
  readonly os?: readonly string[];
  readonly libc?: readonly string[];
};

const lockedPackages = async (): Promise<readonly (readonly [string, Locked])[]> => {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  return Object.entries(lock.packages);
};

it.each(['x64', 'arm64'])(
  'the lock file resolves each native library of the image and of its build on linux/%s',
  async (cpu) => {
    const native = (await lockedPackages())
      .filter(([, { os, libc }]) => os?.includes('linux') === true && (libc?.includes('glibc') ?? true))
      .filter(([, locked]) => locked.cpu?.includes(cpu) === true)
      .map(([path]) => path.replace('node_modules/', ''));
    expect(native).toEqual(
      expect.arrayContaining([
        `@duckdb/node-bindings-linux-${cpu}`,
        `@resvg/resvg-js-linux-${cpu}-gnu`,
        `@rolldown/binding-linux-${cpu}-gnu`,
      ]),
    );
  },
);

it('the image states the version of the program', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string };
  expect(await readFile('Dockerfile', 'utf8')).toContain(`image.version="${version}"`);
});

it('no package that the image installs runs a script at its installation', async () => {
  const installed = (await lockedPackages()).filter(([path, { dev }]) => path !== '' && dev !== true);
  expect(
    installed
      .map(([path]) => path)
      .filter((path) => !/node_modules\/(@duckdb\/|@resvg\/|detect-libc$)/.test(path)),
  ).toEqual([]);
  expect(installed.filter(([, locked]) => 'hasInstallScript' in locked)).toEqual([]);
});
