import { lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, type BuiltProgram } from './support/built-program.ts';
import { dateBefore, openFixture } from './support/fixture.ts';

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

const groupOrOthers = 0o077;

/** What anybody but its owner has a permission for: paths with their bits. */
const openTo = async (folder: string, bits = groupOrOthers): Promise<readonly string[]> => {
  const names = ['.', ...(await readdir(folder, { recursive: true }))].toSorted();
  const found: string[] = [];
  for (const name of names) {
    const { mode } = await lstat(join(folder, name));
    if ((mode & bits) !== 0) found.push(`${name} ${(mode & 0o777).toString(8)}`);
  }
  return found;
};

describe('the built program', () => {
  it('writes private files, and an archive that a group may read where this is set', async () => {
    await using fixture = await openFixture(program, { months: 3, callsPerDay: 20 });
    await fixture.jobs(
      `pull-logs: { kind: pull-logs, since: ${dateBefore(80)}, window: 40d }`,
      'archive: { kind: archive, retain: 40d }',
      'spend: { kind: report, report: spend-summary, mail: { to: [finance@example.com] } }',
    );
    const good = async (...argv: readonly string[]): Promise<void> => {
      const { code, stderr } = await fixture.command(...argv);
      expect([argv, code, stderr]).toEqual([argv, 0, expect.any(String)]);
    };
    const data = join(fixture.folder.path, 'data');
    await good('run', 'pull-logs');
    await good('run', 'archive');
    await good('run', 'spend');
    await good('report', 'spend-summary', '--period', 'month-to-date', '--out', 'out');
    await good('reports', 'new', 'mine');
    {
      await using daemon = await fixture.serve();
      // Among them the write-ahead log, the lock and the socket of a daemon at work.
      expect(await openTo(data)).toEqual([]);
      daemon.kill('SIGTERM');
      await daemon.ended;
    }
    expect(await openTo(data)).toEqual([]);
    expect(await openTo(join(fixture.folder.path, 'out'))).toEqual([]);
    expect(await openTo(join(fixture.folder.path, 'config/reports'))).toEqual([]);
    expect(await readdir(data)).toEqual(
      expect.arrayContaining(['archive', 'outbox', 'reports', 'spool', 'tollkeeper.duckdb']),
    );

    const settings = await readFile(join(fixture.folder.path, 'config/tollkeeper.yaml'), 'utf8');
    await fixture.folder.write(
      'config/tollkeeper.yaml',
      settings.replace('threads: 1', 'threads: 1, archive: { readable_by: group }'),
    );
    await good('run', 'archive');
    const shared = await openTo(data);
    expect(shared[0]).toBe('. 710');
    expect(shared.slice(1).every((line) => /^archive.* (750|640)$/.test(line))).toBe(true);
    expect(shared.some((line) => line.endsWith('.parquet 640'))).toBe(true);
    expect(await openTo(data, 0o007)).toEqual([]);
  });
});
