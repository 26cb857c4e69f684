import { fault } from '../../core/index.ts';
import type { QueryEngine } from './query-engine.ts';

/** Queries that people and assistants ask at the same time. */
const mostAtOnce = 2;

/** Queries that people and assistants ask. Each runs in an engine of its own, so that it holds up neither reports nor others. */
export type AskedQueries = AsyncDisposable & {
  /** @throws fault queries-busy, at once */
  readonly run: <T>(work: (queries: QueryEngine) => Promise<T>) => Promise<T>;
};

export const createAskedQueries = (open: () => QueryEngine): AskedQueries => {
  const engines: QueryEngine[] = [];
  const free: QueryEngine[] = [];
  let running = 0;
  const engine = (): QueryEngine => {
    const next = free.pop() ?? open();
    if (!engines.includes(next)) engines.push(next);
    return next;
  };
  return {
    run: async (work) => {
      if (running === mostAtOnce) throw fault('queries-busy', `${mostAtOnce} queries run already`);
      running += 1;
      const own = engine();
      try {
        return await work(own);
      } finally {
        free.push(own);
        running -= 1;
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const one of engines) await one[Symbol.asyncDispose]();
    },
  };
};
