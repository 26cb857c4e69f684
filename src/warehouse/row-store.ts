import { inTransaction, type AccountRows, type Connection, type Engine } from '../storage/index.ts';
import type { Archive } from './archive/archive.ts';
import { openCells } from './rollup/cells.ts';
import type { AccountStore } from './schema.ts';

/** Calls in the table `call_log` of the database file and, where a month left it, in a file of the archive. */
export const createRowStore = (
  engine: Engine,
  archive: Pick<Archive, 'asReader' | 'rowsIn' | 'bringBack'>,
): AccountStore => {
  const rowsOf = (connection: Connection, account: string): AccountRows => {
    const rows = archive.rowsIn(connection, account);
    const cells: AccountRows['cells'] = async (table) => table;
    const rollup: AccountRows['rollup'] = (zone) => openCells({ connection, rows, cells }, account, zone);
    return { connection, stored: connection, rows, cells, rollup, version: async () => 0 };
  };
  return {
    read: ({ account }, work, signal) =>
      engine.bulk(
        (connection) =>
          archive.asReader(() => inTransaction(connection, () => work(rowsOf(connection, account)))),
        signal,
      ),
    publish: ({ account }, work, { signal, isKept } = {}) =>
      engine.bulk(
        (connection) =>
          archive.asReader(() =>
            inTransaction(
              connection,
              () =>
                work({
                  ...rowsOf(connection, account),
                  hold: (window, served) => archive.bringBack(connection, { account, window, served }),
                }),
              isKept,
            ),
          ),
        signal,
      ),
  };
};
