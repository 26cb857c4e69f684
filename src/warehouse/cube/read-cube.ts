import { DuckDBInstance, StatementType } from '@duckdb/node-api';
import type { DuckDBConnection } from '@duckdb/node-api';
import { fault, firstSignal, isFault, messageOf } from '../../base/index.ts';
import type { Clock } from '../../base/index.ts';
import type { ReadCalls } from '../archive/archive.ts';
import type { Engine, EngineOptions } from '../engine.ts';
import { interruptOn } from '../interrupt.ts';
import { execute } from '../rows.ts';
import { valueOfServed } from '../spend.ts';
import type { CubeFacts, CubeQuery, CubeRequest } from './cube-request.ts';
import { createCubeTables, fillDays, fillQuarters } from './cube-tables.ts';
import { resultTable } from './result-table.ts';
import type { ResultTable } from './result-table.ts';

const failed = (message: string, cause?: unknown) =>
  fault('report-query-failed', message, cause === undefined ? {} : { cause });

const checkCurrency = ({ account, currency }: CubeRequest, held: string | undefined): void => {
  if (currency !== undefined && held !== undefined && currency !== held)
    throw fault(
      'export-currency-changed',
      `the account ${account} holds amounts in ${held}; they were asked for in ${currency}`,
    );
};

const oneSelect = async (connection: DuckDBConnection, sql: string) => {
  if (sql.trim() === '') throw failed('the query is empty');
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) throw failed(`the query holds ${statements.count} statements instead of one`);
  const statement = await statements.prepare(0);
  if (statement.statementType !== StatementType.SELECT) throw failed('the query is no SELECT');
  return statement;
};

const runQuery = async (
  connection: DuckDBConnection,
  sql: string,
  limits: {
    readonly timeLimit: number;
    readonly rowLimit: number;
    readonly clock: Clock;
    readonly signal?: AbortSignal;
  },
): Promise<ResultTable> => {
  using tooLong = limits.clock.limit(limits.timeLimit);
  using stop = firstSignal([tooLong.signal, limits.signal]);
  using _ = interruptOn(connection, stop.signal);
  try {
    const statement = await oneSelect(connection, sql);
    // One row more than allowed shows that there are more.
    const reader = await statement.streamAndReadUntil(limits.rowLimit + 1);
    if (reader.currentRowCount > limits.rowLimit)
      throw failed(`the query gives more than ${limits.rowLimit} rows`);
    return resultTable(reader, limits.rowLimit);
  } catch (error) {
    limits.signal?.throwIfAborted();
    if (tooLong.signal.aborted) throw failed(`the query took longer than ${limits.timeLimit} ms`, error);
    if (isFault(error)) throw error;
    throw failed(messageOf(error).split('\n').slice(0, 4).join(' ').trim(), error);
  }
};

/**
 * Copies the sums asked for into an engine of their own, in memory, without access to files, and runs queries there: a
 * report's SQL can reach nothing else of the warehouse.
 */
export const readCube = async <T>(
  engine: Engine,
  readCalls: ReadCalls,
  options: EngineOptions,
  clock: Clock,
  request: CubeRequest,
  use: (query: CubeQuery, facts: CubeFacts) => Promise<T>,
): Promise<T> => {
  const apart = await DuckDBInstance.create(':memory:', {
    memory_limit: options.memoryLimit,
    threads: String(options.threads),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    // Its temp folder would be open to SQL; it is small enough to do without.
    temp_directory: '',
  });
  try {
    const connection = await apart.connect();
    await createCubeTables(connection);
    await fillDays(connection, request.periods);
    const amounts = await engine.bulk(async (source) => {
      const { value, form, currency } = await valueOfServed(source, request.account);
      checkCurrency(request, currency);
      const served = { value, inUnits: form === 'units' };
      await readCalls(source, request.account, async (callsIn) => {
        for (const period of request.periods)
          await fillQuarters(source, connection, request.account, period, served, callsIn);
      });
      return form;
    }, request.signal);
    await execute(connection, 'SET enable_external_access = false');
    await execute(connection, 'SET lock_configuration = true');
    const limits = {
      timeLimit: request.timeLimit ?? 60_000,
      rowLimit: request.rowLimit ?? 100_000,
      clock,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    };
    return await use(async (sql) => runQuery(connection, sql, limits), { amounts });
  } finally {
    apart.closeSync();
  }
};
