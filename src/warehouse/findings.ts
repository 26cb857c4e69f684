import type { Clock } from '../core/index.ts';
import { type OutboxEntry, putEntries, type Sql, type StateEngine } from '../storage/index.ts';
import { maxLateTries, type KnownGap, type LaggingWindow } from './comparisons/comparison.ts';
import { readGaps } from './comparisons/gap-rows.ts';
import { readLagging } from './comparisons/lag-rows.ts';
import { decideAndStore } from './decide-and-store.ts';
import { readLearnedChanges, type LearnedChange } from './profile/learned-changes.ts';

type Findings = { readonly learned: LearnedChange; readonly gap: KnownGap; readonly late: LaggingWindow };

type Source<Finding> = {
  readonly table: string;
  readonly isDue: string;
  readonly read: (connection: Sql, account: string, condition: string) => Promise<readonly Finding[]>;
};

const sources: { readonly [Kind in keyof Findings]: Source<Findings[Kind]> } = {
  learned: { table: 'learned_change', isDue: 'notified_at IS NULL', read: readLearnedChanges },
  gap: { table: 'comparison_gap', isDue: 'notified_at IS NULL', read: readGaps },
  late: {
    table: 'lagging_window',
    isDue: `notified_at IS NULL AND tries >= ${maxLateTries}`,
    read: readLagging,
  },
};

/**
 * Passes findings without a notification to `prepare`. Stores the mails that it returns and marks the findings as notified,
 * in one transaction.
 */
export type NotifyOnce = <Kind extends keyof Findings>(
  kind: Kind,
  account: string,
  prepare: (fresh: readonly Findings[Kind][]) => Promise<readonly OutboxEntry[]>,
) => Promise<void>;

export const createNotifyOnce =
  (engine: StateEngine, clock: Clock): NotifyOnce =>
  async (kind, account, prepare) => {
    const { table, isDue, read } = sources[kind];
    await decideAndStore(engine, {
      read: async (connection) => read(connection, account, isDue),
      decide: async (fresh) => (fresh.length === 0 ? undefined : prepare(fresh)),
      write: async (connection, mails) => {
        await putEntries(connection, mails);
        await connection.execute(
          `UPDATE ${table} SET notified_at = $now WHERE account = $account AND ${isDue}`,
          { account, now: clock.now() },
        );
      },
    });
  };
