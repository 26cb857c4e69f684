import { expect, it } from 'vitest';
import { openFolder, type Folder } from '../support/program.ts';

/** A config without jobs, and a system whose container has so many megabytes. */
const withContainer = async (folder: Folder, megabytes: number, warehouse = '{}'): Promise<string> => {
  await folder.write('config/tollkeeper.yaml', `warehouse: ${warehouse}\n`);
  await folder.write('system/proc/self/cgroup', '0::/\n');
  await folder.write('system/sys/fs/cgroup/memory.max', `${megabytes}000000\n`);
  return `${folder.path}/system`;
};

it('check prints how the memory of the container is divided', async () => {
  await using folder = await openFolder();
  const systemRoot = await withContainer(folder, 1000);
  const { code, stdout } = await folder.run(['check'], { systemRoot });
  expect(code).toBe(0);
  expect(stdout).toContain(
    'memory: 1000MB of the container · database 390MB · SQL of reports 360MB · Node.js 150MB\n',
  );
  const { stdout: json } = await folder.run(['check', '--json'], { systemRoot });
  expect(JSON.parse(json).memory).toMatchObject({
    limit: { bytes: 1_000_000_000, of: 'container' },
    database: 390_000_000,
  });
});

it('check and the daemon refuse a container that is too small, with the smallest limit that works', async () => {
  await using folder = await openFolder();
  const systemRoot = await withContainer(folder, 256);
  const checked = await folder.run(['check'], { systemRoot });
  expect(checked.code).toBe(1);
  expect(checked.stdout).toMatch(/ 256MB, .* at least 400MB\n.*raise the memory limit/);
  const served = await folder.run(['serve'], { systemRoot });
  expect(served.code).toBe(1);
  expect(served.stderr).toContain('Tollkeeper needs at least 400MB');
  expect(served.stderr).toContain('(memory-too-small)');
});

it('check warns of a warehouse.memory_limit that the container does not have', async () => {
  await using folder = await openFolder();
  const systemRoot = await withContainer(folder, 1000, '{ memory_limit: 1GB }');
  const { code, stdout } = await folder.run(['check'], { systemRoot });
  expect(code).toBe(0);
  expect(stdout).toMatch(/warning: warehouse\.memory_limit 1GB .* 1250MB .* 1000MB/);
});
