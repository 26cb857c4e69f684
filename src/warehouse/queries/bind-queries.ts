import type { BoundQuery } from '../cube/bound-query.ts';
import type { QueryEngine } from './query-engine.ts';

/** Checks named queries of reports against the tables that they may name. */
export type BindQueries = (queries: ReadonlyMap<string, string>) => Promise<ReadonlyMap<string, BoundQuery>>;

export const bindWith =
  ({ bind }: Pick<QueryEngine, 'bind'>): BindQueries =>
  async (queries) => {
    const bound = new Map<string, BoundQuery>();
    for (const [name, sql] of queries) bound.set(name, await bind(sql));
    return bound;
  };
