import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openFolder } from '../support/program.ts';
import { openTown } from './support/daemon.ts';

/** A town whose systemd-notify is this script; the folder is that of the script. */
const openTownOf = async (script: string) => {
  const folder = await openFolder();
  await chmod(await folder.write('bin/systemd-notify', `#!/bin/sh\ncd ${folder.path}\n${script}\n`), 0o755);
  const env = {
    NOTIFY_SOCKET: '/run/systemd/notify',
    PATH: `${join(folder.path, 'bin')}:${process.env['PATH'] ?? ''}`,
  };
  const town = await openTown('2026-11-20T08:30:00Z', { env });
  return {
    town,
    notified: () => readFile(join(folder.path, 'notified'), 'utf8'),
    [Symbol.asyncDispose]: async () => {
      await town[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};

it('a daemon that systemd started reports that it is ready once it serves, and that it stops', async () => {
  await using place = await openTownOf('echo "$NOTIFY_SOCKET $* $(env | grep -c GATEWAY)" >> notified');
  const daemon = await place.town.serve();
  expect((await daemon.stop()).code).toBe(0);
  // Secrets of the environment are not passed on.
  expect(await place.notified()).toBe('/run/systemd/notify READY=1 0\n/run/systemd/notify STOPPING=1 0\n');
});

it('a daemon that cannot reach systemd warns and serves', async () => {
  await using place = await openTownOf('exit 1');
  const daemon = await place.town.serve();
  expect(await daemon.line({ message: 'could not notify systemd: READY=1' })).toMatchObject({
    level: 'warn',
  });
  expect((await daemon.stop()).code).toBe(0);
});
