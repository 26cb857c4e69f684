import { storedCurrency } from '../../warehouse/index.ts';
import type { Clock } from '../../core/index.ts';
import { teamOf } from '../../keys/index.ts';
import type { KeyOutcome } from './key-views.ts';
import { createKeyHandlers } from './commands.ts';
import { createJobPlans } from './job-plans.ts';
import type { App } from '../open-app.ts';
import { costOwnersOf } from '../cost-owners.ts';

/** The commands on keys, by the config in force. */
export const createLocalKeyHandlers = ({ clock, app }: { readonly clock: Clock; readonly app: App }) => {
  const { warehouse } = app;
  const settings = () => app.current().config.settings;
  const keyService = (account: string) => app.current().keyService(account);
  const handlers = createKeyHandlers({
    clock,
    accounts: () =>
      Object.entries(settings().accounts).map(([account, { currency }]) => ({ account, currency })),
    currencyOf: async (account) => {
      const amounts = await warehouse.logs.amounts(account);
      return amounts === undefined ? undefined : storedCurrency(amounts);
    },
    zone: () => settings().timezone,
    keyService,
    evidence: warehouse.keys,
    planner: () => createJobPlans({ config: app.current().config, keyService, warehouse }),
    teamOf: ({ account, ...key }) => teamOf(key, costOwnersOf(settings(), account).teams),
  });
  const withZone =
    <Given extends readonly unknown[]>(work: (...given: Given) => Promise<KeyOutcome>) =>
    async (...given: Given): Promise<KeyOutcome> => ({
      ...(await work(...given)),
      zone: settings().timezone,
    });
  return {
    ...handlers,
    'keys/apply': withZone(handlers['keys/apply']),
    'keys/rotate': withZone(handlers['keys/rotate']),
    'keys/expire': withZone(handlers['keys/expire']),
    'keys/create': withZone(handlers['keys/create']),
    'keys/resume': withZone(handlers['keys/resume']),
  };
};
