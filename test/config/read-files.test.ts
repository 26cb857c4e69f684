import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSecretRegistry } from '../../src/core/index.ts';
import { openFolder } from '../support/program.ts';
import { configDisk, fingerprintConfig, loadConfig } from '../../src/config/index.ts';
import {
  goodEnv,
  goodFiles,
  goodJobs,
  goodSettings,
  kinds,
  load,
  memoryFiles,
  type Files,
} from './support/load.ts';

const withFiles: Files = {
  'config/tollkeeper.yaml': goodSettings
    .replace('${GATEWAY_ADMIN_KEY}', () => '${file:/run/secrets/key}')
    .replace('currency: USD', 'tls: { ca: ca.pem }'),
  'config/jobs/a.yaml': goodJobs,
  'config/jobs/b.yml': 'jobs:\n',
  '/run/secrets/key': 'sk-admin-from-a-file\n',
  'ca.pem': '-----BEGIN CERTIFICATE-----\n',
  'reports/spend-summary/report.yaml': '',
};

const loaded = (files: Files) => load(files, goodEnv);
const now = async (files: Files, read: Awaited<ReturnType<typeof loaded>>['read']): Promise<string> =>
  fingerprintConfig(memoryFiles({ 'reports/showback/report.yaml': '', ...files }), read);

describe('the list of files that a config was read from', () => {
  it('contains YAML, secrets, certificates and folders', async () => {
    const { read, text } = await loaded(withFiles);
    expect(text).toBe('');
    expect(read).toEqual({
      files: [
        '/run/secrets/key',
        'ca.pem',
        'config/jobs/a.yaml',
        'config/jobs/b.yml',
        'config/tollkeeper.yaml',
      ],
      folders: ['config/jobs', 'reports'],
    });
  });

  it('is also given for a config with faults, including missing files', async () => {
    const { read, faults } = await loaded({ ...goodFiles, 'config/tollkeeper.yaml': 'a: "${file:/none}"\n' });
    expect(faults.length).toBeGreaterThan(0);
    expect(read.files).toEqual(['/none', 'config/jobs/spend.yaml', 'config/tollkeeper.yaml']);
    expect((await loaded({})).read).toEqual({
      files: ['config/tollkeeper.yaml'],
      folders: ['config', 'config/jobs', 'reports'],
    });
  });
});

describe('the fingerprint', () => {
  it('stays the same while nothing changes, beside any other files', async () => {
    const { read, fingerprint } = await loaded(withFiles);
    expect(await now(withFiles, read)).toBe(fingerprint);
    for (const beside of [
      'config/notes.txt',
      'config/jobs/.a.yaml.swp',
      'config/jobs/a.yaml~',
      'data/x.duckdb',
    ])
      expect(await now({ ...withFiles, [beside]: 'x' }, read), beside).toBe(fingerprint);
    expect(fingerprint).not.toContain('sk-admin');
  });

  it.each<[string, (files: Record<string, string>) => void]>([
    ['a setting', (files) => (files['config/tollkeeper.yaml'] += '# x')],
    ['a job', (files) => (files['config/jobs/a.yaml'] = goodJobs.replace('10m', '20m'))],
    ['a file of jobs that is added', (files) => (files['config/jobs/c.yaml'] = 'jobs:\n')],
    ['a file of jobs that is removed', (files) => delete files['config/jobs/b.yml']],
    [
      'a file of jobs that is renamed',
      (files) => {
        files['config/jobs/c.yml'] = files['config/jobs/b.yml'] ?? '';
        delete files['config/jobs/b.yml'];
      },
    ],
    ['a secret', (files) => (files['/run/secrets/key'] = 'sk-admin-another')],
    ['a secret that is removed', (files) => delete files['/run/secrets/key']],
    ['a certificate', (files) => (files['ca.pem'] += 'x')],
    ['a report that is added', (files) => (files['reports/mine/report.yaml'] = '')],
    [
      'contents that change places',
      (files) => {
        const [key, ca] = [files['/run/secrets/key'] ?? '', files['ca.pem'] ?? ''];
        [files['ca.pem'], files['/run/secrets/key']] = [key, ca];
      },
    ],
  ])('changes with %s, and returns to the old value when that is undone', async (_, change) => {
    const { read, fingerprint } = await loaded(withFiles);
    const files = { ...withFiles };
    change(files);
    expect(await now(files, read)).not.toBe(fingerprint);
    expect(await now(withFiles, read)).toBe(fingerprint);
  });

  it('of a missing file changes when the file appears', async () => {
    const { '/run/secrets/key': key = '', ...without } = withFiles;
    const { read, fingerprint, config } = await loaded(without);
    expect(config).toBeUndefined();
    expect(await now(without, read)).toBe(fingerprint);
    expect(await now({ ...without, '/run/secrets/key': key }, read)).not.toBe(fingerprint);
  });

  it('describes what the load read, so that a change during the load is detected', async () => {
    const files: Record<string, string> = { ...withFiles };
    const disk = memoryFiles(files);
    const { read, fingerprint } = await load(files, goodEnv, {
      ...disk,
      readFile: async (path) => {
        const text = await disk.readFile(path);
        files[path] = `${text}# edited while it was read\n`;
        return text;
      },
    });
    expect(await now(files, read)).not.toBe(fingerprint);
  });
});

