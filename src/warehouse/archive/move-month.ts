import { join } from 'node:path';
import { fault, hasCode, type Log } from '../../core/index.ts';
import { callsWithJson } from '../logs/extra.ts';
import type { LogBatch } from '../logs/log-batch.ts';
import { moveCalls } from '../rollup/change-calls.ts';
import { inTransaction, type Sql } from '../../storage/index.ts';
import { readMonthsIn, setState, type ArchivedMonth } from './archive-rows.ts';
import { readDigest } from './digest.ts';
import { archivedCallsSql } from './relations.ts';
import { monthBindings, ofMonth, verifyAgainst, type ArchiveDeps } from './write-month.ts';

/**
 * Removes the rows of a month from the table, and records in the same transaction that only the file contains them.
 * Reads the file again first and compares it with the table, since an earlier check proves nothing.
 * @throws faults archive-damaged, archive-unverified.
 */
export const takeOut = async (
  { engine, root, clock, files }: ArchiveDeps,
  copy: ArchivedMonth,
  signal: AbortSignal | undefined,
): Promise<void> => {
  await files.require(copy, true);
  const bindings = monthBindings(copy.account, copy);
  await engine.bulk(
    async (connection) =>
      inTransaction(connection, async () => {
        const stored = await readDigest(connection, callsWithJson, ofMonth, bindings);
        await verifyAgainst(connection, stored, join(root, copy.file), {
          account: copy.account,
          name: copy.month,
        });
        const removed = await moveCalls(connection, `DELETE FROM call_log WHERE ${ofMonth}`, bindings);
        if (removed !== stored.rows)
          throw fault(
            'archive-unverified',
            `${removed} rows would be removed from the table, expected ${stored.rows}`,
          );
        await setState(connection, copy, 'sole', clock.now());
      }),
    signal,
  );
};

const insertFrom = async (connection: Sql, root: string, month: ArchivedMonth): Promise<void> => {
  const rows = await moveCalls(connection, `INSERT INTO call_log BY NAME SELECT * FROM ${archivedCallsSql}`, {
    archive_files: [join(root, month.file)],
  });
  if (rows !== month.rows)
    throw fault(
      'archive-damaged',
      `the archive of ${month.account} for ${month.month} returned ${rows} of ${month.rows} rows`,
    );
};

/**
 * Restores the months that a landing touches in the table, in the transaction of the landing. Their files become void,
 * and the next archive run writes new ones. A damaged file is a fault, unless the landing replaces the whole month.
 * @throws fault archive-damaged.
 */
export const bringBack = async (
  { root, files, log }: Pick<ArchiveDeps, 'root' | 'files'> & { readonly log: Log },
  connection: Sql,
  { account, window, served }: Pick<LogBatch, 'account' | 'window' | 'served'>,
): Promise<void> => {
  for (const month of await readMonthsIn(connection, account, window)) {
    if (month.state === 'sole') {
      const isReplaced = window.start <= month.range.start && window.end >= month.range.end && served > 0;
      try {
        await files.require(month);
        await insertFrom(connection, root, month);
      } catch (error) {
        if (!isReplaced || !hasCode(error, 'archive-damaged')) throw error;
        log.warn('replacing a damaged month of the archive with data from the gateway', {
          account,
          month: month.month,
          lost: `${month.rows} rows, ${month.quota} as served`,
        });
      }
    }
    await setState(connection, month, 'void');
  }
};
