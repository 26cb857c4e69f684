import { dateAt, interval, unixSeconds, type Interval, type UnixSeconds } from '../../core/index.ts';
import { writeLearnedChanges } from '../profile/learned-changes.ts';
import { column, readAs, rowReader, seconds, text, type Sql } from '../../storage/index.ts';
import { changedRange } from './change-calls.ts';
import { differentDays, type CompareDepth } from './compare.ts';
import type { DifferentDay } from './rollup-schema.ts';
import { rollupTables } from './cells.ts';
import {
  createRefresh,
  type CallsVersion,
  type RefreshDeps,
  type RefreshHours,
  type RefreshRollup,
} from './refresh.ts';

/** Sums of the call log by local day, model, key and kind, from which reports and alerts read whole days. */
export type RollupTable = {
  readonly refresh: RefreshRollup;
  readonly refreshHours: RefreshHours;
  readonly version: CallsVersion;
  /** Days whose cells differ from their calls. @throws fault archive-damaged. */
  readonly compare: (
    account: string,
    depth: CompareDepth,
    signal?: AbortSignal,
  ) => Promise<readonly DifferentDay[]>;
  /**
   * Builds the days again whose sums differ from those of their calls, and records them as a finding. Returns these days.
   * @throws fault archive-damaged.
   */
  readonly repair: (account: string, signal?: AbortSignal) => Promise<readonly DifferentDay[]>;
  /** Builds all days again. Returns those that still differ in any figure. @throws fault archive-damaged. */
  readonly rebuild: (account: string, signal?: AbortSignal) => Promise<readonly DifferentDay[]>;
  /** Builds the days of every zone in use that have ended since they were read last. */
  readonly keepUp: (account: string, signal?: AbortSignal) => Promise<void>;
};

const zoneRange = rowReader({ zone: text, first: column('first', seconds), last: column('last', seconds) });

/** The zones that have cells, with the range of their days. */
const zonesOf = async (
  connection: Sql,
  account: string,
): Promise<readonly { readonly zone: string; readonly range: Interval<UnixSeconds> }[]> =>
  (
    await readAs(
      connection,
      zoneRange,
      'SELECT zone, min(start_at) AS first, max(end_at) AS last FROM rollup_day WHERE account = $account GROUP BY zone ORDER BY zone',
      { account },
    )
  ).map(({ zone, first, last }) => ({ zone, range: interval(first, last) }));

export const createRollup = (deps: RefreshDeps): RollupTable => {
  const { rowStore, clock, log } = deps;
  const { refresh, refreshHours, version } = createRefresh(deps);
  const readZones = async (account: string) =>
    rowStore.read({ account, reads: ['rollup_day'] }, async ({ connection }) => zonesOf(connection, account));
  const compare: RollupTable['compare'] = async (account, depth, signal) =>
    rowStore.read(
      { account, reads: [...rollupTables, 'rollup_hours'] },
      async (rows) => differentDays(rows, account, depth),
      signal,
    );
  const refreshAll = async (
    account: string,
    zones: Awaited<ReturnType<typeof readZones>>,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    for (const one of zones) await refresh({ account, ...one }, signal);
  };
  return {
    refresh,
    refreshHours,
    version,
    compare,
    repair: async (account, signal) => {
      const days = await compare(account, 'sums', signal);
      const [first] = days;
      if (first === undefined) return days;
      log.warn('the rollup of the call log differs from its calls; building these days again', {
        account,
        days: days.length,
        first: dateAt(first.start, first.zone),
      });
      const zones = await readZones(account);
      const writes = ['rollup_mark', 'learned_change'] as const;
      await rowStore.publish({ account, reads: ['call_log'], writes }, async ({ connection }) => {
        for (const { start } of days) await changedRange(connection, { account, start, end: start + 1 });
        await writeLearnedChanges(connection, account, [
          {
            topic: 'rollup-differs',
            name: first.zone,
            days: days.length,
            first: dateAt(first.start, first.zone),
            notedAt: clock.now(),
          },
        ]);
      });
      await refreshAll(account, zones, signal);
      return days;
    },
    rebuild: async (account, signal) => {
      const zones = await readZones(account);
      const touched = { account, reads: ['call_log'], writes: ['rollup_mark'] } as const;
      await rowStore.publish(touched, async ({ connection }) => {
        for (const { range } of zones) await changedRange(connection, { account, ...range });
      });
      await refreshAll(account, zones, signal);
      return compare(account, 'cells', signal);
    },
    keepUp: async (account, signal) => {
      const now = unixSeconds(Math.floor(clock.now() / 1000));
      // Marks of an account without cells are removed too.
      await refresh({ account, zone: 'UTC', range: interval(now, now) }, signal);
      const zones = await readZones(account);
      const upToNow = zones.map(({ zone, range }) => ({ zone, range: interval(range.start, now) }));
      await refreshAll(account, upToNow, signal);
    },
  };
};