describe('the fingerprint of a config folder on disk', () => {
  /** As Kubernetes mounts a ConfigMap: every name links through `..data`, which is swapped for a new folder at once. */
  const mount = async (folder: string, version: string, text: string): Promise<void> => {
    await mkdir(join(folder, version));
    await writeFile(join(folder, version, 'tollkeeper.yaml'), text);
    await symlink(version, join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
  };

  it('changes when links are swapped', async () => {
    await using place = await openFolder();
    const folder = place.path;
    await mount(folder, '..1', 'timezone: UTC\n');
    await symlink(join('..data', 'tollkeeper.yaml'), join(folder, 'tollkeeper.yaml'));
    const options = { ...configDisk, folder, env: {}, secrets: createSecretRegistry(), kinds, channels: [] };
    const { read, fingerprint, config } = await loadConfig(options);
    expect(config?.settings.timezone).toBe('UTC');
    expect(await fingerprintConfig(configDisk, read)).toBe(fingerprint);
    await mount(folder, '..2', 'timezone: UTC\n');
    // The same contents behind other links are no change.
    expect(await fingerprintConfig(configDisk, read)).toBe(fingerprint);
    await mount(folder, '..3', 'timezone: Asia/Kolkata\n');
    expect(await fingerprintConfig(configDisk, read)).not.toBe(fingerprint);
    await rm(join(folder, '..3'), { recursive: true });
    expect(await readdir(folder)).toContain('tollkeeper.yaml');
    expect(await fingerprintConfig(configDisk, read)).not.toBe(fingerprint);
  });

  it('stays the same for long files and invalid UTF-8 until they change', async () => {
    await using place = await openFolder();
    const folder = place.path;
    const file = join(folder, 'tollkeeper.yaml');
    const options = { ...configDisk, folder, env: {}, secrets: createSecretRegistry(), kinds, channels: [] };
    // Four bytes each, shifted, so that pieces end within one.
    for (const begin of ['# ', '# x', '# xx', '# xxx']) {
      const bytes = Buffer.from(`${begin}${'\u{1F600}'.repeat(50_000)}\n`);
      await writeFile(file, Buffer.concat([bytes, Buffer.from([0x23, 0xff, 0xe2, 0x82])]));
      const { read, fingerprint } = await loadConfig(options);
      expect(await fingerprintConfig(configDisk, read)).toBe(fingerprint);
      await writeFile(file, bytes);
      expect(await fingerprintConfig(configDisk, read)).not.toBe(fingerprint);
    }
  });

  it('never fails, even for folders in place of files and files in place of folders', async () => {
    await using place = await openFolder();
    const folder = place.path;
    await mkdir(join(folder, 'a-folder'));
    await writeFile(join(folder, 'a-file'), 'x');
    const odd = await fingerprintConfig(configDisk, {
      files: [join(folder, 'a-folder'), join(folder, 'none')],
      folders: [join(folder, 'a-file'), join(folder, 'none')],
    });
    expect(odd).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  });
});

describe('the path of the database', () => {
  const pathIn = async (settings: string, jobs = 'jobs: { a: 1 }') =>
    (await load({ 'config/tollkeeper.yaml': settings, 'config/jobs/a.yaml': jobs }, { DATA: '/data' }))
      .warehousePath;

  it('is given although the config has other faults', async () => {
    expect(await pathIn('warehouse: { path: a.duckdb }\n')).toBe('a.duckdb');
    expect(await pathIn('warehouse: { path: "${DATA}/b.duckdb", threads: none }\nmale: {}\n')).toBe(
      '/data/b.duckdb',
    );
  });

  it('is the default when it is not configured', async () => {
    for (const text of ['', 'warehouse:\n', 'warehouse: { threads: 1 }\n', 'nothing: 1\n'])
      expect(await pathIn(text)).toBe('data/tollkeeper.duckdb');
    expect((await load(goodFiles, goodEnv)).warehousePath).toBe('data/tollkeeper.duckdb');
  });

  it('is not guessed when it is unresolved', async () => {
    for (const text of [
      'a: [',
      'warehouse: { path: 7 }\n',
      'warehouse: { path: "${NOPE}" }\n',
      'warehouse: []\n',
    ])
      expect(await pathIn(text)).toBeUndefined();
    expect((await load({})).warehousePath).toBeUndefined();
  });
});
