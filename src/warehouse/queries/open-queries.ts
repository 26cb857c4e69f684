import type { Clock, Deps } from '../../core/index.ts';
import type { BoundQuery } from '../cube/bound-query.ts';
import type { Needs } from '../cube/needs.ts';
import { createOwnQueries } from './in-process.ts';
import { createIsolatedQueries } from './isolated.ts';
import type { QueryEngine } from './query-engine.ts';
import type { ProcessOptions } from './query-process.ts';

/** A report has about twenty queries; a result holds its syntax tree. */
const mostKept = 200;

/** Keeps the results by SQL, those that were used last. */
const keptBySql = <T>(isKept: (result: T) => boolean) => {
  const kept = new Map<string, T>();
  return async (sql: string, find: () => Promise<T>): Promise<T> => {
    const known = kept.get(sql);
    const result = known ?? (await find());
    if (!isKept(result)) return result;
    kept.delete(sql);
    kept.set(sql, result);
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    return result;
  };
};

/** What a query is bound to and needs depends on its SQL alone: one that ran before is not planned again. */
const bound = keptBySql<BoundQuery>(({ fault }) => fault === undefined);
const needed = keptBySql<Needs>(() => true);

export const openQueries = (
  start: Deps['startQueryProcess'],
  clock: Clock,
  options: ProcessOptions = {},
): QueryEngine => {
  const queries =
    start === undefined ? createOwnQueries(clock) : createIsolatedQueries(start, clock, options);
  return {
    ...queries,
    bind: async (sql, signal) => bound(sql, async () => queries.bind(sql, signal)),
    needs: async (sql, signal) => needed(sql, async () => queries.needs(sql, signal)),
  };
};
