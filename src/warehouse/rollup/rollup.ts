import { interval, unixSeconds } from '../../core/index.ts';
import { inTransaction } from '../rows.ts';
import { changedRange } from './change-calls.ts';
import { differentDays, type CompareDepth, type DifferentDay } from './compare.ts';
import { createRefresh, type RefreshDeps, type RefreshRollup } from './refresh.ts';

/** Sums of the call log by local day, model, key and kind, from which reports and alerts read whole days. */
export type RollupTable = {
  readonly refresh: RefreshRollup;
  /** Days whose cells differ from their calls. @throws fault archive-damaged. */
  readonly compare: (
    account: string,
    depth: CompareDepth,
    signal?: AbortSignal,
  ) => Promise<readonly DifferentDay[]>;
  /** Marks days: they are read from their calls until their cells are built again. */
  readonly discard: (account: string, days: readonly DifferentDay[]) => Promise<void>;
};

export const createRollup = (deps: RefreshDeps): RollupTable => {
  const { engine, readCalls } = deps;
  return {
    refresh: createRefresh(deps),
    compare: async (account, depth, signal) =>
      engine.bulk(
        async (connection) =>
          readCalls(connection, account, async (callsIn) =>
            differentDays(connection, callsIn, account, depth),
          ),
        signal,
      ),
    discard: async (account, days) =>
      engine.bulk(async (connection) =>
        inTransaction(connection, async () => {
          for (const { start } of days)
            await changedRange(connection, { account, ...interval(start, unixSeconds(start + 1)) });
        }),
      ),
  };
};
