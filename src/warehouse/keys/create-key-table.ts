import type { Clock } from '../../base/index.ts';
import type { ReadCalls } from '../archive/archive.ts';
import type { Engine } from '../engine.ts';
import { inTransaction, readRows, wholeNumber } from '../rows.ts';
import { addEvents, readEvents, readLast } from './journal-rows.ts';
import { judgeLog } from './judge-log.ts';
import type { KeyTable } from './key-table.ts';
import { putLineage, readLineage } from './lineage-rows.ts';
import { readLogFacts } from './log-facts.ts';
import { readNameUse } from './name-use.ts';

export const createKeyTable = (engine: Engine, clock: Clock, readCalls: ReadCalls): KeyTable => ({
  append: async (rows, lineage) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => {
        await addEvents(connection, rows);
        await putLineage(connection, lineage);
      }),
    ),
  last: async () => engine.state(readLast),
  events: async (filter = {}) => engine.state(async (connection) => readEvents(connection, filter)),
  lineage: async (account) => engine.state(async (connection) => readLineage(connection, account)),
  use: async (account, name, span) =>
    engine.bulk(async (connection) =>
      readCalls(connection, account, async (callsIn) =>
        readNameUse(connection, account, name, span, await callsIn(span)),
      ),
    ),
  logComplete: async (account, span) =>
    engine.bulk(async (connection) =>
      readCalls(connection, account, async (callsIn) =>
        judgeLog(
          span,
          await readLogFacts(connection, { account, span, now: clock.now() }, await callsIn(span)),
        ),
      ),
    ),
  idsNamed: async (account, name, since) =>
    engine.state(async (connection) => {
      const rows = await readRows(
        connection,
        // A name is shown until the first inventory that no longer does.
        `SELECT DISTINCT key_id FROM key_snapshot
         WHERE account = $account AND trim(name) = trim($name) AND valid_until > $since
         ORDER BY key_id`,
        { account, name, since },
      );
      return rows.map((row) => wholeNumber(row, 'key_id'));
    }),
});
