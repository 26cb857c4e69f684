import {
  inTransaction,
  optionalText,
  serverNow,
  text,
  wholeNumber,
  type Sql,
  type StateEngine,
} from '../storage/index.ts';

/** A command that another process asks of the replica that works. */
export type Request = {
  readonly id: string;
  /** Of the program that asks. */
  readonly version: string;
  readonly command: string;
  /** JSON. */
  readonly input: string;
};

/** A request, as the working replica finds it. */
export type Found = {
  readonly id: string;
  /** The replica that has taken it. */
  readonly holder: string | undefined;
  /** Whether the process that asks has not been seen for a long time. */
  readonly isLeft: boolean;
};

export type Requests = ReturnType<typeof createRequests>;

/** Milliseconds without a sign of the process that asks. */
const longestSilence = 60_000;

const lineColumns = { nth: 'BIGINT', line: 'VARCHAR' } as const;

/** The tables of requests in the database of several processes. Times are those of its clock. */
export const createRequests = ({ state }: Pick<StateEngine, 'state'>) => {
  const put = async (
    connection: Sql,
    id: string,
    lines: readonly { readonly nth: number; readonly line: string }[],
  ): Promise<void> => {
    const { sql, bindings } = connection.table(lineColumns, lines);
    // One that was withdrawn has no lines.
    await connection.execute(
      `INSERT INTO command_line (request, nth, line)
       SELECT request.id, given.nth, given.line FROM ${sql} AS given, command_request AS request WHERE request.id = $id`,
      { ...bindings, id },
    );
  };
  return {
    ask: ({ id, version, command, input }: Request): Promise<void> =>
      state(async (connection) => {
        await connection.execute(
          `INSERT INTO command_request (id, version, command, input, seen_at) VALUES ($id, $version, $command, $input, ${serverNow})`,
          { id, version, command, input },
        );
      }),
    /** The lines from `first` on, by the process that asks; undefined when the request is gone. */
    read: (
      id: string,
      first: number,
    ): Promise<{ readonly isTaken: boolean; readonly lines: readonly string[] } | undefined> =>
      state(async (connection) => {
        const [request] = await connection.rows(
          `UPDATE command_request SET seen_at = ${serverNow} WHERE id = $id RETURNING holder`,
          { id },
        );
        if (request === undefined) return undefined;
        const lines = await connection.rows(
          'SELECT line FROM command_line WHERE request = $id AND nth >= $first ORDER BY nth',
          { id, first },
        );
        return {
          isTaken: optionalText(request, 'holder') !== undefined,
          lines: lines.map((row) => text(row, 'line')),
        };
      }),
    withdraw: (id: string): Promise<void> =>
      state(async (connection) => {
        await connection.execute('DELETE FROM command_request WHERE id = $id', { id });
      }),
    found: (): Promise<readonly Found[]> =>
      state(async (connection) =>
        (
          await connection.rows(
            `SELECT id, holder, seen_at < ${serverNow} - $longestSilence AS is_left FROM command_request`,
            { longestSilence },
          )
        ).map((row) => ({
          id: text(row, 'id'),
          holder: optionalText(row, 'holder'),
          isLeft: row['is_left'] === true,
        })),
      ),
    /** Undefined when another replica has taken it, or it was withdrawn. */
    take: (id: string, holder: string): Promise<Request | undefined> =>
      state(async (connection) => {
        const [row] = await connection.rows(
          `UPDATE command_request SET holder = $holder WHERE id = $id AND holder IS NULL RETURNING version, command, input`,
          { id, holder },
        );
        if (row === undefined) return undefined;
        return {
          id,
          version: text(row, 'version'),
          command: text(row, 'command'),
          input: text(row, 'input'),
        };
      }),
    put: (id: string, lines: readonly { readonly nth: number; readonly line: string }[]): Promise<void> =>
      state((connection) => put(connection, id, lines)),
    /** Ends a request that another replica had taken with a last line. */
    inherit: (id: string, holder: string, line: string): Promise<void> =>
      state((connection) =>
        inTransaction(connection, async () => {
          await connection.execute('UPDATE command_request SET holder = $holder WHERE id = $id', {
            id,
            holder,
          });
          const [row] = await connection.rows(
            'SELECT coalesce(max(nth), -1) + 1 AS nth FROM command_line WHERE request = $id',
            { id },
          );
          await put(connection, id, [{ nth: wholeNumber(row, 'nth'), line }]);
        }),
      ),
  };
};
