import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { interval } from '../../../src/core/index.ts';
import { pullLogs } from '../../../src/ingest/index.ts';
import { runUntilKilled } from '../../support/child-module.ts';
import { optionsIn } from '../../warehouse/support.ts';
import { openWarehouse } from '../../support/postgres-warehouse.ts';
import { csvOf, logSource, plainStyle, seconds, sumOf } from './log-source.ts';
import { base, pullOf, testFolder } from '../support.ts';

/** A pull that is killed at the moment named: no handler runs, nothing is tidied up. */
const child = `
  const [csvs, moment] = given;
  const { readFileSync } = await import('node:fs');
  const { pullLogs } = await import(out + '/ingest/index.js');
  const warehouse = await openWarehouse(options);
  const bodies = JSON.parse(readFileSync(csvs, 'utf8'));
  let landed = 0;
  const day = ${base - (base % 86_400)};
  const ahead = moment === 'while others are fetched ahead' ? 2 : 0;
  await pullLogs({
    account: 'main', since: ${base}, until: ${base + 4 * 3600}, windowSeconds: 3600, columns: 'detailed', currency: 'USD',
    profile: base.unknownGateway, spoolDirectory: spool, clock: base.systemClock, log: base.silentLog, progress: base.noProgress,
    ahead,
    fetchLogs: async ({ start, columns }) => {
      const call = columns.length === 0 ? 1 : 2 + Math.round((start - ${base}) / 3600);
      const body = Buffer.from(bodies[call - 1]);
      return { body: (async function* () {
        yield body.subarray(0, body.length >> 1);
        if (moment === 'in the stream' && call === 4) die();
        if (ahead > 0 && call === 5) die();
        yield body.subarray(body.length >> 1);
        if (moment === 'before the landing' && call === 4) die();
      })() };
    },
    warehouse: { profile: warehouse.profile, logs: { ...warehouse.logs, landWindow: async (batch, signal) => {
      if (moment === 'in the landing' && landed === 2) setTimeout(die, 3);
      const result = await warehouse.logs.landWindow(batch, signal);
      landed += 1;
      if (moment === 'after the landing' && landed === 2) die();
      if (moment === 'while the rollup is built' && landed === 3) setTimeout(die, 8);
      await warehouse.rollup.refresh({ account: 'main', zone: 'UTC', range: base.interval(day, day + 86400) });
      if (moment === 'after the rollup is built' && landed === 3) die();
      return result;
    } } },
  });
  die();`;

it('a pull killed at any moment leaves only whole windows, and the next pull completes it', async () => {
  await using folder = await testFolder();
  const rows = Array.from({ length: 8000 }, (_, index) => ({
    at: base + Math.floor((index * 14_400) / 8000),
    model: 'gpt-4o',
    token: `key-${index % 7}`,
    prompt: index,
    quota: `0.0000${1000 + index}`,
  }));
  const inHour = (hour: number) =>
    rows.filter(({ at }) => at >= base + hour * 3600 - 1 && at <= base + (hour + 1) * 3600);
  const csvs = join(folder.path, 'bodies.json');
  await writeFile(
    csvs,
    JSON.stringify([[], inHour(0), inHour(1), inHour(2), inHour(3)].map((list) => csvOf(list, plainStyle))),
  );
  const sumUpTo = (end: number): string =>
    sumOf(rows.filter(({ at }) => at < end).map(({ quota }) => quota)) || '0';
  for (const [index, moment] of [
    'in the stream',
    'before the landing',
    'in the landing',
    'after the landing',
    'while others are fetched ahead',
    'while the rollup is built',
    'after the rollup is built',
  ].entries()) {
    const database = join(folder.path, `crash-${index}.duckdb`);
    expect(await runUntilKilled(child, database, folder.spool, csvs, moment)).toBe('SIGKILL');
    // Windows fetched side by side: the one at work and those ahead of it.
    const left = (await readdir(folder.spool)).length;
    // The rollup is built when the spool of its window is gone.
    expect(left).toBeGreaterThanOrEqual(index === 4 ? 2 : index > 4 ? 0 : 1);

    await using warehouse = await openWarehouse(optionsIn(folder, database));
    expect(await readdir(folder.spool)).toEqual([]);
    const whole = interval(seconds(0), seconds(4_000_000_000));
    const watermark = (await warehouse.logs.cursor('main')) ?? 0;
    expect((index === 4 ? [1, 2, 3] : [2, 3, 4]).map((hours) => base + hours * 3600)).toContain(watermark);
    expect((await warehouse.spend('main', whole)).net).toBe(sumUpTo(watermark));
    expect(await warehouse.rollup.compare('main', 'cells')).toEqual([]);
    await pullLogs(
      pullOf(folder, warehouse, logSource(rows), { until: seconds(base + 4 * 3600), windowSeconds: 3600 }),
    );
    expect((await warehouse.spend('main', whole)).net).toBe(sumUpTo(base + 4 * 3600));
    await warehouse.rollup.keepUp('main');
    expect(await warehouse.rollup.compare('main', 'cells')).toEqual([]);
  }
});
