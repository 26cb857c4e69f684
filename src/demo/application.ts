import { readFile } from 'node:fs/promises';
import type { Clock } from '../core/index.ts';

/** What an application of the demo saw. */
export type Calls = { readonly made: number; readonly failed: number; readonly keys: number };

export type Application = AsyncDisposable & {
  readonly calls: () => Calls;
  /** Resolves when it has made so many calls more. */
  readonly more: (count: number) => Promise<void>;
};

/** Milliseconds between two calls. */
const rest = 25;

/** Stands for the customer's program: reads its key from a dotenv file before each call, and calls all the while. */
export const startApplication = async (of: {
  readonly baseUrl: string;
  readonly file: string;
  readonly variable: string;
  readonly clock: Pick<Clock, 'wait'>;
}): Promise<Application> => {
  const seen = new Set<string>();
  const state = { made: 0, failed: 0, isOver: false };
  const call = async (): Promise<void> => {
    state.made += 1;
    try {
      const lines = (await readFile(of.file, 'utf8')).split('\n');
      const key =
        lines.find((line) => line.startsWith(`${of.variable}=`))?.slice(of.variable.length + 1) ?? '';
      seen.add(key);
      const { status } = await fetch(`${of.baseUrl}/v1/embeddings`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'text-embedding-3-small', input: 'what is due?', dimensions: 8 }),
      });
      if (status !== 200) state.failed += 1;
    } catch {
      state.failed += 1;
    }
  };
  const calling = (async () => {
    while (!state.isOver) {
      await call();
      await of.clock.wait(rest);
    }
  })();
  return {
    calls: () => ({ made: state.made, failed: state.failed, keys: seen.size }),
    more: async (count) => {
      const due = state.made + count;
      while (state.made < due) await of.clock.wait(rest);
    },
    [Symbol.asyncDispose]: async () => {
      state.isOver = true;
      await calling;
    },
  };
};
