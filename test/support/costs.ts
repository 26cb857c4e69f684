import { appendFileSync } from 'node:fs';
import { subscribe } from 'node:diagnostics_channel';
import { Session } from 'node:inspector/promises';
import type { Profiler } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement } from '@duckdb/node-api';
import { afterAll, expect } from 'vitest';

/** What the tests of one file cost; written as a line of JSON for `npm run bench -- tests`. Milliseconds. */
export type TestCosts = {
  readonly file: string;
  /** User and system time of the process, all its threads included. */
  readonly cpu: number;
  /** Samples of the main thread by what ran in it: a module of src, a package, `node`, `gc`, `test`. */
  readonly main: Readonly<Record<string, number>>;
  /** Databases that were opened, statements that were run, and requests that servers of the process answered. */
  readonly counts: Readonly<Record<'databases' | 'statements' | 'requests', number>>;
  /** How long databases and statements were waited for. */
  readonly waited: Readonly<Record<'databases' | 'statements', number>>;
};

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = process.env['TOLLKEEPER_TEST_COSTS'];

type Tally = {
  counts: { databases: number; statements: number; requests: number };
  waited: { databases: number; statements: number };
};
/** Of this process: it runs many files, and this module again for each. */
const shared = globalThis as { costsOfTests?: Tally };

/** Times each call of a method of DuckDB. */
const timed = (owner: object, name: string, kind: 'databases' | 'statements', tally: Tally): void => {
  const methods = owner as Record<string, (...given: unknown[]) => Promise<unknown>>;
  const method = methods[name];
  if (method === undefined) throw new RangeError(`DuckDB has no method ${name}`);
  methods[name] = async function (...given) {
    const began = performance.now();
    tally.counts[kind] += 1;
    try {
      return await method.apply(this, given);
    } finally {
      tally.waited[kind] += performance.now() - began;
    }
  };
};

const install = (): Tally => {
  const tally: Tally = {
    counts: { databases: 0, statements: 0, requests: 0 },
    waited: { databases: 0, statements: 0 },
  };
  timed(DuckDBInstance, 'create', 'databases', tally);
  // Every statement runs through one of these.
  for (const name of ['run', 'stream']) timed(DuckDBConnection.prototype, name, 'statements', tally);
  timed(DuckDBPreparedStatement.prototype, 'run', 'statements', tally);
  subscribe('http.server.request.start', () => {
    tally.counts.requests += 1;
  });
  return tally;
};

const kindOf = ({ callFrame: { functionName, url } }: Profiler.ProfileNode): string => {
  if (functionName === '(garbage collector)') return 'gc';
  if (functionName.startsWith('(')) return functionName;
  if (url.startsWith('node:inspector')) return 'profiler';
  const path = relative(root, url.startsWith('file:') ? fileURLToPath(url) : url);
  const [, named] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  if (named !== undefined) return named;
  const [top, module] = path.split('/');
  if (top === 'src') return `src/${module ?? ''}`;
  return top === 'test' ? 'test' : 'node';
};

/** Milliseconds of samples by kind, without those in which nothing ran. */
const byKind = ({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Record<string, number> => {
  const kinds = new Map(nodes.map((node) => [node.id, kindOf(node)]));
  const found: Record<string, number> = {};
  for (const [at, id] of samples.entries()) {
    const kind = kinds.get(id) ?? '';
    if (kind === '(idle)' || kind === 'profiler') continue;
    found[kind] = (found[kind] ?? 0) + (timeDeltas[at] ?? 0) / 1000;
  }
  return found;
};

if (target !== undefined) {
  const tally = (shared.costsOfTests ??= install());
  const before = structuredClone(tally);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  const cpuBefore = process.cpuUsage();
  afterAll(async () => {
    const { user, system } = process.cpuUsage(cpuBefore);
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    const since = <K extends string>(now: Record<K, number>, then: Record<K, number>): Record<K, number> =>
      Object.fromEntries(Object.keys(now).map((key) => [key, now[key as K] - then[key as K]])) as Record<
        K,
        number
      >;
    const costs: TestCosts = {
      file: relative(root, expect.getState().testPath ?? ''),
      cpu: (user + system) / 1000,
      main: byKind(profile),
      counts: since(tally.counts, before.counts),
      waited: since(tally.waited, before.waited),
    };
    appendFileSync(target, `${JSON.stringify(costs)}\n`);
  });
}
