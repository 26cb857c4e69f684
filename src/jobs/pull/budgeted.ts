import type { RequestBudget } from '../../ingest/index.ts';
import type { JobContext } from '../job-kind.ts';

/** The same run, with every request for figures counted, and slowed down where they follow one another too fast. */
export const budgeted = (context: JobContext, budget: RequestBudget): JobContext => {
  const { account, signal } = context;
  const { gateway } = account;
  const counted =
    <Given extends readonly unknown[], Result>(request: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await budget.take(signal);
      return request(...given);
    };
  return {
    ...context,
    account: {
      ...account,
      gateway: {
        ...gateway,
        exportLogs: counted(gateway.exportLogs),
        exportUsage: counted(gateway.exportUsage),
        statistics: counted(gateway.statistics),
      },
    },
  };
};
