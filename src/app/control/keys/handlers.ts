import {
  describeEvent,
  isStale,
  parsePlanFile,
  printPlanFile,
  withQuotaNow,
  type KeyOutcome,
  outcomeOf,
} from '../../../keys/index.ts';
import type { CommandHandlers } from '../../../control/index.ts';
import type { KeyHistory, KeyListView, KeyPlanView, PlanCheck } from './key-views.ts';
import { findKey, generationsOf, type FoundKey } from './find.ts';
import { endsKey, noLongerPlanned } from './fresh-plan.ts';
import type { KeyWork } from './key-work.ts';
import { listKeys } from './list.ts';
import { createKeyOperations } from './operations.ts';
import { planView } from './plans.ts';
import { startRotations } from './start-rotations.ts';

/** A service with its line, or one key; with the number of open rotations of services of that name. */
const namedIn = async (
  { accounts, keyService, now }: KeyWork,
  all: readonly FoundKey[],
  named: string | undefined,
  account: string | undefined,
): Promise<{ readonly keys: readonly FoundKey[]; readonly rotations: number }> => {
  if (named === undefined) return { keys: all, rotations: 0 };
  const line = generationsOf(named, all);
  if (line.length > 0) return { keys: line, rotations: 0 };
  let rotations = 0;
  for (const name of accounts.named(account))
    rotations += (await (await keyService(name)).open()).filter(({ service }) => service === named).length;
  return { keys: rotations > 0 ? [] : [findKey(named, all, now())], rotations };
};

const check = async (work: KeyWork, file: string, signal: AbortSignal) => {
  const filed = parsePlanFile(file);
  const job = work.jobNamed(filed.job);
  const [account = filed.account] = work.accounts.named(filed.account);
  const survey = await (await work.keyService(account)).survey(signal);
  const moved =
    job.account === account
      ? []
      : [`job ${job.name} now belongs to account ${job.account}, and the plan to ${account}`];
  const ends = filed.expiries.filter(endsKey);
  // A plan of another account says nothing about these keys.
  const gone =
    ends.length === 0 || moved.length > 0
      ? []
      : noLongerPlanned(ends, await work.planner.plan(job, survey, signal), survey);
  return {
    filed: withQuotaNow(filed, survey),
    plan: planView({ ...job, account }, filed, { at: filed.at, file }),
    stale: [...moved, ...isStale(filed, survey), ...gone],
  };
};

export const createKeyHandlers = (lease: () => KeyWork) => {
  return {
    ...createKeyOperations(lease),
    'keys/list': async ({ account, key: named, days }, { progress, signal }): Promise<KeyListView> => {
      using work = lease();
      const { accounts, zone } = work;
      const now = work.now();
      const all = await accounts.allKeys(account, signal);
      const { keys: shown, rotations } = await namedIn(work, all, named, account);
      const parts = [];
      for (const { account: name, currency } of work.declared) {
        const mine = (keys: readonly FoundKey[]) => keys.filter((key) => key.account === name);
        if (account !== undefined && name !== account) continue;
        if (named !== undefined && mine(shown).length === 0 && rotations === 0) continue;
        const listing = {
          account: name,
          currency: (await work.currencyOf(name)) ?? currency,
          all: mine(all),
          now,
          days,
        };
        parts.push(await listKeys(work, mine(shown), listing, { progress, signal }));
      }
      return {
        at: now,
        zone,
        accounts: parts.flatMap((part) => part.accounts),
        keys: parts.flatMap((part) => part.keys),
        rotations: parts
          .flatMap((part) => part.rotations)
          .filter(({ service }) => named === undefined || service === named),
      };
    },
    'keys/plan': async ({ job: named }, { signal }): Promise<readonly KeyPlanView[]> => {
      using work = lease();
      const jobs = named === undefined ? work.planner.jobs() : [work.jobNamed(named)];
      const views = [];
      for (const job of jobs) {
        const survey = await (await work.keyService(job.account)).survey(signal);
        const { rotations, expiries, notes, skipped } = await work.planner.plan(job, survey, signal);
        const plan = { rotations, expiries, notes };
        const whole = { at: survey.at, account: job.account, job: job.name, ...plan };
        views.push(planView(job, plan, { at: survey.at, file: printPlanFile(whole, survey), skipped }));
      }
      return views;
    },
    'keys/check-plan': async ({ file }, { signal }): Promise<PlanCheck> => {
      using work = lease();
      const { plan, stale } = await check(work, file, signal);
      return { plan, stale };
    },
    'keys/apply': async ({ file, who }, { progress, signal }): Promise<KeyOutcome> => {
      using work = lease();
      const { filed, stale } = await check(work, file, signal);
      if (stale.length > 0) return { ...outcomeOf({}), stale, good: false };
      const { account } = filed;
      const keyService = await work.keyService(account);
      const started = await startRotations(keyService, filed.rotations, who);
      const advanced = await keyService.advance({ progress, signal, ids: started.ids, untilIdle: true });
      const changes = await keyService.expire(filed.expiries, who, signal);
      return outcomeOf({ ...started, advanced, changes });
    },
    'keys/history': async ({ service, account }): Promise<KeyHistory> => {
      using work = lease();
      const { accounts, zone } = work;
      const steps: KeyHistory['steps'][number][] = [];
      for (const name of accounts.named(account))
        for (const event of await (await work.keyService(name)).history(service)) {
          const { at, who, rotation, what } = event;
          const described = describeEvent(event, zone);
          steps.push({ at, account: name, who, service: event.service, rotation, what, ...described, event });
        }
      return { zone, steps: steps.toSorted((left, right) => left.at - right.at) };
    },
  } satisfies Partial<CommandHandlers>;
};
