import { storedCurrency } from '../../warehouse/index.ts';
import type { Clock } from '../../core/index.ts';
import { teamOf } from '../../keys/index.ts';
import { createJobPlans } from './job-plans.ts';
import { createKeyWork, type KeyWork } from './key-work.ts';
import type { App } from '../open-app.ts';
import { costOwnersOf } from '../cost-owners.ts';

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
