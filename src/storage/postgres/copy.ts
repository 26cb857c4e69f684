import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from, to, type CopyStreamQuery, type CopyToStreamQuery } from 'pg-copy-streams';
import { fault, isDiskFull, messageOf, type Fault } from '../../core/index.ts';
import { destroy, socketOf } from './socket.ts';

/** An unquoted \N is NULL. Both engines quote a text that equals \N. */
const csv = `FORMAT csv, NULL '\\N'`;

/** What the server counted, and the size of the file. */
export type Copied = { readonly rows: number; readonly bytes: number };

/** What the `$name` of a statement stand for. */
export type CopyBindings = Readonly<Record<string, string | number | readonly string[]>>;

export type Copying = {
  /**
   * Writes the rows of a statement to a file. COPY takes no parameters: `$name` becomes a literal, quoted by the driver.
   * @throws fault disk-full or path-unwritable for the file
   */
  readonly copyOut: (sql: string, bindings: CopyBindings, file: string) => Promise<Copied>;
  /** Adds the rows of a file to a table. */
  readonly copyIn: (table: string, columns: readonly string[], file: string) => Promise<Copied>;
};

const fileFault = (error: unknown, file: string): Fault =>
  fault(isDiskFull(error) ? 'disk-full' : 'path-unwritable', `${file}: ${messageOf(error)}`, {
    cause: error,
  });

/** What the driver calls on the statement that runs. */
type Handlers = {
  handleError: (error: Error) => void;
  handleReadyForQuery: () => void;
};

type Outcome = { readonly ended: Promise<void>; readonly failure: () => Error | undefined };

/** Waits for the end of a COPY: after the data, the server sends the row count or a late error in a separate message. */
const outcomeOf = (query: CopyStreamQuery | CopyToStreamQuery): Outcome => {
  const handlers = query as unknown as Handlers;
  const { handleError, handleReadyForQuery } = handlers;
  let failure: Error | undefined;
  // After all data has passed, no other listener handles an error of the stream.
  query.on('error', () => undefined);
  return {
    failure: () => failure,
    ended: new Promise((resolve, reject) => {
      handlers.handleError = (error) => {
        failure ??= error;
        reject(error);
        handleError.call(query, error);
      };
      handlers.handleReadyForQuery = () => {
        handleReadyForQuery.call(query);
        resolve();
      };
    }),
  };
};

const requireSize = async (file: string, counted: number): Promise<void> => {
  const { size } = await stat(file);
  if (size !== counted)
    throw fault('warehouse-failed', `${file} has ${size} bytes, of which ${counted} were copied`, {
      retryHelps: true,
    });
};

/** Runs a statement under the watch of its connection. `isHeldUp`: whether the statement waits for this process. */
type During = <T>(text: string, run: () => Promise<T>, isHeldUp: () => boolean) => Promise<T>;

export const copyingOf = (client: ClientBase, during: During): Copying => ({
  copyOut: async (sql, bindings, file) => {
    const text = sql.replace(/\$([a-z_]\w*)/gi, (_, name: string) => {
      const value = bindings[name];
      if (value === undefined) throw fault('wrong-use', `the value of $${name} is missing`);
      if (typeof value === 'number') return String(value);
      return typeof value === 'string'
        ? client.escapeLiteral(value)
        : `CAST(ARRAY[${value.map((one) => client.escapeLiteral(one)).join(', ')}] AS TEXT[])`;
    });
    const query = to(`COPY (${text}) TO STDOUT (${csv})`);
    const { ended, failure } = outcomeOf(query);
    const written = createWriteStream(file);
    const move = async (): Promise<void> =>
      pipeline(client.query(query), written).catch((error: unknown) => {
        const reason = failure();
        if (reason !== undefined) throw reason;
        // Unread rows block the connection, so it cannot be used again.
        destroy(client);
        throw fileFault(error, file);
      });
    await during(
      query.text,
      () => Promise.all([move(), ended]),
      () => written.writableNeedDrain,
    );
    await requireSize(file, written.bytesWritten);
    return { rows: query.rowCount, bytes: written.bytesWritten };
  },
  copyIn: async (table, columns, file) => {
    const query = from(`COPY ${table} (${columns.join(', ')}) FROM STDIN (${csv})`);
    const { ended, failure } = outcomeOf(query);
    const read = createReadStream(file);
    const move = async (): Promise<void> =>
      pipeline(read, client.query(query)).catch((error: unknown) => {
        throw failure() ?? fileFault(error, file);
      });
    await during(
      query.text,
      () => Promise.all([move(), ended]),
      // No data of the file is queued to be sent: the server waits for this process to read more.
      () => !query.writableEnded && query.writableLength + socketOf(client).writableLength === 0,
    );
    await requireSize(file, read.bytesRead);
    return { rows: query.rowCount, bytes: read.bytesRead };
  },
});
