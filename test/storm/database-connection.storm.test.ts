import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { interval, isFault, noProgress, silentLog, systemClock } from '../../src/core/index.ts';
import { openDatabase, openSharedWarehouse, type Warehouse } from '../../src/warehouse/index.ts';
import { startMessageProxy, type MessageProxy, type Trouble } from '../storage/support/message-proxy.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { isLong } from '../support/storm.ts';
import { at, batchOfCalls, someCalls } from '../warehouse/archive/archive-support.ts';
import { openInMemory, optionsIn, testFolder, type TestFolder } from '../warehouse/support.ts';

const cases = Number(process.env['TOLLKEEPER_CONNECTION_CASES'] ?? (isLong ? 500 : 40));
/** Milliseconds: a connection that says nothing is given up after two thirds of it. */
const lease = 1500;

const account = 'main';
const month = interval(at('2024-03-01'), at('2024-04-01'));
/** Two contents of the same window, which replace each other. */
const contents = [someCalls(month, 2000), someCalls(month, 2600)] as const;

const actions = ['read', 'land', 'back up', 'claim'] as const;
type Action = (typeof actions)[number];
const troubles = ['split', 'delay', 'freeze', 'cut'] as const;
type Kind = (typeof troubles)[number];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** What happens at the message of this number; all of them are split. */
const troubleAt =
  (kind: Kind, boundary: number, millis: number) =>
  ({ nth }: { readonly nth: number }): Trouble => {
    if (kind === 'split') return 'split';
    if (kind === 'delay') return nth >= boundary && nth < boundary + 20 ? millis : 'pass';
    return nth === boundary ? kind : 'pass';
  };

let cluster: PostgresCluster;
let proxy: MessageProxy;
let folder: TestFolder;
let warehouse: Warehouse;
let direct: Warehouse;
let truth: readonly string[];
let name: string;

let opened = 0;
/** As a replica that works, or one that only reads. */
const openAt = async (port: number, works: boolean): Promise<Warehouse> => {
  const holder = `replica ${(opened += 1)}`;
  const url = `postgres://test:p%2Fw-storm@127.0.0.1:${port}/${name}`;
  const shared = await openDatabase({
    url,
    holder,
    lease,
    timeout: 60_000,
    clock: systemClock,
    log: silentLog,
  });
  if (works) await shared.leases.hold([account], new AbortController().signal);
  return openSharedWarehouse(shared, optionsIn(folder, join(folder.path, holder, 'test.duckdb')));
};
const land = async (of: Warehouse, content: number): Promise<void> => {
  await of.logs.landWindow(await batchOfCalls(folder, month, contents[content] ?? []));
};
const read = async (of: Warehouse): Promise<string> => JSON.stringify(await of.spend(account, month));

beforeAll(async () => {
  if (noPostgres !== undefined) return;
  cluster = await startPostgres({ overTcp: true });
  await cluster.execute(["ALTER ROLE test PASSWORD 'p/w-storm'"]);
  proxy = await startMessageProxy(cluster.port);
  folder = await testFolder();
  await mkdir(folder.spool, { recursive: true });
  const figures: string[] = [];
  for (const content of [0, 1]) {
    await using file = await openInMemory(folder);
    await land(file, content);
    figures.push(await read(file));
  }
  truth = figures;
  name = /\/(test_\d+)\?/.exec(await cluster.createUrl())?.[1] ?? '';
  direct = await openAt(cluster.port, false);
  warehouse = await openAt(proxy.port, true);
  await land(warehouse, 0);
});
afterAll(async () => {
  if (noPostgres !== undefined) return;
  proxy.trouble(() => 'pass');
  await warehouse[Symbol.asyncDispose]();
  await direct[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

let stored = 0;
let backups = 0;
const perform = async (action: Action): Promise<string> => {
  if (action === 'read') return read(warehouse);
  if (action === 'land') {
    await land(warehouse, 1 - stored);
    return truth[1 - stored] ?? '';
  }
  if (action === 'claim') {
    await warehouse.runs.list({ limit: 10 });
    await warehouse.seriesColours.assign(account, [`series ${backups}`]);
    return truth[stored] ?? '';
  }
  backups += 1;
  const place = join(folder.path, `backup-${backups}`);
  await mkdir(join(place, 'outbox'), { recursive: true });
  const copy = await warehouse.copyToFile?.({
    path: join(place, 'x.duckdb'),
    mailFolder: join(place, 'outbox'),
    progress: noProgress,
    signal: new AbortController().signal,
  });
  // It has compared the tables already.
  const { served } = JSON.parse(truth[stored] ?? '') as { served: string };
  expect(Number(copy?.facts.charges[account])).toBe(Number(served));
  return truth[stored] ?? '';
};

/** The messages of each action, counted once without any trouble. */
const boundaries = new Map<Action, number>();
const countBoundaries = async (): Promise<void> => {
  for (const action of actions) {
    let count = 0;
    proxy.trouble(() => {
      count += 1;
      return 'pass';
    });
    await perform(action);
    if (action === 'land') stored = 1 - stored;
    boundaries.set(action, count);
  }
  proxy.trouble(() => 'pass');
};

const drawn = fc.record({
  action: fc.constantFrom<Action>('read', 'read', 'land', 'land', 'claim', 'back up'),
  kind: fc.constantFrom(...troubles),
  part: fc.double({ min: 0, max: 1, noNaN: true }),
  millis: fc.integer({ min: 1, max: 8 }),
});

it.skipIf(noPostgres !== undefined)(
  'no figure over a connection that splits, delays, freezes or is cut at any message differs from that of the file, or the work fails with a fault',
  async () => {
    await countBoundaries();
    const outcomes = new Map<string, number>();
    let [slowest, replaced] = [0, 0];
    await fc.assert(
      fc.asyncProperty(drawn, async ({ action, kind, part, millis }) => {
        const boundary = 1 + Math.floor(part * (boundaries.get(action) ?? 1));
        proxy.trouble(troubleAt(kind, boundary, millis));
        const began = performance.now();
        let outcome = 'right';
        try {
          const figure = await perform(action);
          if (action === 'land') stored = 1 - stored;
          expect(figure).toBe(truth[stored]);
        } catch (error) {
          if (!isFault(error)) throw error;
          outcome = error.code;
        }
        slowest = Math.max(slowest, performance.now() - began);
        proxy.trouble(() => 'pass');
        const now = await read(direct);
        // A commit whose answer was lost may count; nothing between the two contents does.
        if (outcome !== 'right' && action === 'land') stored = truth.indexOf(now);
        expect([action, kind, boundary, now]).toEqual([action, kind, boundary, truth[stored]]);
        // A connection that was cut while it was idle may still be in the pool.
        const again = await read(warehouse)
          .catch(() => read(warehouse))
          .catch((error: unknown) => error);
        if (isFault(again) && again.code === 'lease-lost') {
          // It has ended; as a replica that is started again, this one waits for the lease.
          await warehouse[Symbol.asyncDispose]();
          warehouse = await openAt(proxy.port, true);
          replaced += 1;
        } else expect(again).toBe(truth[stored]);
        const about = `${kind}: ${outcome}`;
        outcomes.set(about, (outcomes.get(about) ?? 0) + 1);
      }),
      { numRuns: cases, endOnFailure: true },
    );
    const run = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
    say(`${run} of ${cases} cases, the slowest took ${Math.round(slowest)} ms with a lease of ${lease} ms`);
    say(`${replaced} times the lease was lost`);
    for (const [about, count] of outcomes) say(`${about}: ${count}`);
  },
  Math.max(600_000, cases * 20_000),
);
