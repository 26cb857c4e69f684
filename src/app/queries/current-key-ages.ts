import type { UnixMillis } from '../../core/index.ts';
import { isLive, newestOf, type RotationView, type SurveyedKey } from '../../keys/index.ts';
import type { KeyPlanner } from '../keys/job-plans.ts';
import { knownKeys } from './key-ages.ts';

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
  const lines = new Map<string, Aged[]>();
  const { keys } = await knownKeys(account, sources, now);
  for (const { key, created } of keys) {
    if (candidates.has(key.key.id) || !isLive(key, now)) continue;
    const aged = { ...key, created };
    if (lines.get(key.service)?.push(aged) === undefined) lines.set(key.service, [aged]);
  }
  return [...lines].flatMap(([service, line]) => {
    const [current] = newestOf(line, now);
    if (current?.created === undefined) return [];
    const limit = sources.coverOf(account, current, now)?.every;
    return [{ service, age: Math.max(0, now - current.created), limit }];
  });
};
