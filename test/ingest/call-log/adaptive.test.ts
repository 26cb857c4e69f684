import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { fault, interval, type FaultCode } from '../../../src/core/index.ts';
import { pullLogs, type LogQuery } from '../../../src/ingest/index.ts';
import {
  chunksOf,
  logSource,
  plainStyle,
  seconds,
  sumOf,
  type LogSource,
  type SourceRow,
} from './log-source.ts';
import { base, pullOf, openNew } from '../support.ts';

const whole = interval(seconds(0), seconds(4_000_000_000));
const hour = 3600;

const rows: readonly SourceRow[] = Array.from({ length: 300 }, (_, index) => ({
  at: base + index * 287,
  model: 'm',
  token: 'k',
  prompt: index,
  quota: `0.${1000 + index}`,
}));
const total = sumOf(rows.map(({ quota }) => quota));

type Strike = (query: LogQuery) => FaultCode | 'cut' | 'stream' | undefined;

/** A gateway that fails at some questions, before its answer or in the middle of it. */
const failing = (strike: Strike, source: LogSource = logSource(rows)) => {
  const struck: LogQuery[] = [];
  return {
    ...source,
    struck,
    fetchLogs: async (query: LogQuery) => {
      const how = strike(query);
      if (how === undefined) return source.fetchLogs(query);
      struck.push(query);
      if (how !== 'cut' && how !== 'stream') throw fault(how, 'not this one');
      const { body } = await source.fetchLogs(query);
      const pieces: Uint8Array[] = [];
      for await (const piece of body) pieces.push(piece);
      const text = Buffer.concat(pieces);
      const half = text.subarray(0, Math.floor(text.length / 2));
      if (how === 'cut') return { body: chunksOf(half, 100) };
      return {
        body: (async function* () {
          yield half;
          throw fault('gateway-connection-lost', 'the connection broke');
        })(),
      };
    },
  };
};

const longerThan =
  (length: number, how: ReturnType<Strike>): Strike =>
  ({ start, end }) =>
    end - start > length ? how : undefined;

const day = { windowSeconds: 24 * hour };

