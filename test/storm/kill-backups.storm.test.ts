import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesOf } from '../backup/support.ts';
import { buildProgram } from '../program/support/built-program.ts';
import { isLong } from '../support/storm.ts';
import { drawKillRounds, openBackupStorm } from './support/backup-storm.ts';

const count = Math.max(1, Number(process.env['TOLLKEEPER_BACKUP_ROUNDS'] ?? 20));
const seed = Number(process.env['TOLLKEEPER_STORM_SEED'] ?? Date.now() % 2 ** 31);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

it(
  'a daemon killed during pulls, reports, alerts and backups leaves a database and backups without damage',
  { timeout: 120_000 + count * 30_000 },
  async () => {
    say(`storm of ${count} kills beside backups, TOLLKEEPER_STORM_SEED=${seed}`);
    await using program = await buildProgram();
    await using storm = await openBackupStorm(program);
    const cut = new Map<string, number>();
    const started = performance.now();
    for (const [index, round] of drawKillRounds(seed, count).entries()) {
      for (const work of await storm.kill(round, index)) cut.set(work, (cut.get(work) ?? 0) + 1);
      expect([round, await storm.wrongs()]).toEqual([round, []]);
      if ((index + 1) % 20 === 0) say(`storm: ${index + 1} kills of ${count} beside backups`);
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    say(`${count} kills in ${seconds} s; in progress were ${JSON.stringify(Object.fromEntries(cut))}`);
    if (isLong)
      for (const work of ['pull-logs', 'tick', 'alerts', 'nightly', 'a pull again', 'a backup in a file'])
        expect(cut.get(work) ?? 0, work).toBeGreaterThan(0);
  },
);

it('the storm finds a chunk that is damaged', async () => {
  await using program = await buildProgram();
  await using storm = await openBackupStorm(program);
  expect(await storm.wrongs()).toEqual([]);
  for (const file of await filesOf(join(storm.fixture.folder.path, 'backups/chunks')))
    await appendFile(file, 'x');
  expect(await storm.wrongs()).toEqual([expect.stringMatching(/^restore backups --verify .* exited with 1/)]);
});
