import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { interval, localDays } from '../../src/core/index.ts';
import { pullLogs } from '../../src/ingest/index.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/index.ts';
import { compiledModules } from '../support/compiled-modules.ts';
import { optionsIn } from '../warehouse/support.ts';
import {
  csvOf,
  logSource,
  plainStyle,
  seconds,
  sumOf,
  type SourceRow,
} from '../ingest/call-log/log-source.ts';
import { base, pullOf, testFolder } from '../ingest/support.ts';

const count = Math.max(1, Number(process.env['TOLLKEEPER_PULL_ROUNDS'] ?? 60));
const seed = Number(process.env['TOLLKEEPER_STORM_SEED'] ?? Date.now() % 2 ** 31);

const hour = 3600;
/** What a round pulls again, and what it pulls again. */
const step = 4 * hour;

/** A process that pulls a span, says when it begins, and is killed by its parent whenever that pleases. */
const child = `
  const [out, database, spool, url, from, until] = process.argv.slice(1);
  const base = await import(out + '/core/index.js');
  const { openWarehouse } = await import(out + '/warehouse/index.js');
  const { pullLogs } = await import(out + '/ingest/index.js');
  const warehouse = await openWarehouse({ path: database, memoryLimit: '256MB', threads: 2, spoolDirectory: spool, clock: base.systemClock, log: base.silentLog });
  process.stdout.write('begun\\n');
  await pullLogs({
    account: 'main', since: ${base}, until: Number(until), ...(from === '' ? {} : { from: Number(from) }), windowSeconds: 1200,
    columns: 'detailed', currency: 'USD', profile: base.unknownGateway, spoolDirectory: spool, clock: base.systemClock,
    log: base.silentLog, progress: base.noProgress, warehouse, ahead: 2,
    fetchLogs: async ({ start, end, columns }) => ({ body: (await fetch(url + '?start=' + start + '&end=' + end)).body }),
  });
  await warehouse[Symbol.asyncDispose]();`;

/** One call in 20 seconds; every third twice. */
const rowsOf = (from: number, to: number): readonly SourceRow[] => {
  const rows: SourceRow[] = [];
  for (let at = from; at < to; at += 20) {
    const index = (at - base) / 20;
    const row = { at, model: `m-${index % 3}`, token: 'k', prompt: index, quota: `0.0${1000 + index}` };
    rows.push(row, ...(index % 3 === 0 ? [row] : []));
  }
  return rows;
};

/** Rows, tokens and amounts by quarter hour and model. */
const stored = async (warehouse: Warehouse): Promise<readonly string[]> => {
  const days = localDays('2025-12-31', '2026-01-20', 'UTC');
  return warehouse.readCube({ account: 'main', periods: [{ name: 'current', days }] }, async (query) => {
    const { rows } = await query(
      'SELECT quarter, model_name, sum(rows)::BIGINT, sum(prompt_tokens), sum(amount) FROM cube GROUP BY ALL',
    );
    return rows.map((row) => JSON.stringify(row)).toSorted();
  });
};

const expected = (to: number): readonly string[] => {
  const groups = new Map<string, SourceRow[]>();
  for (const row of rowsOf(base, to)) {
    const key = JSON.stringify([String(row.at - (row.at % 900)), row.model]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups]
    .map(([key, rows]) => {
      const prompt = rows.reduce((sum, row) => sum + row.prompt, 0);
      const figures = [String(rows.length), String(prompt), sumOf(rows.map(({ quota }) => quota))];
      return JSON.stringify([...(JSON.parse(key) as string[]), ...figures]);
    })
    .toSorted();
};

it(
  'pulls killed at random moments leave only whole windows, and the next pull completes them',
  { timeout: 120_000 + count * 30_000 },
  async () => {
    process.stdout.write(`storm of ${count} killed pulls, TOLLKEEPER_STORM_SEED=${seed}\n`);
    await using folder = await testFolder();
    const out = await compiledModules();
    const database = join(folder.path, 'killed.duckdb');
    const source = createServer((request, response) => {
      const query = new URL(request.url ?? '', 'http://localhost').searchParams;
      const [start, end] = [Number(query.get('start')), Number(query.get('end'))];
      const first = Math.max(base, base + Math.ceil((start - base) / 20) * 20);
      response.setHeader('content-type', 'text/csv');
      response.end(csvOf(rowsOf(first, end + 1), plainStyle));
    });
    source.listen(0, '127.0.0.1');
    await once(source, 'listening');
    const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/`;
    const draws = fc.sample(fc.tuple(fc.boolean(), fc.noBias(fc.integer({ min: 0, max: 1000 }))), {
      numRuns: count,
      seed,
    });
    const landed = { nothing: 0, some: 0, all: 0 };
    let farthest = base;
    /** Milliseconds within which a pull may end: learned, so that kills fall all over it. */
    let longest = 1000;
    try {
      for (const [again, moment] of draws) {
        const until = farthest + step;
        // Every other round begins with what is landed already.
        const from = again && farthest > base ? String(Math.max(base, farthest - step)) : '';
        const argv = [out, database, folder.spool, url, from, String(until)];
        const pull = spawn(process.execPath, ['--input-type=module', '-e', child, ...argv], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const exit = once(pull, 'exit');
        await Promise.race([once(pull.stdout, 'data'), exit]);
        const ended = await Promise.race([exit, pause((moment / 1000) * longest)]);
        if (ended === undefined) pull.kill('SIGKILL');
        const [code, signal] = (await exit) as [number | null, string | null];
        if (signal === null) expect(code).toBe(0);

        await using warehouse = await openWarehouse(optionsIn(folder, database));
        expect(await readdir(folder.spool)).toEqual([]);
        const covered = await warehouse.logs.watermark('main');
        const end = covered?.end ?? base;
        expect(end).toBeGreaterThanOrEqual(farthest);
        expect((end - base) % 1200).toBe(0);
        const outcome = end === farthest ? 'nothing' : end === until ? 'all' : 'some';
        landed[outcome] += 1;
        if (outcome !== 'some') longest *= outcome === 'all' ? 0.8 : 1.25;
        expect(await stored(warehouse)).toEqual(expected(end));
        const { calls } = await warehouse.spend('main', interval(seconds(0), seconds(4_000_000_000)));
        expect(calls).toBe(rowsOf(base, end).length);
        expect(await warehouse.rollup.compare('main', 'cells')).toEqual([]);

        const next = logSource(rowsOf(Math.max(base, end - hour), until + hour));
        const request = pullOf(folder, warehouse, next, { until: seconds(until), windowSeconds: hour });
        await pullLogs(request);
        expect(await stored(warehouse)).toEqual(expected(until));
        farthest = until;
      }
    } finally {
      source.closeAllConnections();
      source.close();
      await once(source, 'close');
    }
    process.stdout.write(`killed pulls had landed ${JSON.stringify(landed)}\n`);
    if (count >= 20) expect(landed.some).toBeGreaterThan(0);
  },
);
