import {
  daySeconds,
  toSeconds,
  unixSeconds,
  type Interval,
  type Progress,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { KeyService, LogCompleteness } from '../../keys/index.ts';
import type { KeyListView, KeyView } from './key-views.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import type { FoundKey } from './find.ts';
import type { Cover } from './planner.ts';

export type ListDeps = {
  readonly account: string;
  readonly currency: string;
  readonly keyService: Pick<KeyService, 'survey' | 'open'>;
  readonly evidence: Pick<Warehouse['keys'], 'uses' | 'logComplete'>;
  readonly coverOf: (key: FoundKey) => Cover | undefined;
  readonly teamOf: (key: FoundKey) => string | undefined;
};

const throughOf = (log: LogCompleteness, range: Interval<UnixSeconds>): UnixSeconds | undefined =>
  log.complete ? range.end : log.through;

const idsByName = (keys: readonly FoundKey[]): ReadonlyMap<string, readonly number[]> => {
  const ids = new Map<string, number[]>();
  for (const { key } of keys) ids.set(key.name, [...(ids.get(key.name) ?? []), key.id]);
  return ids;
};

type Listing = {
  readonly all: readonly FoundKey[];
  readonly now: UnixMillis;
  /** Length of the time range of use, in days. */
  readonly days: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

export const listKeys = async (
  deps: ListDeps,
  keys: readonly FoundKey[],
  listing: Listing,
): Promise<Pick<KeyListView, 'accounts' | 'keys' | 'rotations'>> => {
  const { account, currency, keyService, evidence } = deps;
  const { all, now, days, progress, signal } = listing;
  const end = toSeconds(now);
  const range = { start: unixSeconds(end - days * daySeconds), end };
  const through = throughOf(await evidence.logComplete(account, range), range);
  const open = new Map((await keyService.open()).map((view) => [view.id, view]));
  signal.throwIfAborted();
  progress({ step: 'reading the usage of keys' });
  const names = keys.map(({ key }) => key.name);
  const uses = await evidence.uses(account, names, range, 0);
  const ids = idsByName(all);
  const views = keys.map((found): KeyView => {
    const { key, service, generation, known, retained, rotation } = found;
    const use = uses.get(key.name);
    const cover = deps.coverOf(found);
    const team = deps.teamOf(found);
    const state = rotation === undefined ? undefined : open.get(rotation.id);
    // Zero calls is a statement only where the call log is complete.
    const isKnown = use !== undefined && (use.calls > 0 || through !== undefined);
    return {
      account,
      keyId: key.id,
      name: key.name,
      service,
      generation,
      known,
      retained,
      group: key.group,
      status: key.status,
      created: key.createdTime,
      expires: key.unreadable?.['expired_time'] === undefined ? key.expiredTime : 'unknown',
      remainQuota: key.remainQuota,
      unlimitedQuota: key.unlimitedQuota,
      unreadable: key.unreadable,
      team,
      ...(cover === undefined ? {} : cover),
      rotation: state,
      sameName: (ids.get(key.name) ?? []).filter((id) => id !== key.id),
      ...(isKnown
        ? {
            use: {
              calls: use.calls,
              lastCall: use.lastCall,
              spend: use.spend,
            },
          }
        : {}),
    };
  });
  return {
    accounts: [{ account, currency, since: range.start, through }],
    keys: views,
    rotations: [...open.values()],
  };
};
