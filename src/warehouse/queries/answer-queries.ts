import type { Connection, DuckDBInstance } from '../../storage/index.ts';
import { oneLine } from './in-process.ts';
import { openOwnEngine } from './own-tables.ts';
import { bindQuery, needsOfQuery } from './plan-queries.ts';
import type { QueryReply, QueryRequest, Questions } from './protocol.ts';
import { runQuery, viewsOn } from './run-query.ts';

type Opened = {
  readonly file: string;
  readonly instance: DuckDBInstance;
  readonly connection: Connection;
  readonly define: ReturnType<typeof viewsOn>;
};

/** Answers the requests of one parent, one after the other. Never rejects. */
export const createAnswers = (): ((request: QueryRequest) => Promise<QueryReply>) => {
  let opened: Opened | undefined;
  const close = (): void => {
    opened?.connection.close();
    opened?.instance.closeSync();
    opened = undefined;
  };
  const run = async ({ file, views, sql, rowLimit, ...limits }: Questions['run']['input']) => {
    if (opened?.file !== file) {
      close();
      const { instance, connection } = await openOwnEngine(file, limits, 'READ_ONLY');
      opened = { file, instance, connection, define: viewsOn(connection) };
    }
    const { connection, define } = opened;
    await define(views);
    return runQuery(connection, sql, rowLimit);
  };
  const valueOf = async (request: QueryRequest): Promise<Questions[QueryRequest['question']]['output']> => {
    switch (request.question) {
      case 'bind':
        return bindQuery(request.input.sql);
      case 'needs':
        return needsOfQuery(request.input.sql);
      case 'run':
        return run(request.input);
      case 'close':
        close();
        return null;
      default:
        return request satisfies never;
    }
  };
  return async (request) => {
    try {
      return { value: await valueOf(request) };
    } catch (error) {
      return { failure: oneLine(error) };
    }
  };
};
