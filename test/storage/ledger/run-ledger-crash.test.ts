import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/core/index.ts';
import { openWarehouse } from '../../../src/warehouse/index.ts';
import { openEngine, createRunLedger } from '../../../src/storage/index.ts';
import { migrate } from '../../../src/warehouse/migrate.ts';
import { schema } from '../../../src/warehouse/schema.ts';
import { compiledModules } from '../../support/compiled-modules.ts';
import { at, cursorAt, missedAt, runAt } from './ledger-support.ts';
import { optionsIn, testFolder } from '../../warehouse/support.ts';

/** Claims pass after pass, each time with the clock set back by a slot, and tells of each pass that the ledger took. */
const child = `
  const [out, path, spool] = process.argv.slice(1);
  const base = await import(out + '/core/index.js');
  const { openWarehouse } = await import(out + '/warehouse/index.js');
  const { runs } = await openWarehouse({ path, memoryLimit: '256MB', threads: 2, spoolDirectory: spool, clock: base.systemClock, log: base.silentLog });
  const [cursor] = await runs.cursors();
  for (let pass = (cursor?.version ?? 0) + 1; ; pass += 1) {
    const claims = ['a', 'b'].map((job) => ({
      cursor: { job, version: pass, schedule: '', claimedThrough: pass * 10 },
      runs: [pass * 10 - 10, pass * 10].filter((slot) => slot > 0).map((slot) => ({
        job, slot, account: 'main', trigger: 'schedule', version: pass, state: job === 'a' ? 'queued' : 'missed',
        interval: { start: slot - 10, end: slot }, attempts: 0, claimedAt: slot,
      })),
      reopenedAfter: pass * 10 - 20,
    }));
    const fresh = await runs.claim(claims);
    const begun = fresh.filter(({ job, slot }) => job === 'a' && slot === pass * 10);
    await runs.begin(begun, pass);
    process.stdout.write('begun ' + pass + '\\n');
    await runs.end(begun.map((key) => ({ ...key, state: 'ok', at: pass })));
    process.stdout.write('ended ' + pass + '\\n');
  }`;

it('claimed rows with their cursor and runs with their attempts survive kill -9 at any moment', async () => {
  await using folder = await testFolder();
  const out = await compiledModules();
  const options = optionsIn(folder, join(folder.path, 'crash.duckdb'));
  let begun = 0;
  let ended = 0;
  for (const lines of [1, 2, 7, 20, 21, 34, 55, 80]) {
    const killed = spawn(
      process.execPath,
      ['--input-type=module', '-e', child, out, options.path, folder.spool],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const exit = once(killed, 'exit');
    let heard = 0;
    for await (const line of createInterface(killed.stdout)) {
      const pass = Number(line.split(' ')[1]);
      if (line.startsWith('begun')) begun = pass;
      else ended = pass;
      heard += 1;
      if (heard === lines) killed.kill('SIGKILL');
    }
    await exit;

    await using warehouse = await openWarehouse(options);
    const { runs } = warehouse;
    const cursors = await runs.cursors();
    const pass = cursors[0]?.version ?? 0;
    expect([begun, begun + 1]).toContain(pass);
    expect(cursors).toMatchObject(
      ['a', 'b'].map((job) => ({ job, version: pass, claimedThrough: pass * 10 })),
    );
    const every = Array.from({ length: pass }, (_, index) => (pass - index) * 10);
    for (const job of ['a', 'b'])
      expect((await runs.list({ job, limit: 10_000 })).map(({ slot }) => slot)).toEqual(every);
    const rows = await runs.list({ job: 'a', limit: 10_000 });
    const attempts = await runs.attempts(rows);
    for (const row of rows) {
      const own = attempts.filter(({ slot }) => slot === row.slot);
      expect(own.map(({ attempt }) => attempt)).toEqual(
        Array.from({ length: row.attempts }, (_, index) => index + 1),
      );
      if (row.attempts > 0) expect(own.at(-1)?.state).toBe(row.state);
      if (row.slot <= begun * 10) expect(row.attempts).toBeGreaterThan(0);
      if (row.slot <= ended * 10) expect(row.state).toBe('ok');
    }
    // As the scheduler does after a crash: what ran is interrupted, what waits is begun once more.
    const left = await runs.open();
    await runs.end(
      left
        .filter(({ state }) => state === 'running')
        .map((run) => ({ ...run, state: 'interrupted', at: at(1), nextAttempt: at(1) })),
    );
    const waiting = await runs.open();
    await runs.begin(waiting, at(2));
    await runs.end(waiting.map((run) => ({ ...run, state: 'ok', at: at(3) })));
    expect(waiting.length).toBeLessThanOrEqual(1);
    expect(await runs.open()).toEqual([]);
    begun = pass;
    ended = pass;
  }
});

it('a file of the first schema is upgraded and keeps its rows', async () => {
  await using folder = await testFolder();
  const options = optionsIn(folder);
  const entry = {
    account: 'main',
    kind: 'report',
    subject: 'daily',
    recipient: 'a@example.com',
    sender: 'b@example.com',
    messageId: '<1@example.com>',
    file: 'a.eml',
    queuedAt: at(1),
  };
  {
    await using engine = await openEngine(options);
    const older = await readFile(new URL('../../warehouse/schema-21.sql', import.meta.url), 'utf8');
    await engine.bulk(async ({ native }) => native.run(older));
    await engine.state(async (connection) =>
      connection.execute(`INSERT INTO log_cursor (account, origin, reached) VALUES ('main', 0, 900)`),
    );
  }
  for (const slot of [1000, 2000]) {
    await using warehouse = await openWarehouse(options);
    expect(await warehouse.logs.cursor('main')).toBe(900);
    expect(await warehouse.outbox.put([entry])).toEqual(slot === 1000 ? [entry] : []);
    const run = runAt('pull', slot);
    expect(await warehouse.runs.claim([{ cursor: cursorAt('pull', slot), runs: [run] }])).toEqual([run]);
    expect(await warehouse.runs.list({ limit: 9 })).toHaveLength(slot / 1000);
  }
});

it('rows are deleted and inserted again while a long query reads the table', async () => {
  await using folder = await testFolder();
  await using engine = await openEngine(optionsIn(folder));
  await migrate(engine, schema, systemClock, 'x');
  const runs = createRunLedger(engine);
  const claimed = Array.from({ length: 50 }, (_, index) => missedAt('pull', index + 1));
  await runs.claim([{ cursor: cursorAt('pull', 50), runs: claimed }]);
  const counted = await engine.bulk(async (connection) => {
    await connection.execute('BEGIN TRANSACTION READ ONLY');
    const count = async () =>
      connection.rows('SELECT count(*) AS rows, min(version) AS version FROM job_run');
    const before = await count();
    for (const version of [2, 3]) {
      const again = claimed.map((run) => ({ ...run, version }));
      expect(await runs.claim([{ cursor: cursorAt('pull', 50), runs: again, reopenedAfter: at(0) }])).toEqual(
        again,
      );
    }
    const after = await count();
    await connection.execute('COMMIT');
    return [before, after];
  });
  const asItWas = [{ rows: '50', version: '1' }];
  expect(counted).toEqual([asItWas, asItWas]);
  expect(await runs.list({ limit: 1 })).toMatchObject([{ version: 3 }]);
});
