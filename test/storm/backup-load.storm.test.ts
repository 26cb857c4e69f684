import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBackup, type Manifest } from '../../src/backup/index.ts';
import type { BackupResult } from '../../src/app/index.ts';
import { factsOfFile } from '../../src/warehouse/index.ts';
import { buildProgram, type BuiltProgram } from '../program/support/built-program.ts';
import { writeTick } from './support/chaos-fixture.ts';
import { day, openKeyFixture, type KeyFixture } from './support/key-fixture.ts';
import { wrongSums } from './support/wrong-sums.ts';

const hour = 3_600_000;
/** Milliseconds for which the gateway holds back the answer of a new key, so that its rotation is in progress. */
const held = 6000;

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const succeeds = async (fixture: KeyFixture, ...argv: readonly string[]): Promise<string> => {
  const { code, output } = await fixture.live(argv);
  expect([argv, code, output]).toEqual([argv, 0, output]);
  return output;
};

/** Two services whose keys are due, a report, and a configuration whose data folder is `elsewhere`. */
const open = async (): Promise<KeyFixture> => {
  const fixture = await openKeyFixture(program, { name: 'calm', variants: {}, faults: [] }, 1000);
  const { folder } = fixture;
  await writeTick(folder);
  await folder.write(
    'config/jobs/tick.yaml',
    'jobs: { tick: { kind: report, report: tick, schedule: "9 * * * *", mail: { to: [a@example.com] } } }\n',
  );
  for (const name of [
    'tollkeeper.yaml',
    'jobs/jobs.yaml',
    'jobs/tick.yaml',
    'reports/tick/report.yaml',
    'reports/tick/total.sql',
  ]) {
    const text = await readFile(join(folder.path, 'config', name), 'utf8');
    await folder.write(
      `config-restored/${name}`,
      text.replace('warehouse: {', 'warehouse: { path: elsewhere/tollkeeper.duckdb,'),
    );
  }
  fixture.elapse(31 * day);
  await fixture.begin();
  await succeeds(fixture, 'run', 'pull-logs');
  return fixture;
};

type Load = { readonly ended: () => Readonly<Record<string, number>>; readonly stop: () => Promise<void> };

/** Commands that the daemon carries out over and over, until they are stopped. */
const beginLoad = (fixture: KeyFixture): Load => {
  const ended: Record<string, number> = { pulls: 0, reports: 0 };
  const stopping = new AbortController();
  const repeat = async (name: string, argv: readonly string[]): Promise<void> => {
    while (!stopping.signal.aborted) {
      await succeeds(fixture, ...argv);
      ended[name] = (ended[name] ?? 0) + 1;
    }
  };
  const from = new Date(Date.now()).toISOString().slice(0, 10);
  const to = new Date(Date.now() + 20 * day).toISOString().slice(0, 10);
  const all = Promise.all([
    repeat('pulls', ['run', 'pull-logs', '--from', from, '--to', to]),
    repeat('reports', ['run', 'tick']),
  ]);
  // Seen when it is awaited.
  all.catch(() => undefined);
  return {
    ended: () => ended,
    stop: async () => {
      stopping.abort();
      await all;
    },
  };
};

/** What the job did with services that were rotated after the backup, or in it. */
const outcomeOf = (output: string): 'suspended' | 'skipped' | 'continued' => {
  if (output.includes('outdated journal')) return 'suspended';
  return output.includes('no rotation has recorded which one its consumers hold') ? 'skipped' : 'continued';
};

type Backup = {
  readonly from: string;
  readonly heldFor: number;
  readonly manifest: Manifest;
  /** Arguments of `restore` that select it. */
  readonly which: readonly string[];
};

it('backups during pulls, reports and a rotation restore to equal sums, and write no key that the journal does not know', async () => {
  await using fixture = await open();
  const { folder, sandbox } = fixture;
  await using daemon = fixture.start(['serve']);
  await daemon.line('"serving"');
  const backups: Backup[] = [];
  const back = async (from: string): Promise<void> => {
    const running = fixture.start(['backup', from, '--json']);
    const { code } = await running.ended;
    expect([code, running.stderr()]).toEqual([0, running.stderr()]);
    const { isFile, name, heldFor } = JSON.parse(running.stdout().join('\n')) as BackupResult;
    const { manifest } = await openBackup(join(folder.path, from), isFile ? {} : { name });
    backups.push({ from, heldFor, manifest, which: isFile ? [] : ['--backup', name] });
  };

  await back('backups');
  sandbox.faults.plant({ kind: 'delay', millis: held, method: 'POST', path: '/api/token', times: 2 });
  let isRotated = false;
  const rotating = succeeds(fixture, 'run', 'rotate-apps').finally(() => {
    isRotated = true;
  });
  const load = beginLoad(fixture);
  let during = 0;
  for (const target of ['backups', 'whole.tar', 'backups', 'backups']) {
    await back(target);
    if (!isRotated) during += 1;
  }
  await rotating;
  await back('backups');
  await load.stop();
  say(
    `${backups.length} backups, ${during} of them during a rotation, beside ${JSON.stringify(load.ended())}; the rest waited ${backups.map(({ heldFor }) => heldFor).join(', ')} ms`,
  );
  expect(during).toBeGreaterThan(0);
  expect(Math.min(...Object.values(load.ended()))).toBeGreaterThan(0);
  daemon.kill('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });

  const data = join(folder.path, 'elsewhere');
  const restored = (...argv: readonly string[]): Promise<string> =>
    succeeds(fixture, ...argv, '--config', 'config-restored');
  const outcomes: string[] = [];
  for (const { from, which, manifest } of backups) {
    await rm(data, { recursive: true, force: true });
    // Without `--catch-up` a slot that passed since the backup is stored as skipped, and the facts differ by its row.
    await restored('restore', from, ...which, '--catch-up');
    const { schema: _, ...facts } = await factsOfFile(join(data, 'tollkeeper.duckdb'), {
      memoryLimit: '256MB',
      spoolDirectory: join(data, 'spool'),
    });
    expect(facts).toEqual(manifest.facts);
    expect(await wrongSums(data, sandbox)).toEqual([]);
    const entries = manifest.facts?.audit.entries ?? 0;
    if (entries > 0) await restored('keys', 'audit', '--verify');

    sandbox.requests.clear();
    await restored('run', 'pull-logs');
    const { output } = await fixture.live(['run', 'rotate-apps', '--config', 'config-restored']);
    const outcome = outcomeOf(output);
    outcomes.push(`${entries} entries: ${outcome}`);
    expect([output, sandbox.requests.keyWrites()]).toEqual([output, { POST: 0, PUT: 0, DELETE: 0 }]);
    if (outcome === 'suspended') await restored('keys', 'reconcile', '--apply');
    expect(sandbox.requests.keyWrites()).toEqual({ POST: 0, PUT: 0, DELETE: 0 });
    expect(await fixture.wrongs()).toEqual([]);
  }
  say(outcomes.join('; '));
  expect(outcomes.some((outcome) => outcome.endsWith('suspended'))).toBe(true);
  expect([outcomes[0], outcomes.at(-1)]).toEqual(['0 entries: skipped', expect.stringMatching(/continued$/)]);

  // The newest backup ends the rotation.
  fixture.elapse(hour);
  await fixture.consumer.round();
  fixture.elapse(3 * hour);
  await fixture.consumer.round();
  await restored('run', 'pull-logs');
  await restored('run', 'rotate-apps');
  expect([await fixture.wrongs(), await fixture.unfinished()]).toEqual([[], []]);
}, 300_000);
