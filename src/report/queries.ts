import { fault, isFault } from '../base/index.ts';
import type { BuildRequest } from './build-request.ts';
import type { ResultTable } from './port.ts';

const mostQueryRows = 200_000;

/** Says whose SQL it was. */
const blame =
  (file: string) =>
  (error: unknown): never => {
    if (!isFault(error)) throw error;
    throw fault(error.code, `${file}: ${error.message}`, { cause: error, advice: error.advice });
  };

/** What each SQL file of the report gives. @throws Fault naming the file. */
export const runQueries = async (request: BuildRequest): Promise<ReadonlyMap<string, ResultTable>> => {
  const { definition, period, timeLimit, signal } = request;
  return request.warehouse.readCube(
    {
      account: request.account,
      periods: [
        { name: 'current', days: period.days },
        { name: 'comparison', days: period.comparison.days },
      ],
      rowLimit: mostQueryRows,
      ...(timeLimit === undefined ? {} : { timeLimit }),
      ...(signal === undefined ? {} : { signal }),
    },
    async (query) => {
      const results = new Map<string, ResultTable>();
      for (const [file, sql] of definition.queries) results.set(file, await query(sql).catch(blame(file)));
      return results;
    },
  );
};
