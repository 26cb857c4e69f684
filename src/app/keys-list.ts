import { isFault, toSeconds, unixSeconds } from '../base/index.ts';
import type { Interval, Progress, UnixMillis, UnixSeconds } from '../base/index.ts';
import type { KeyDesk, LogCompleteness, RotationView } from '../keys/index.ts';
import type { KeyListView, KeyView, RotationState } from '../server/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import type { FoundKey } from './keys-find.ts';
import type { Cover } from './keys-planner.ts';

export type ListMeans = {
  readonly account: string;
  readonly currency: string;
  readonly desk: Pick<KeyDesk, 'survey' | 'open'>;
  readonly evidence: Pick<Warehouse['keys'], 'uses' | 'logComplete'>;
  readonly coverOf: (key: FoundKey) => Cover | undefined;
  readonly teamOf: (key: FoundKey) => string | undefined;
};

export const stateOf = (view: RotationView, error?: unknown): RotationState => ({
  ...view,
  ...(isFault(error) ? { fault: { code: error.code, message: error.message, advice: error.advice } } : {}),
});

const daySeconds = 86_400;

const throughOf = (log: LogCompleteness, span: Interval<UnixSeconds>): UnixSeconds | undefined =>
  log.complete ? span.end : log.through;

const idsByName = (keys: readonly FoundKey[]): ReadonlyMap<string, readonly number[]> => {
  const ids = new Map<string, number[]>();
  for (const { key } of keys) ids.set(key.name, [...(ids.get(key.name) ?? []), key.id]);
  return ids;
};

type Listing = {
  /** Every key that the account has. */
  readonly all: readonly FoundKey[];
  readonly now: UnixMillis;
  /** Of use that are looked at. */
  readonly days: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** Keys of an account with their use of the last days. */
export const listKeys = async (
  means: ListMeans,
  keys: readonly FoundKey[],
  listing: Listing,
): Promise<Pick<KeyListView, 'accounts' | 'keys' | 'rotations'>> => {
  const { account, currency, desk, evidence } = means;
  const { all, now, days, progress, signal } = listing;
  const end = toSeconds(now);
  const span = { start: unixSeconds(end - days * daySeconds), end };
  const through = throughOf(await evidence.logComplete(account, span), span);
  const open = new Map((await desk.open()).map((view) => [view.id, stateOf(view)]));
  signal.throwIfAborted();
  progress({ step: 'looking who uses which key' });
  const names = keys.map(({ key }) => key.name);
  const uses = await evidence.uses(account, names, span, 0);
  const ids = idsByName(all);
  const views = keys.map((found): KeyView => {
    const { key, service, generation, known, retained, rotation } = found;
    const use = uses.get(key.name);
    const cover = means.coverOf(found);
    const team = means.teamOf(found);
    const state = rotation === undefined ? undefined : open.get(rotation.id);
    // No call seen says something only where the log is there to see it.
    const isTold = use !== undefined && (use.calls > 0 || through !== undefined);
    return {
      account,
      keyId: key.id,
      name: key.name,
      service,
      generation,
      known,
      ...(retained === undefined ? {} : { retained }),
      ...(key.group === undefined ? {} : { group: key.group }),
      ...(key.status === undefined ? {} : { status: key.status }),
      ...(key.createdTime === undefined ? {} : { created: key.createdTime }),
      expires: key.expiredTime,
      remainQuota: key.remainQuota,
      unlimitedQuota: key.unlimitedQuota,
      ...(team === undefined ? {} : { team }),
      ...(cover === undefined ? {} : cover),
      ...(state === undefined ? {} : { rotation: state }),
      sameName: (ids.get(key.name) ?? []).filter((id) => id !== key.id),
      ...(isTold
        ? {
            use: {
              calls: use.calls,
              ...(use.lastCall === undefined ? {} : { lastCall: use.lastCall }),
              ...(use.spend === undefined ? {} : { spend: use.spend }),
            },
          }
        : {}),
    };
  });
  return {
    accounts: [{ account, currency, since: span.start, ...(through === undefined ? {} : { through }) }],
    keys: views,
    rotations: [...open.values()],
  };
};
