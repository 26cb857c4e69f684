import { groupBy, toMillis, unixMillis, type UnixMillis } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import {
  knownKey,
  teamOf,
  type KeyService,
  type SurveyedKey,
  isLive,
  newestOf,
  type RotationView,
} from '../../keys/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import type { KeyAgeView, KeysView } from '../../web/index.ts';
import { costOwnersOf } from '../accounts/cost-owners.ts';
import { createJobPlans, type KeyPlanner } from '../keys/job-plans.ts';

type Sources = {
  readonly runtime: {
    readonly config: Config;
    readonly keyService: (account: string) => Promise<KeyService>;
  };
  readonly warehouse: Pick<Warehouse, 'keys' | 'snapshots' | 'clocks'>;
};

type KnownKey = { readonly key: SurveyedKey; readonly created: UnixMillis | undefined };

/** The keys of the last snapshot, and those that the journal holds to be in use, without a request to the gateway. */
export const knownKeys = async (
  account: string,
  { warehouse }: { readonly warehouse: Pick<Warehouse, 'keys' | 'snapshots'> },
  now: UnixMillis,
): Promise<{ readonly keys: readonly KnownKey[]; readonly readAt: UnixMillis | undefined }> => {
  const inventory = await warehouse.snapshots.inventoryAt(account, now);
  const lineage = await warehouse.keys.lineage(account);
  const byId = new Map(lineage.map((row) => [row.keyId, row]));
  const listed = (inventory?.keys ?? []).map((one): KnownKey => {
    const row = byId.get(one.id);
    const { rest: _rest, since: _since, ...key } = one;
    const { service, generation } = row ?? { service: one.name, generation: 1 };
    return {
      key: {
        ...knownKey({ ...key, service, generation }),
        ...(row?.retired === undefined ? {} : { retired: true }),
      },
      created: one.createdTime === undefined || one.createdTime <= 0 ? row?.born : toMillis(one.createdTime),
    };
  });
  const ids = new Set(listed.map(({ key }) => key.key.id));
  // A key that is younger than the snapshot is in the journal alone.
  const younger = lineage
    .filter(
      ({ keyId, born, retired }) =>
        retired === undefined && !ids.has(keyId) && (inventory === undefined || born >= inventory.takenAt),
    )
    .map(({ keyId, name, service, generation, born }): KnownKey => ({
      key: knownKey({ id: keyId, name, service, generation }),
      created: born,
    }));
  return { keys: [...listed, ...younger], readAt: inventory?.takenAt };
};

/** The known keys of all accounts by age, with the age at which a job rotates them; of all or of one team. */
export const keyAges = async (
  { runtime, warehouse }: Sources,
  now: UnixMillis,
  team: string | undefined,
): Promise<KeysView> => {
  const { config, keyService } = runtime;
  const { coverOf } = createJobPlans({ config, keyService, warehouse });
  const views: KeyAgeView[] = [];
  let readAt: UnixMillis | undefined;
  for (const account of Object.keys(config.settings.accounts)) {
    const known = await knownKeys(account, { warehouse }, now);
    if (known.readAt !== undefined) readAt = unixMillis(Math.min(readAt ?? known.readAt, known.readAt));
    const { teams } = costOwnersOf(config.settings, account);
    for (const { key, created } of known.keys) {
      const owner = teamOf(key, teams);
      if (team !== undefined && owner !== team) continue;
      const { id, name, expiredTime } = key.key;
      views.push({
        account,
        keyId: id,
        name,
        service: key.service,
        team: owner,
        created,
        expires: expiredTime === 'never' ? undefined : toMillis(expiredTime),
        ...coverOf(account, key, now),
      });
    }
  }
  const birth = ({ created }: KeyAgeView): number => created ?? Number.MAX_SAFE_INTEGER;
  return { keys: views.toSorted((left, right) => birth(left) - birth(right)), readAt };
};

/** The age of a current key, in milliseconds. */
type KeyAge = {
  readonly service: string;
  readonly age: number;
  /** At which a job rotates it; missing if none does. */
  readonly limit?: number | undefined;
};

/** Ids of new keys that consumers do not hold yet. */
const candidatesOf = (open: readonly RotationView[]): ReadonlySet<number> =>
  new Set(
    open.flatMap(({ cutOver, candidate }) =>
      cutOver === true || candidate === undefined ? [] : [candidate.keyId],
    ),
  );

type Aged = SurveyedKey & { readonly created: UnixMillis | undefined };

/** The age of the current key of each service, without a request to the gateway; keys of unknown age are left out. */
export const currentKeyAges = async (
  account: string,
  sources: Parameters<typeof knownKeys>[1] & Pick<KeyPlanner, 'coverOf'>,
  open: readonly RotationView[],
  now: UnixMillis,
): Promise<readonly KeyAge[]> => {
  const candidates = candidatesOf(open);
  const { keys } = await knownKeys(account, sources, now);
  const live = keys.flatMap(({ key, created }): readonly Aged[] =>
    candidates.has(key.key.id) || !isLive(key, now) ? [] : [{ ...key, created }],
  );
  return [...groupBy(live, ({ service }) => service)].flatMap(([service, line]) => {
    const [current] = newestOf(line, now);
    if (current?.created === undefined) return [];
    const limit = sources.coverOf(account, current, now)?.every;
    return [{ service, age: Math.max(0, now - current.created), limit }];
  });
};
