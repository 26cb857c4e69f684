import { expect, it } from 'vitest';
import { readMemoryLimit } from '../../src/core/index.ts';
import { openFolder } from '../support/program.ts';

const gigabyte = 2 ** 30;
const meminfo = { 'proc/meminfo': `MemTotal:        ${(8 * gigabyte) / 1024} kB\nMemFree: 1 kB\n` };
const v1 = 'sys/fs/cgroup/memory';
const v2 = 'sys/fs/cgroup';

it.each<[string, Readonly<Record<string, string>>, number, string]>([
  ['the memory of a machine without cgroups', {}, 8, 'machine'],
  [
    'the limit of a container in a cgroup namespace of v2',
    { 'proc/self/cgroup': '0::/\n', [`${v2}/memory.max`]: `${gigabyte}\n` },
    1,
    'container',
  ],
  [
    'the limit of a container whose group is known by its path on the host only',
    { 'proc/self/cgroup': '0::/../pod1/c1\n', [`${v2}/memory.max`]: `${gigabyte}\n` },
    1,
    'container',
  ],
  [
    'the lower limit of a group around the one of the process',
    {
      'proc/self/cgroup': '0::/system.slice/tollkeeper.service\n',
      [`${v2}/system.slice/tollkeeper.service/memory.max`]: `${2 * gigabyte}\n`,
      [`${v2}/system.slice/memory.max`]: `${gigabyte}\n`,
    },
    1,
    'container',
  ],
  [
    'the amount above which a group is throttled',
    {
      'proc/self/cgroup': '0::/\n',
      [`${v2}/memory.max`]: `${2 * gigabyte}\n`,
      [`${v2}/memory.high`]: `${gigabyte}\n`,
    },
    1,
    'container',
  ],
  [
    'the memory of the machine for a group of v2 without a limit',
    { 'proc/self/cgroup': '0::/\n', [`${v2}/memory.max`]: 'max\n' },
    8,
    'machine',
  ],
  [
    'the limit of a group of v1, of a controller that is mounted with others',
    {
      'proc/self/cgroup': '9:name=systemd:/\n4:cpu,memory:/docker/c1\n0::/\n',
      [`${v1}/docker/c1/memory.limit_in_bytes`]: `${gigabyte}\n`,
    },
    1,
    'container',
  ],
  [
    'the memory of the machine for a group of v1 without a limit',
    {
      'proc/self/cgroup': '4:memory:/\n',
      [`${v1}/memory.limit_in_bytes`]: '9223372036854771712\n',
    },
    8,
    'machine',
  ],
])('the memory limit is %s', async (_, files, gigabytes, of) => {
  await using folder = await openFolder();
  for (const [path, text] of Object.entries({ ...meminfo, ...files })) await folder.write(path, text);
  expect(await readMemoryLimit(folder.path)).toEqual({ bytes: gigabytes * gigabyte, of });
});

it('the memory limit is that of the machine where the system has no /proc', async () => {
  await using folder = await openFolder();
  const limit = await readMemoryLimit(folder.path);
  expect(limit.of).toBe('machine');
  expect(limit.bytes).toBeGreaterThan(0);
});
