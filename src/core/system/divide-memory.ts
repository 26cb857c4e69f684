import { fault } from '../fault.ts';
import { bytesOf, megabytesText } from '../units.ts';
import type { MemoryLimit } from './memory-limit.ts';

/** How the memory is divided; bytes. */
export type MemoryDivision = {
  readonly limit: MemoryLimit;
  /** JavaScript, the program itself, and buffers outside of the database. */
  readonly node: number;
  /** DuckDB in the main process. */
  readonly database: number;
  /** The process that runs the SQL of reports, while it runs. */
  readonly queries: number;
  /** DuckDB in that process. */
  readonly queryEngine: number;
};

const megabyte = 1_000_000;

/** The smallest limit with which a pull of a million rows and its report were measured to work (docs/operations.md). */
const leastMemory = 400 * megabyte;

/** On a machine without a limit other programs run too: at most half of it, and no more than this. */
const mostOfMachine = 2_000 * megabyte;

/** Measured: the process before its first job, and the process of queries before its first query. */
const base = { node: 150 * megabyte, queries: 100 * megabyte };

/** Left to buffers that DuckDB does not count and to what the kernel keeps for the processes. */
const reserve = 0.1;

/** Of what the processes themselves leave. */
const databaseShare = 0.6;

/**
 * Divides the limit among the processes. `configured` (`warehouse.memory_limit`) is then the limit of both engines.
 * @throws fault memory-too-small
 */
export const divideMemory = (limit: MemoryLimit, configured?: string): MemoryDivision => {
  if (configured !== undefined) {
    const engine = bytesOf(configured);
    const queries = base.queries + engine;
    return { limit, node: base.node, database: engine, queries, queryEngine: engine };
  }
  if (limit.bytes < leastMemory)
    throw fault(
      'memory-too-small',
      `the memory limit of the ${limit.of} is ${megabytesText(limit.bytes)}, and Tollkeeper needs at least ${megabytesText(leastMemory)}`,
    );
  const usable =
    limit.of === 'container' ? limit.bytes : Math.max(leastMemory, Math.min(limit.bytes / 2, mostOfMachine));
  const engines = usable * (1 - reserve) - base.node - base.queries;
  const database = Math.floor(engines * databaseShare);
  const queryEngine = Math.floor(engines) - database;
  return { limit, node: base.node, database, queries: base.queries + queryEngine, queryEngine };
};

/** Bytes by which the parts together exceed the limit, as they can with a configured `warehouse.memory_limit`; at least 0. */
export const excessOf = ({ limit, node, database, queries }: MemoryDivision): number =>
  Math.max(0, node + database + queries - limit.bytes);
