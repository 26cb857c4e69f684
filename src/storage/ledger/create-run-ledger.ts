import { inTransaction, type Sql, type StateEngine } from '../sql.ts';
import { writeBegin, writeClosings, writeEnds, writeReopening, writeUnrecorded } from './attempts.ts';
import { writeClaims } from './claim.ts';
import { readEvents, readOutages, writeOutages } from './outages.ts';
import {
  listRuns,
  readAttempts,
  readCursors,
  readFailures,
  readGoodEnds,
  readGoodThrough,
  readLatest,
  readNeverRan,
  readOpen,
  readOrderedStops,
  readOutcomes,
  readProcessEnds,
  readRun,
} from './read-runs.ts';
import type { RunLedger } from '../run-ledger.ts';
import { isOpen } from './run-rows.ts';

const trimRuns = async (connection: Sql, before: number): Promise<number> => {
  const removed = await connection.execute(
    `DELETE FROM job_run WHERE coalesce(through, slot) < $before AND NOT ${isOpen}`,
    { before },
  );
  await connection.execute(
    `DELETE FROM job_attempt WHERE slot < $before AND NOT EXISTS
       (SELECT 1 FROM job_run WHERE job_run.job = job_attempt.job AND job_run.slot = job_attempt.slot)`,
    { before },
  );
  return removed;
};

/** The run ledger over a connection of either engine, which serializes its statements. */
export const createRunLedger = (engine: StateEngine): RunLedger => {
  const inOne = async <T>(work: (connection: Sql) => Promise<T>): Promise<T> =>
    engine.state(async (connection) => inTransaction(connection, work));
  return {
    cursors: async () => engine.state(readCursors),
    claim: async (claims) => inOne(async (connection) => writeClaims(connection, claims)),
    forget: async (jobs) =>
      inOne(async (connection) => {
        await connection.execute('DELETE FROM job_cursor WHERE job = ANY($jobs)', { jobs });
      }),
    open: async () => engine.state(readOpen),
    find: async (key) => engine.state(async (connection) => readRun(connection, key)),
    reopen: async (key, at) => inOne(async (connection) => writeReopening(connection, key, at)),
    begin: async (runs, at) => inOne(async (connection) => writeBegin(connection, runs, at)),
    noteEnds: async (ends) => inOne(async (connection) => writeUnrecorded(connection, ends)),
    end: async (ends) => inOne(async (connection) => writeEnds(connection, ends)),
    close: async (closings) => inOne(async (connection) => writeClosings(connection, closings)),
    list: async (query) => engine.state(async (connection) => listRuns(connection, query)),
    attempts: async (keys) =>
      keys.length === 0 ? [] : inOne(async (connection) => readAttempts(connection, keys)),
    latest: async () => engine.state(readLatest),
    failures: async () => engine.state(readFailures),
    goodEnds: async () => engine.state(readGoodEnds),
    neverRan: async (dueBefore) => engine.state(async (connection) => readNeverRan(connection, dueBefore)),
    outcomes: async (spans) => engine.bulk(async (connection) => readOutcomes(connection, spans)),
    processEnds: async () => engine.state(readProcessEnds),
    orderedStops: async () => engine.state(readOrderedStops),
    goodThrough: async (job) => engine.state(async (connection) => readGoodThrough(connection, job)),
    outages: async () => engine.state(readOutages),
    events: async () => engine.state(readEvents),
    noteOutages: async (change) => inOne(async (connection) => writeOutages(connection, change)),
    trim: async (before) => inOne(async (connection) => trimRuns(connection, before)),
  };
};