describe('a gateway that answers only short windows', () => {
  it.each<[string, ReturnType<Strike>]>([
    ['times out', 'gateway-timeout'],
    ['refuses', 'gateway-refused'],
    ['answers with a status', 'gateway-http-error'],
    ['fails', 'gateway-server-error'],
    ['answers a page', 'export-not-csv'],
    ['outgrows its limit', 'gateway-answer-too-large'],
    ['breaks off', 'stream'],
    ['ends too soon', 'cut'],
  ])('and %s else is asked for less, and then for no more than it answers', async (_, how) => {
    const { folder, warehouse } = await openNew();
    const source = failing(longerThan(2 * hour, how));
    const pulled = await pullLogs(pullOf(folder, warehouse, source, day));
    expect(pulled).toMatchObject({ rows: 300, quota: total, windows: 16 });
    expect(await warehouse.spend('main', whole)).toMatchObject({ net: total, calls: 300 });
    // 24, 12, 6 and 3 hours, the first of them perhaps twice; never again.
    expect(source.struck.length).toBeLessThanOrEqual(5);
    expect(await readdir(folder.spool)).toEqual([]);
  });

  it('is reported as failing when even one second is refused, because length is not the cause', async () => {
    const { folder, warehouse } = await openNew();
    const source = failing(({ columns }) => (columns.length === 0 ? undefined : 'gateway-server-error'));
    await expect(pullLogs(pullOf(folder, warehouse, source, day))).rejects.toMatchObject({
      code: 'gateway-server-error',
    });
    expect(source.struck).toHaveLength(2);
  });

  it('is abandoned after the maximum number of halvings', async () => {
    const { folder, warehouse } = await openNew();
    const source = failing(longerThan(2, 'gateway-timeout'));
    const pull = pullOf(folder, warehouse, source, {
      windowSeconds: 31 * 24 * hour,
      until: seconds(base + 31 * 24 * hour),
    });
    await expect(pullLogs(pull)).rejects.toMatchObject({ code: 'gateway-timeout' });
    expect(source.struck).toHaveLength(13);
  });

  it.each([
    'gateway-key-refused',
    'gateway-rate-limited',
    'gateway-unreachable',
    'export-row-invalid',
  ] as const)('is not asked for less after %s', async (code) => {
    const { folder, warehouse } = await openNew();
    const source = failing(longerThan(2 * hour, code));
    await expect(pullLogs(pullOf(folder, warehouse, source, day))).rejects.toMatchObject({ code });
    expect(source.struck).toHaveLength(1);
  });

  it('and supports fewer columns is asked for shorter windows and fewer columns', async () => {
    const { folder, warehouse } = await openNew();
    const source = failing((query) =>
      query.end - query.start > 5 * hour || query.columns.includes('note') ? 'gateway-refused' : undefined,
    );
    const pulled = await pullLogs(pullOf(folder, warehouse, source, day));
    expect(pulled).toMatchObject({ rows: 300, quota: total });
    expect(pulled.columns).not.toContain('note');
    expect(source.struck.length).toBeLessThan(8);
  });

  it('and drops a column during a pull is asked for the columns that remain', async () => {
    const { folder, warehouse } = await openNew();
    const order = plainStyle.order.filter((name) => name !== 'note');
    const [former, latter] = [logSource(rows), logSource(rows, { ...plainStyle, order })];
    const isLate = ({ end }: LogQuery): boolean => end > base + 10 * hour;
    const source = failing((query) =>
      isLate(query) && query.columns.includes('note') ? 'gateway-refused' : undefined,
    );
    const fetchLogs: typeof source.fetchLogs = async (query) =>
      isLate(query) && !query.columns.includes('note') ? latter.fetchLogs(query) : source.fetchLogs(query);
    const pull = pullOf(folder, warehouse, former, { windowSeconds: 4 * hour, ahead: 2 });
    const pulled = await pullLogs({ ...pull, fetchLogs });
    expect(pulled).toMatchObject({ rows: 300, quota: total, windows: 6 });
    expect(pulled.columns).not.toContain('note');
    expect(source.struck.length).toBeLessThan(4);
    expect(await readdir(folder.spool)).toEqual([]);
  });

  it('leaves the rows before a second that never succeeds stored', async () => {
    const { folder, warehouse } = await openNew();
    const bad = base + 30_000;
    const source = failing(({ start, end }) =>
      start <= bad && end >= bad ? 'gateway-server-error' : undefined,
    );
    await expect(pullLogs(pullOf(folder, warehouse, source, day))).rejects.toMatchObject({
      code: 'gateway-server-error',
    });
    // The question is one second wider than the window.
    expect((await warehouse.logs.watermark('main'))?.end).toBeGreaterThan(bad - 3);
    expect(source.queries.length + source.struck.length).toBeLessThan(120);
    const before = rows.filter(({ at }) => at < bad - 3);
    expect(await warehouse.spend('main', whole)).toMatchObject({ calls: before.length });
  });

  it('and breaks off once is sent the same request again', async () => {
    const { folder, warehouse } = await openNew();
    let times = 0;
    const source = failing(({ columns }) => (columns.length > 0 && times++ === 0 ? 'stream' : undefined));
    expect(await pullLogs(pullOf(folder, warehouse, source, day))).toMatchObject({ rows: 300, windows: 1 });
  });

  it('is asked backwards for the time before the stored rows', async () => {
    const { folder, warehouse } = await openNew();
    await pullLogs(pullOf(folder, warehouse, logSource(rows), { ...day, since: seconds(base + 20 * hour) }));
    const source = failing(longerThan(3 * hour, 'gateway-timeout'));
    let landings = 0;
    const logs = {
      ...warehouse.logs,
      landWindow: async (...batch: Parameters<typeof warehouse.logs.landWindow>) => {
        landings += 1;
        if (landings === 4) throw fault('warehouse-failed', 'stopped');
        return warehouse.logs.landWindow(...batch);
      },
    };
    const pull = pullOf(folder, warehouse, source, { ...day, warehouse: { ...warehouse, logs } });
    await expect(pullLogs(pull)).rejects.toMatchObject({ code: 'warehouse-failed' });
    // Without a gap, whenever it stops.
    expect(await warehouse.logs.watermark('main')).toEqual({
      start: base + 12.5 * hour,
      end: base + 24 * hour,
    });
  });
});

it('a dense hour is requested in small windows, and the sparse hours around it in long ones', async () => {
  const { folder, warehouse } = await openNew();
  const dense = Array.from({ length: 35_500 }, (_, index) => ({
    at: base + 48 * hour + Math.floor(index / 20),
    model: 'm',
    token: 'k',
    prompt: 1,
    quota: '0.5',
  }));
  const source = logSource(dense, { cap: 10_000, newestFirst: true, chunk: 65_536 });
  const pull = pullOf(folder, warehouse, source, {
    windowSeconds: 48 * hour,
    until: seconds(base + 480 * hour),
  });
  expect(await pullLogs(pull)).toMatchObject({ rows: 35_500 });
  expect(source.queries.length).toBeLessThan(60);
});
