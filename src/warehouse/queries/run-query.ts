import type { Connection } from '../../storage/index.ts';
import { fault } from '../../core/index.ts';
import { resultTable, type ResultTable } from '../cube/result-table.ts';

/** Characters of one result: a report shows far fewer, and the process that builds it must survive. */
const maxCharacters = 64 * 1024 * 1024;

const sizeOf = ({ rows }: ResultTable): number => {
  let size = 0;
  for (const row of rows) for (const cell of row) size += typeof cell === 'string' ? cell.length : 1;
  return size;
};

/**
 * Runs the statements that define the views of a query. Those of the query before are not planned again: the queries of a report
 * share a few.
 */
export const viewsOn = (connection: Connection) => {
  let last: readonly string[] = [];
  return async (views: readonly string[]): Promise<void> => {
    const added = views.filter((view) => !last.includes(view));
    last = [];
    for (const view of added) await connection.execute(view);
    last = views;
  };
};

/** Everything that a query returns. @throws the engine's error; fault report-query-failed for a result that is too large */
export const runQuery = async (
  connection: Connection,
  sql: string,
  rowLimit: number,
): Promise<ResultTable> => {
  // Reading one row more than allowed detects an excess.
  const reader = await connection.readSome(sql, rowLimit + 1);
  if (reader.currentRowCount > rowLimit)
    throw fault('report-query-failed', `the query returns more than ${rowLimit} rows`);
  const result = resultTable(reader, rowLimit);
  if (sizeOf(result) > maxCharacters)
    throw fault('report-query-failed', `the query returns more than ${maxCharacters} characters`);
  return result;
};
