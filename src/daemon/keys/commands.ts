import { fault } from '../../core/index.ts';
import type { Clock, UnixMillis } from '../../core/index.ts';
import { isStale, parsePlanFile, printPlanFile, withQuotaNow } from '../../keys/index.ts';
import type { KeyService } from '../../keys/index.ts';
import type { CommandHandlers } from '../../control/index.ts';
import type { KeyHistory, KeyListView, KeyOutcome, KeyPlanView, PlanCheck } from './key-views.ts';
import { createKeyAccounts } from './accounts.ts';
import { expireNow, outcomeOf, startAndCarry } from './carry.ts';
import { findKey, lineNamed } from './find.ts';
import type { FoundKey } from './find.ts';
import { endsKey, noLongerPlanned } from './fresh-plan.ts';
import { listKeys } from './list.ts';
import type { ListDeps } from './list.ts';
import { createKeyOperations } from './operations.ts';
import type { KeyJob, KeyPlanner } from './planner.ts';
import { planView } from './plans.ts';
import { describeStep } from './messages.ts';

export type KeyCommandDeps = {
  readonly clock: Clock;
  /** Of the config in force, in its order. */
  readonly accounts: () => readonly { readonly account: string; readonly currency: string }[];
  /** Of the account's stored amounts, where that is not what the config says; missing while there are none. */
  readonly currencyOf: (account: string) => Promise<string | undefined>;
  /** Zone of times that belong to no job. */
  readonly zone: () => string;
  readonly keyService: (account: string) => KeyService;
  readonly evidence: ListDeps['evidence'];
  readonly planner: () => KeyPlanner;
  /** The team that pays for the key. */
  readonly teamOf: (key: FoundKey) => string | undefined;
};

/** The commands on keys, over the key services of the accounts. */
export const createKeyHandlers = (deps: KeyCommandDeps) => {
  const { clock, keyService, evidence, planner, zone } = deps;
  const accounts = createKeyAccounts(() => deps.accounts().map(({ account }) => account), keyService);

  const jobNamed = (name: string): KeyJob => {
    const jobs = planner().jobs();
    const job = jobs.find((one) => one.name === name);
    if (job !== undefined) return job;
    const names = jobs.map((one) => one.name).join(', ') || 'none';
    throw fault('job-unknown', `no job ${name} rotates or ends keys; there are: ${names}`, {
      advice: 'declare one of kind rotate-keys or expire-keys, or name one that is there',
    });
  };

  /** A service with its whole line, or one key; with how many rotations of a service so named are under way. */
  const namedIn = async (
    all: readonly FoundKey[],
    named: string | undefined,
    account: string | undefined,
    now: UnixMillis,
  ): Promise<{ readonly keys: readonly FoundKey[]; readonly rotations: number }> => {
    if (named === undefined) return { keys: all, rotations: 0 };
    const line = lineNamed(named, all);
    if (line.length > 0) return { keys: line, rotations: 0 };
    let rotations = 0;
    for (const name of accounts.named(account))
      rotations += (await keyService(name).open()).filter(({ service }) => service === named).length;
    return { keys: rotations > 0 ? [] : [findKey(named, all, now)], rotations };
  };

  /** A plan file held against the keys of now. */
  const check = async (file: string, signal: AbortSignal) => {
    const filed = parsePlanFile(file);
    const job = jobNamed(filed.job);
    const [account = filed.account] = accounts.named(filed.account);
    const survey = await keyService(account).survey(signal);
    const moved =
      job.account === account
        ? []
        : [`the job ${job.name} is for account ${job.account} now, and was for ${account}`];
    const ends = filed.expiries.filter(endsKey);
    // A plan of another account's keys says nothing of these.
    const gone =
      ends.length === 0 || moved.length > 0
        ? []
        : noLongerPlanned(ends, await planner().plan(job, survey, signal), survey);
    return {
      filed: withQuotaNow(filed, survey),
      plan: planView({ ...job, account }, filed, { at: filed.at, file }),
      stale: [...moved, ...isStale(filed, survey), ...gone],
    };
  };

  return {
    ...createKeyOperations({ clock, zone, keyService, accounts, planner, jobNamed }),
    'keys/list': async ({ account, key: named, days }, { progress, signal }): Promise<KeyListView> => {
      const now = clock.now();
      const all = await accounts.allKeys(account, signal);
      const { keys: shown, rotations } = await namedIn(all, named, account, now);
      const { coverOf } = planner();
      const parts = [];
      for (const { account: name, currency } of deps.accounts()) {
        const mine = (keys: readonly FoundKey[]) => keys.filter((key) => key.account === name);
        if (account !== undefined && name !== account) continue;
        if (named !== undefined && mine(shown).length === 0 && rotations === 0) continue;
        const part = {
          account: name,
          currency: (await deps.currencyOf(name)) ?? currency,
          keyService: keyService(name),
          evidence,
          coverOf: (key: FoundKey) => coverOf(name, key, now),
          teamOf: deps.teamOf,
        };
        parts.push(await listKeys(part, mine(shown), { all: mine(all), now, days, progress, signal }));
      }
      return {
        at: now,
        zone: zone(),
        accounts: parts.flatMap((part) => part.accounts),
        keys: parts.flatMap((part) => part.keys),
        rotations: parts
          .flatMap((part) => part.rotations)
          .filter(({ service }) => named === undefined || service === named),
      };
    },
    'keys/plan': async ({ job: named }, { signal }): Promise<readonly KeyPlanView[]> => {
      const jobs = named === undefined ? planner().jobs() : [jobNamed(named)];
      const views = [];
      for (const job of jobs) {
        const survey = await keyService(job.account).survey(signal);
        const { rotations, expiries, notes, held } = await planner().plan(job, survey, signal);
        const plan = { rotations, expiries, notes };
        const whole = { at: survey.at, account: job.account, job: job.name, ...plan };
        views.push(planView(job, plan, { at: survey.at, file: printPlanFile(whole, survey), held }));
      }
      return views;
    },
    'keys/check-plan': async ({ file }, { signal }): Promise<PlanCheck> => {
      const { plan, stale } = await check(file, signal);
      return { plan, stale };
    },
    'keys/apply': async ({ file, who }, { progress, signal }): Promise<KeyOutcome> => {
      const { filed, stale } = await check(file, signal);
      if (stale.length > 0) return { ...outcomeOf([]), stale, good: false };
      const { account } = filed;
      const carry = { account, keyService: keyService(account), progress, signal };
      const rotated = await startAndCarry(carry, filed.rotations, who);
      const changes = await expireNow(carry, filed.expiries, who);
      return { ...rotated, changes, good: rotated.good && changes.every(({ done }) => done) };
    },
    'keys/history': async ({ service, account }): Promise<KeyHistory> => {
      const steps: KeyHistory['steps'][number][] = [];
      for (const name of accounts.named(account))
        for (const event of await keyService(name).history(service)) {
          const { at, who, rotation, what } = event;
          const said = describeStep(event, zone());
          steps.push({ at, account: name, who, service: event.service, rotation, what, ...said, event });
        }
      return { zone: zone(), steps: steps.toSorted((left, right) => left.at - right.at) };
    },
  } satisfies Partial<CommandHandlers>;
};
