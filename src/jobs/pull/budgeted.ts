import type { RequestBudget } from '../../ingest/index.ts';
import type { JobContext } from '../job-kind.ts';

/** Counts every request for figures of the run, and delays those that follow too fast. */
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
