import {
  groupBy,
  toMillis,
  toSeconds,
  unixMillis,
  unixSeconds,
  type Progress,
  type UnixMillis,
} from '../../core/index.ts';
import {
  bareName,
  distinctNames,
  keysAsked,
  pastSteps,
  rangeAsked,
  sumOfUses,
  timesAsked,
  type ExpiryEvidence,
  type ExpiryPolicy,
  type KeyService,
  type KeyEvent,
  type KeySurvey,
  type SurveyedKey,
} from '../../keys/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import type { Team } from '../cost-owners.ts';

export type ExpiryDeps = {
  readonly account: string;
  readonly warehouse: {
    readonly keys: Pick<Warehouse['keys'], 'logComplete' | 'uses' | 'idsOf' | 'namesOf'>;
    readonly snapshots: {
      /** The keys as last read at or before this time. */
      readonly inventoryAt: (
        account: string,
        moment: UnixMillis,
      ) => Promise<
        | {
            readonly takenAt: UnixMillis;
            readonly keys: readonly { readonly id: number; readonly name: string }[];
          }
        | undefined
      >;
    };
  };
  readonly teams: readonly Team[];
  readonly history: readonly KeyEvent[];
  readonly keyService: Pick<KeyService, 'keptBySinks'>;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** Milliseconds; an older inventory says nothing about the beginning of the idle time. */
const inventoryAge = 2 * 86_400_000;

/** Seconds. */
const ahead = 86_400;

/** Maximum number of models listed for a key. */
const modelsNamed = 3;

/** By the names under which the call log distinguishes keys. */
const idsNow = ({ keys }: KeySurvey): ReadonlyMap<string, readonly number[]> =>
  new Map(
    [...groupBy(keys, ({ key }) => bareName(key.name))].map(([name, same]) => [
      name,
      same.map(({ key }) => key.id),
    ]),
  );

/** By id, the current name first: keys can be renamed by others, and calls stay under the old name. */
const namesBorne = async (
  asked: readonly SurveyedKey[],
  since: UnixMillis,
  { account, warehouse, signal }: ExpiryDeps,
): Promise<ReadonlyMap<number, readonly string[]>> => {
  const ids = asked.map(({ key }) => key.id);
  const shown = await warehouse.keys.namesOf(account, ids, since);
  signal.throwIfAborted();
  return new Map(asked.map(({ key }) => [key.id, distinctNames([key.name, ...(shown.get(key.id) ?? [])])]));
};

/** Reads evidence only for keys that may have to end. */
export const collectExpiryEvidence = async (
  survey: KeySurvey,
  policy: ExpiryPolicy,
  deps: ExpiryDeps,
): Promise<ExpiryEvidence> => {
  const { account, warehouse, teams, history, keyService, progress, signal } = deps;
  const { keys, snapshots } = warehouse;
  const now = survey.at;
  const times = timesAsked(policy);
  const longest = times.at(-1);
  const due = keysAsked(survey, policy, teams);
  const asked = longest === undefined ? [] : due;
  const log: [number, Awaited<ReturnType<typeof keys.logComplete>>][] = [];
  if (asked.length > 0)
    for (const time of times)
      log.push([time, await keys.logComplete(account, rangeAsked(time, now, policy.quiet))]);
  signal.throwIfAborted();
  progress({ step: 'reading the usage of keys' });
  // The idle time ends where the evidence ends, which may be before now.
  const idleFrom = toMillis(rangeAsked(policy.quiet, now, policy.quiet).start);
  const { start, end } = rangeAsked(longest ?? 0, now, policy.quiet);
  const borne = await namesBorne(asked, toMillis(start), deps);
  const names = [...new Set([...borne.values()].flat())];
  // Includes calls after the proven end, and those of a gateway whose clock is ahead: any known call is use.
  const uses = await keys.uses(account, names, { start, end: unixSeconds(end + ahead) }, modelsNamed);
  const idsShown = await keys.idsOf(account, names, idleFrom);
  const listed = idsNow(survey);
  const then = asked.length === 0 ? undefined : await snapshots.inventoryAt(account, idleFrom);
  const isComplete =
    then !== undefined && toSeconds(then.takenAt) >= toSeconds(unixMillis(idleFrom - inventoryAge));
  return {
    use: new Map(
      [...borne].map(([id, own]) => [
        id,
        sumOfUses(
          own.flatMap((name) => {
            const use = uses.get(name);
            return use === undefined ? [] : [{ name, use }];
          }),
        ),
      ]),
    ),
    log: new Map(log),
    // Keys created or renamed after the last inventory may have the name, too.
    idsNamed: new Map(
      names.map((name) => [
        name,
        [...new Set([...(idsShown.get(name) ?? []), ...(listed.get(bareName(name)) ?? [])])],
      ]),
    ),
    ...(isComplete ? { namesThen: new Map(then.keys.map(({ id, name }) => [id, name])) } : {}),
    keptBySinks: policy.evenIfCurrent ? new Map() : await keyService.keptBySinks(due, survey, signal),
    past: pastSteps(history, policy.job),
  };
};
