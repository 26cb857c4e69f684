import { toMillis, zero, type UnixMillis } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { rotationPolicy, type RotateSettings } from '../../jobs/index.ts';
import {
  defaultTemplate,
  isLive,
  newestOf,
  placeByName,
  templateOf,
  type RotationView,
  type SurveyedKey,
} from '../../keys/index.ts';
import type { LineageRow, Warehouse } from '../../warehouse/index.ts';
import type { KeyPlanner } from '../keys/planner.ts';

export type KeyAge = {
  readonly service: string;
  /** Milliseconds, like the limit. */
  readonly age: number;
  /** Missing if no job rotates the key. */
  readonly limit?: number | undefined;
};

export type KeyAgeDeps = {
  readonly config: Config;
  readonly warehouse: Pick<Warehouse, 'snapshots' | 'keys'>;
  readonly coverOf: KeyPlanner['coverOf'];
};

type Aged = SurveyedKey & { readonly born: UnixMillis | undefined };

/** Forms of key names by which a key outside of the lineage belongs to a service. */
const templatesOf = ({ jobs }: Config, account: string) => {
  const own = Object.values(jobs)
    .filter((job) => job.kind === 'rotate-keys' && job.account === account)
    .map(({ name, timezone: zone, fields }) => rotationPolicy({ name, zone }, fields as RotateSettings));
  return [...own.map(({ terms }) => terms.template), defaultTemplate].map(templateOf);
};

/** Ids of new keys that no sink needs yet. */
const candidatesOf = (open: readonly RotationView[]): ReadonlySet<number> =>
  new Set(
    open.flatMap(({ cutOver, candidate }) => (cutOver === true || !candidate ? [] : [candidate.keyId])),
  );

/** A key that was created after the inventory, as far as the journal knows it. */
const unlisted = ({ keyId: id, name, service, generation, born }: LineageRow): Aged => ({
  key: {
    id,
    name,
    keyMask: undefined,
    status: undefined,
    remainQuota: zero,
    unlimitedQuota: true,
    expiredTime: 'never',
    group: undefined,
    createdTime: undefined,
    rest: {},
  },
  service,
  generation,
  known: true,
  born,
});

/** Keys of the newest inventory, and those that were created after it. */
const knownKeys = async (
  { config, warehouse }: KeyAgeDeps,
  account: string,
  now: UnixMillis,
): Promise<readonly Aged[]> => {
  const { takenAt = 0, keys = [] } = (await warehouse.snapshots.inventoryAt(account, now)) ?? {};
  const lineage = await warehouse.keys.lineage(account);
  const rows = new Map(lineage.map((row) => [row.keyId, row]));
  const templates = templatesOf(config, account);
  const listed = keys.map(({ since: _since, rest: _rest, ...key }): Aged => {
    const row = rows.get(key.id);
    const named = templates.map((template) => placeByName(template, key.name));
    const byName = named.find(({ service }) => service !== key.name) ?? { service: key.name, generation: 1 };
    const { service, generation } = row ?? byName;
    const created = key.createdTime === undefined ? undefined : toMillis(key.createdTime);
    return {
      key: { ...key, rest: {} },
      service,
      generation,
      known: row !== undefined,
      ...(row?.retired === undefined ? {} : { retired: true }),
      born: row?.born ?? created,
    };
  });
  const ids = new Set(keys.map(({ id }) => id));
  const later = lineage.filter(
    ({ keyId, born, retired }) => retired === undefined && born >= takenAt && !ids.has(keyId),
  );
  return [...listed, ...later.map(unlisted)];
};

/** The age of the current key of each service, without a request to the gateway; keys of unknown age are left out. */
export const readKeyAges = async (
  deps: KeyAgeDeps,
  account: string,
  open: readonly RotationView[],
  now: UnixMillis,
): Promise<readonly KeyAge[]> => {
  const candidates = candidatesOf(open);
  const lines = new Map<string, Aged[]>();
  for (const one of await knownKeys(deps, account, now)) {
    if (candidates.has(one.key.id) || !isLive(one, now)) continue;
    if (lines.get(one.service)?.push(one) === undefined) lines.set(one.service, [one]);
  }
  return [...lines].flatMap(([service, line]) => {
    const [current] = newestOf(line, now);
    if (current?.born === undefined) return [];
    const limit = deps.coverOf(account, current, now)?.every;
    return [{ service, age: Math.max(0, now - current.born), ...(limit === undefined ? {} : { limit }) }];
  });
};
