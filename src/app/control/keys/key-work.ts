import { didYouMean, fault, type Clock, type UnixMillis } from '../../../core/index.ts';
import type { ContextOf } from '../../../control/index.ts';
import { teamOf, type KeyService } from '../../../keys/index.ts';
import { storedCurrency, type Warehouse } from '../../../warehouse/index.ts';
import { costOwnersOf } from '../../accounts/cost-owners.ts';
import type { App } from '../../compose.ts';
import { createKeyAccounts, type KeyAccounts } from './accounts.ts';
import type { FoundKey } from './find.ts';
import { createJobPlans, type KeyJob, type KeyPlanner } from '../../keys/job-plans.ts';

/** The context of a command that reports progress. */
export type Run = ContextOf<'progress'>;

type KeyWorkParts = Disposable & {
  readonly now: () => UnixMillis;
  /** Time zone of times that belong to no job. */
  readonly zone: string;
  /** In the order of the config. */
  readonly declared: readonly { readonly account: string; readonly currency: string }[];
  /** Currency of the stored amounts, where it differs from the config; missing without stored amounts. */
  readonly currencyOf: (account: string) => Promise<string | undefined>;
  /** @throws Fault `wrong-use` for an unknown account */
  readonly keyService: (account: string) => Promise<KeyService>;
  readonly evidence: Pick<Warehouse['keys'], 'uses' | 'logComplete'>;
  readonly planner: KeyPlanner;
  readonly teamOf: (key: FoundKey) => string | undefined;
};

/** Serves one request on keys from start to end, even if another config is adopted meanwhile. */
export type KeyWork = KeyWorkParts & {
  readonly accounts: KeyAccounts;
  /** @throws Fault `job-unknown` */
  readonly jobNamed: (name: string) => KeyJob;
};

export const createKeyWork = (parts: KeyWorkParts): KeyWork => ({
  ...parts,
  accounts: createKeyAccounts(
    parts.declared.map(({ account }) => account),
    parts.keyService,
  ),
  jobNamed: (name) => {
    const jobs = parts.planner.jobs();
    const job = jobs.find((one) => one.name === name);
    if (job !== undefined) return job;
    const names = jobs.map((one) => one.name).join(', ') || 'none';
    throw fault('job-unknown', `no job ${name} rotates or expires keys; declared: ${names}`, {
      advice:
        didYouMean(
          name,
          jobs.map((one) => one.name),
        ) ?? 'declare a job of kind rotate-keys or expire-keys, or specify an existing one',
    });
  },
});

/** Each request uses the config that is active when it begins. */
export const createKeyLease =
  ({ clock, app }: { readonly clock: Clock; readonly app: App }) =>
  (): KeyWork => {
    const { warehouse } = app;
    const runtime = app.lease();
    const { config, keyService } = runtime;
    const { settings } = config;
    return createKeyWork({
      now: clock.now,
      zone: settings.timezone,
      declared: Object.entries(settings.accounts).map(([account, { currency }]) => ({ account, currency })),
      currencyOf: async (account) => {
        const amounts = await warehouse.logs.amounts(account);
        return amounts === undefined ? undefined : storedCurrency(amounts);
      },
      keyService,
      evidence: warehouse.keys,
      planner: createJobPlans({ config, keyService, warehouse }),
      teamOf: ({ account, ...key }) => teamOf(key, costOwnersOf(settings, account).teams),
      [Symbol.dispose]: runtime[Symbol.dispose],
    });
  };
