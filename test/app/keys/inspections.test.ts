import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Ran } from '../../support/program.ts';
import type { Town } from '../support/daemon.ts';
import { openKeyTown } from '../support/key-town.ts';

let town: Town;
beforeEach(async () => {
  town = await openKeyTown('OTHER=1\n');
});
afterEach(() => town[Symbol.asyncDispose]());

const fine = async (...argv: readonly string[]): Promise<Ran> => {
  const ran = await town.run(...argv);
  expect([ran.code, ran.code === 0 ? '' : `${ran.stdout}${ran.stderr}`]).toEqual([0, '']);
  return ran;
};
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
const sink = (): Promise<string> => readFile(join(town.folder.path, 'secrets/batch.env'), 'utf8');

it('a sink that holds a deleted key is a fault of status, doctor and keys reconcile, until a rotation delivers another', async () => {
  await fine('keys', 'create', 'batch', '--job', 'rotate-prod', '--unlimited');
  const first = await sink();
  town.clock.advance(60_000);
  await fine('keys', 'rotate', 'batch', '--now', '--yes');
  await fine('keys', 'reconcile');
  // A restore of the consumer puts back the key that is deleted.
  await town.folder.write('secrets/batch.env', first);
  const reconcile = await town.run('keys', 'reconcile');
  expect([reconcile.code, reconcile.stdout]).toMatchObject([
    1,
    expect.stringMatching(
      /batch\.env#KEY holds batch\.g1-a0a0 \(id \d+\), which is deleted: calls/,
    ) as string,
  ]);
  expect(oneLine((await town.run('doctor')).stdout)).toMatch(
    /holds batch\.g1-a0a0 \(id \d+\), which is deleted.*`tollkeeper keys rotate batch`/,
  );
  const daemon = await town.serve();
  await daemon.line({ message: 'a sink holds a key that no longer works' });
  await daemon.stop();
  // Without the daemon, the last reading counts.
  const status = await town.run('status');
  expect(status.code).toBe(1);
  expect(oneLine(status.stdout)).toMatch(/action required: .* no longer works: batch/);
  const mails = await town.run('outbox', '--json');
  expect(mails.stdout.match(/sink of batch holds a key that no longer works/g)).toHaveLength(1);
  await fine('keys', 'rotate', 'batch');
  expect(await sink()).not.toBe(first);
  await fine('status');
  await fine('keys', 'reconcile');
});

it('a daemon on a restored data folder says at its start that the journal is out of date', async () => {
  await fine('keys', 'create', 'batch', '--job', 'rotate-prod', '--unlimited');
  // Another Tollkeeper, or this one before a restore, has made a newer key.
  town.sandbox.state.keys.create({
    name: 'batch.g7-b1b1',
    remain: 0n,
    unlimited: true,
    expiredTime: -1,
    group: 'default',
    createdAt: Math.floor(town.clock.now() / 1000),
  });
  const daemon = await town.serve();
  await daemon.line({ message: 'key operations of a service are suspended: its journal is out of date' });
  const status = await town.run('status');
  expect([status.code, oneLine(status.stdout)]).toMatchObject([
    1,
    expect.stringContaining('out of date: batch') as string,
  ]);
  await daemon.stop();
});
