import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore, takeBackup, type BackupSubject } from '../../src/backup/index.ts';
import { noProgress } from '../../src/core/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openFolder } from '../support/program.ts';
import { database, facts } from './support.ts';

it.each([
  [300, 200],
  [200, 300],
])(
  'a backup states the longer of two waits of %i ms and %i ms, the checkpoint included',
  async (...waits) => {
    await using folder = await openFolder();
    const clock = manualClock(Date.UTC(2026, 10, 26, 9));
    const path = await folder.write('a.duckdb', database(0).toString('latin1'));
    const file = await open(path, 'r');
    const subject: BackupSubject = {
      database: 'a.duckdb',
      exclusive: async (work) => {
        clock.advance(waits.shift() ?? 0);
        const result = await work(file, { ...facts, schema: 30 });
        return result;
      },
      growing: {},
      replaced: {},
    };
    const store = await openStore(join(folder.path, 'backups'));
    const { signal } = new AbortController();
    const taken = await takeBackup(store, subject, { clock, version: '0.1.0', progress: noProgress, signal });
    await file.close();
    expect(taken).toMatchObject({ heldFor: 300, draft: { at: '2026-11-26T09:00:00.500Z' } });
  },
);
