import { toMillis, toSeconds, unixMillis, unixSeconds } from '../base/index.ts';
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

/** Seconds. */
const ahead = 86_400;

/** Of what a key is used for, so much is said. */
const modelsTold = 3;

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
  signal.throwIfAborted();
  progress({ step: 'looking who uses which key' });
  // The quiet time lies before the end of what is proven, wherever that is.
  const quietFrom = toMillis(spanAsked(policy.quiet, now, policy.quiet).start);
  const names = asked.map(({ key }) => key.name);
  const { start, end } = spanAsked(longest ?? 0, now, policy.quiet);
  // Every call that is known is use: those behind the proven end, and those of a gateway whose clock is ahead.
  const uses = await keys.uses(account, names, { start, end: unixSeconds(end + ahead) }, modelsTold);
  const idsNamed = await keys.idsOf(account, names, quietFrom);
  const then = asked.length === 0 ? undefined : await snapshots.inventoryAt(account, quietFrom);
  const tells =
    then !== undefined && toSeconds(then.takenAt) >= toSeconds(unixMillis(quietFrom - inventoryAge));
  return {
    use: new Map(
      asked.flatMap(({ key }) => {
        const use = uses.get(key.name);
        return use === undefined ? [] : [[key.id, use]];
      }),
    ),
    log: new Map(log),
    idsNamed,
    ...(tells ? { namesThen: new Map(then.keys.map(({ id, name }) => [id, name])) } : {}),
    past: pastSteps(history, policy.job),
  };
};
