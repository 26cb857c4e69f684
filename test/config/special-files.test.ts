import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder, type Folder, type Ran } from '../support/program.ts';

const settings = (key: string): string =>
  `accounts: { main: { base_url: "https://gateway.example", admin_key: "\${file:${key}}" } }\n`;

const makeFifo = (folder: Folder, name: string): string => {
  const path = join(folder.path, name);
  execFileSync('mkfifo', [path]);
  return path;
};

const check = (folder: Folder): Promise<Ran> => folder.run(['check']);

describe('a secret file', () => {
  it('must be a regular file: a FIFO, a socket and a device are refused at once', async () => {
    await using folder = await openFolder();
    const socket = join(folder.path, 'socket');
    await using server = createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    for (const path of [makeFifo(folder, 'fifo'), socket, '/dev/zero', '/dev/null']) {
      await folder.write('config/tollkeeper.yaml', settings(path));
      const { code, stderr, stdout } = await check(folder);
      expect([path, code, stdout + stderr]).toEqual([
        path,
        1,
        expect.stringContaining(`${path} is not a regular file`),
      ]);
    }
    await folder.write('config/tollkeeper.yaml', settings(folder.path));
    expect((await check(folder)).stdout).toContain(`the file ${folder.path} is a folder`);
  });

  it('can be behind the symbolic links of a mounted Kubernetes Secret', async () => {
    await using folder = await openFolder();
    await folder.write('secrets/..2026_1/key', 'sk-admin-of-a-test-1234\n');
    await symlink('..2026_1', join(folder.path, 'secrets/..data'));
    await symlink('..data/key', join(folder.path, 'secrets/key'));
    await folder.write('config/tollkeeper.yaml', settings(join(folder.path, 'secrets/key')));
    const shared = await check(folder);
    expect([shared.code, shared.stdout]).toEqual([0, expect.anything()]);
  });

  it('is bounded in its size', async () => {
    await using folder = await openFolder();
    const path = await folder.write('large', '');
    execFileSync('truncate', ['-s', '65M', path]);
    await folder.write('config/tollkeeper.yaml', settings(path));
    expect((await check(folder)).stdout).toContain('(it is larger than 64 MiB)');
  });
});

it('a FIFO among the files of the jobs is refused at its place', async () => {
  await using folder = await openFolder();
  await folder.write('config/tollkeeper.yaml', '');
  await mkdir(join(folder.path, 'config/jobs'));
  makeFifo(folder, 'config/jobs/a.yaml');
  const { code, stdout } = await check(folder);
  expect(code).toBe(1);
  expect(stdout).toContain('config/jobs/a.yaml:1:1: the file cannot be read');
});

const report = `title: Mine
headline: { label: Spend, sql: totals.sql, name: spend }
sections:
  - kind: table
    title: Total
    sql: totals.sql
    columns: [{ label: Spend, name: spend, format: money }]
`;
const sql = "SELECT sum(spend) AS spend, 0 AS spend_before FROM cube WHERE period = 'current'";

describe('a report folder', () => {
  const files = { 'report.yaml': report, 'totals.sql': sql };

  const written = async (folder: Folder, where: string): Promise<string> => {
    await folder.write('config/tollkeeper.yaml', '');
    for (const [name, text] of Object.entries(files)) await folder.write(join(where, name), text);
    return join(folder.path, where);
  };

  it('can be mounted from a ConfigMap', async () => {
    await using folder = await openFolder();
    const path = await written(folder, 'config/reports/mine/..2026_1');
    await symlink('..2026_1', join(path, '../..data'));
    for (const name of Object.keys(files)) await symlink(`..data/${name}`, join(path, '..', name));
    const { code, stdout, stderr } = await check(folder);
    expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining('mine')]);
  });

  it('uses SQL of a report beside it, else of a shipped one', async () => {
    await using folder = await openFolder();
    await written(folder, 'config/reports/mine');
    const other = (sqlFile: string) => report.replace('sql: totals.sql\n', `sql: ${sqlFile}\n`);
    await folder.write(
      'config/reports/other/report.yaml',
      other('mine/totals.sql').replace('sql: totals.sql,', 'sql: spend-summary/totals.sql,'),
    );
    const shared = await check(folder);
    expect([shared.code, shared.stdout]).toEqual([0, expect.anything()]);
    await folder.write('config/reports/other/report.yaml', other('mine/nothing.sql'));
    const { code, stdout } = await check(folder);
    expect(code).toBe(1);
    expect(stdout).toMatch(/other\/report\.yaml:6:\d+: mine\/nothing\.sql: /);
  });

  it.each(['report.yaml', 'totals.sql', 'texts.de.yaml'])(
    'must not hold a %s that is a symbolic link out of the reports, or a FIFO',
    async (name) => {
      await using folder = await openFolder();
      const path = await written(folder, 'config/reports/mine');
      const outside = await folder.write('outside/secret', 'password: "hunter22-of-a-test"\n');
      await rename(join(path, name), join(folder.path, 'outside/before')).catch(() => undefined);
      await symlink('../../../outside/secret', join(path, name));
      const linked = await check(folder);
      expect(linked.code).toBe(1);
      expect(linked.stdout).toContain(name);
      expect(linked.stdout).toContain(`leads to ${outside}, outside of`);
      expect(linked.stdout + linked.stderr).not.toContain('hunter22');
      await rm(join(path, name));
      makeFifo(folder, join('config/reports/mine', name));
      const fifo = await check(folder);
      expect(fifo.code).toBe(1);
      expect(fifo.stdout).toContain(name);
      expect(fifo.stdout).toContain('is not a regular file');
    },
  );

  it('must lie in the folder of the reports', async () => {
    await using folder = await openFolder();
    await written(folder, 'outside');
    await mkdir(join(folder.path, 'config/reports'));
    await symlink('../../outside', join(folder.path, 'config/reports/mine'));
    await writeFile(
      join(folder.path, 'config/tollkeeper.yaml'),
      'accounts: { main: { base_url: "https://gateway.example", admin_key: "${KEY}" } }\n',
    );
    const env = { KEY: 'sk-admin-of-a-test-1234' };
    const { code, stdout, stderr } = await folder.run(['report', 'mine'], { env });
    expect([code, stdout + stderr]).toEqual([2, expect.stringContaining('outside of')]);
  });
});
