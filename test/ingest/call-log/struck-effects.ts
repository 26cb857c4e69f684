import { setImmediate as turn } from 'node:timers/promises';
import { DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import { vi } from 'vitest';
import { fault, type FaultCode } from '../../../src/core/index.ts';
import { openSpoolFile, type OpenSpoolFile } from '../../../src/ingest/call-log/spool-file.ts';

/** Where a pull touches the world: the gateway, a piece of a body, the spool, the warehouse, its statements and commits. */
export type Effect = 'fetch' | 'piece' | 'spool' | 'warehouse' | 'statement' | 'commit';

/** One effect of a pull goes wrong, or the pull is told to stop in the middle of it. */
export type Strike = {
  readonly on: Effect | 'cut';
  /** So many of its kind come before it. */
  readonly nth: number;
  /** `after`: the effect takes place, and its caller hears that it has not. */
  readonly how: 'before' | 'after' | 'abort';
  readonly code: FaultCode;
  /** Turns of the event loop between the effect and the abort. */
  readonly turns: number;
  /** Of a body that is cut off: where, by thousandths of its length. */
  readonly share: number;
  /** It is cut so many bytes before the next line end before there, where little may show it. */
  readonly back: number | undefined;
};

const most: Readonly<Record<Strike['on'], number>> = {
  fetch: 2,
  piece: 8,
  spool: 9,
  warehouse: 5,
  statement: 60,
  commit: 2,
  cut: 2,
};

const codes: readonly FaultCode[] = [
  'gateway-timeout',
  'gateway-connection-lost',
  'gateway-refused',
  'gateway-server-error',
  'gateway-unreachable',
  'gateway-rate-limited',
  'export-not-csv',
];

export const strikes: fc.Arbitrary<Strike> = fc
  .constantFrom<Strike['on']>(
    'fetch',
    'piece',
    'spool',
    'warehouse',
    'statement',
    'statement',
    'commit',
    'cut',
    'cut',
  )
  .chain((on) =>
    fc.record({
      on: fc.constant(on),
      nth: fc.noBias(fc.integer({ min: 0, max: most[on] })),
      how: fc.constantFrom('before' as const, 'before' as const, 'after' as const, 'abort' as const),
      code: fc.constantFrom(...codes),
      turns: fc.integer({ min: 0, max: 4 }),
      share: fc.noBias(fc.integer({ min: 0, max: 999 })),
      back: fc.constantFrom(undefined, undefined, -1, -1, -1, 0, 1, 2, 3, 6),
    }),
  );

export const stopped = new Error('told to stop');

/** The effects of one pull, of which one may be struck. */
export type Effects = {
  readonly signal: AbortSignal;
  readonly run: <T>(effect: Effect, work: () => Promise<T>) => Promise<T>;
  /** How much of this body comes; all of it when nothing is said. */
  readonly cutAt: (body: Buffer) => number | undefined;
  /** What was struck, once it was. */
  readonly struck: () => string | undefined;
  readonly openFile: OpenSpoolFile;
};

const errorOf = (effect: Effect, { code }: Strike): unknown => {
  if (effect === 'spool') return Object.assign(new Error('struck: no space left'), { code: 'ENOSPC' });
  if (effect === 'fetch') return fault(code, 'struck');
  if (effect === 'piece') return fault('gateway-connection-lost', 'struck');
  return effect === 'warehouse' ? fault('warehouse-failed', 'struck') : new Error('IO Error: struck');
};

export const effectsWith = (strike: Strike | undefined): Effects => {
  const controller = new AbortController();
  const seen = new Map<Strike['on'], number>();
  let struck: string | undefined;
  const isStruck = (on: Strike['on']): boolean => {
    const count = seen.get(on) ?? 0;
    seen.set(on, count + 1);
    return strike?.on === on && strike.nth === count;
  };
  const abortSoon = async (turns: number): Promise<void> => {
    for (let left = turns; left > 0; left -= 1) await turn();
    controller.abort(stopped);
  };
  const run: Effects['run'] = async (effect, work) => {
    if (strike === undefined || !isStruck(effect)) return work();
    struck = `${effect} ${strike.nth} ${strike.how}`;
    if (strike.how === 'before') throw errorOf(effect, strike);
    if (strike.how === 'abort') {
      void abortSoon(strike.turns);
      return work();
    }
    await work();
    throw errorOf(effect, strike);
  };
  return {
    signal: controller.signal,
    run,
    cutAt: (body) => {
      if (strike === undefined || !isStruck('cut')) return undefined;
      const inside = Math.floor((body.length * strike.share) / 1000);
      const at = strike.back === undefined ? inside : Math.max(0, body.lastIndexOf(10, inside) - strike.back);
      struck = `cut ${strike.nth} at ${at} of ${body.length}`;
      return at;
    },
    struck: () => struck,
    openFile: async (path) => {
      await run('spool', async () => undefined);
      const file = await openSpoolFile(path);
      return {
        ...file,
        append: async (bytes) => run('spool', async () => file.append(bytes)),
        truncate: async (length) => run('spool', async () => file.truncate(length)),
        read: async (start, end) => run('spool', async () => file.read(start, end)),
        // A file that was not closed would be the test's own leak.
        close: async () => {
          await file.close();
          await run('spool', async () => undefined);
        },
      };
    },
  };
};

/**
 * Makes each statement of every warehouse of this process an effect, until it is disposed of: `during` has those of its
 * work struck. Tells too whether a commit took place that its caller heard nothing good of.
 */
export const strikeStatements = () => {
  const run = Object.getOwnPropertyDescriptor(DuckDBConnection.prototype, 'run')
    ?.value as DuckDBConnection['run'];
  let current: Effects | undefined;
  let hiddenCommits = 0;
  const spy = vi.spyOn(DuckDBConnection.prototype, 'run').mockImplementation(async function (
    this: DuckDBConnection,
    ...statement: Parameters<DuckDBConnection['run']>
  ) {
    const work = async () => run.apply(this, statement);
    const [sql] = statement;
    // What comes after a failure is not struck by another one.
    if (current === undefined || sql === 'ROLLBACK') return work();
    let done = false;
    try {
      return await current.run(sql === 'COMMIT' ? 'commit' : 'statement', async () => {
        const result = await work();
        done = true;
        return result;
      });
    } catch (error) {
      if (done && sql === 'COMMIT') hiddenCommits += 1;
      // A beginning that its caller hears nothing of can't be: there is an answer, or no transaction.
      if (done && sql === 'BEGIN TRANSACTION') await run.call(this, 'ROLLBACK');
      throw error;
    }
  });
  return {
    during: async <T>(effects: Effects, work: () => Promise<T>): Promise<T> => {
      current = effects;
      try {
        return await work();
      } finally {
        current = undefined;
      }
    },
    hiddenCommits: () => hiddenCommits,
    [Symbol.dispose]: () => spy.mockRestore(),
  };
};
