import { toSeconds, unixMillis } from '../base/index.ts';
import type { Progress } from '../base/index.ts';
import { keysAsked, pastSteps, spanAsked, timesAsked } from '../keys/index.ts';
import type { ExpiryEvidence, ExpiryPolicy, KeyEvent, KeySurvey } from '../keys/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import type { Team } from './payers.ts';

export type GatherMeans = {
  readonly account: string;
  readonly warehouse: Pick<Warehouse, 'keys' | 'snapshots'>;
  readonly teams: readonly Team[];
  readonly history: readonly KeyEvent[];
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** An inventory that is older when the quiet time begins tells nothing of it. */
const inventoryAge = 2 * 86_400_000;

/** All that the warehouse and the journal know of keys that may have to end; keys that are far from it are not asked for. */
export const gatherExpiry = async (
  survey: KeySurvey,
  policy: ExpiryPolicy,
  { account, warehouse, teams, history, progress, signal }: GatherMeans,
): Promise<ExpiryEvidence> => {
  const { keys, snapshots } = warehouse;
  const now = survey.at;
  const times = timesAsked(policy);
  const longest = times.at(-1);
  const asked = longest === undefined ? [] : keysAsked(survey, policy, teams);
  const log: [number, Awaited<ReturnType<typeof keys.logComplete>>][] = [];
  if (asked.length > 0)
    for (const time of times)
      log.push([time, await keys.logComplete(account, spanAsked(time, now, policy.quiet))]);
  const use: [number, Awaited<ReturnType<typeof keys.use>>][] = [];
  const idsNamed = new Map<string, readonly number[]>();
  const quietFrom = unixMillis(now - policy.quiet);
  for (const [index, { key }] of asked.entries()) {
    signal.throwIfAborted();
    progress({ step: 'looking who uses which key', done: index, total: asked.length });
    use.push([key.id, await keys.use(account, key.name, spanAsked(longest ?? 0, now, policy.quiet))]);
    idsNamed.set(key.name, await keys.idsNamed(account, key.name, quietFrom));
  }
  const then = asked.length === 0 ? undefined : await snapshots.inventoryAt(account, quietFrom);
  const tells =
    then !== undefined && toSeconds(then.takenAt) >= toSeconds(unixMillis(quietFrom - inventoryAge));
  return {
    use: new Map(use),
    log: new Map(log),
    idsNamed,
    ...(tells ? { namesThen: new Map(then.keys.map(({ id, name }) => [id, name])) } : {}),
    past: pastSteps(history),
  };
};
