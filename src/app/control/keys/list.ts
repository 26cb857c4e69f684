import {
  daySeconds,
  groupBy,
  toSeconds,
  unixSeconds,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../../../core/index.ts';
import type { LogCompleteness } from '../../../keys/index.ts';
import type { KeyListView, KeyView } from './key-views.ts';
import type { FoundKey } from './find.ts';
import type { KeyWork, Run } from './key-work.ts';

const throughOf = (log: LogCompleteness, range: Interval<UnixSeconds>): UnixSeconds | undefined =>
  log.complete ? range.end : log.through;

const idsByName = (keys: readonly FoundKey[]): ReadonlyMap<string, readonly number[]> =>
  new Map(
    [...groupBy(keys, ({ key }) => key.name)].map(([name, same]) => [name, same.map(({ key }) => key.id)]),
  );

type Listing = {
  readonly account: string;
  readonly currency: string;
  /** Of the account, with those that are not listed. */
  readonly all: readonly FoundKey[];
  readonly now: UnixMillis;
  /** Length of the time range of use, in days. */
  readonly days: number;
};

export const listKeys = async (
  { keyService, evidence, planner, teamOf }: KeyWork,
  keys: readonly FoundKey[],
  { account, currency, all, now, days }: Listing,
  { progress, signal }: Run,
): Promise<Pick<KeyListView, 'accounts' | 'keys' | 'rotations'>> => {
  const end = toSeconds(now);
  const range = { start: unixSeconds(end - days * daySeconds), end };
  const through = throughOf(await evidence.logComplete(account, range), range);
  const open = new Map((await (await keyService(account)).open()).map((view) => [view.id, view]));
  signal.throwIfAborted();
  progress({ step: 'reading the usage of keys' });
  const names = keys.map(({ key }) => key.name);
  const uses = await evidence.uses(account, names, range, 0);
  const ids = idsByName(all);
  const views = keys.map((found): KeyView => {
    const { key, service, generation, known, retained, rotation } = found;
    const use = uses.get(key.name);
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
      team: teamOf(found),
      ...planner.coverOf(account, found, now),
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
