import { interval, unixSeconds, zero } from '../../core/index.ts';
import type { GatewayClocks } from '../clocks/gateway-clocks.ts';
import { inTransaction, type StateEngine } from '../../storage/index.ts';
import type { AccountStore } from '../schema.ts';
import { addEvents, readEvents, readLast } from './journal-rows.ts';
import { judgeLog } from './judge-log.ts';
import type { KeyTable } from './key-table.ts';
import { putLineage, readLineage } from './lineage-rows.ts';
import { logFactsTables, readLogFacts } from './log-facts.ts';
import { readFirstCall, readHoursUsed, readNameUses } from './name-uses.ts';
import { readIdsNamed, readNamesOf } from './names-shown.ts';

/** Later than any call. */
const latest = unixSeconds(32_503_680_000);

export const createKeyTable = (
  engine: StateEngine,
  clocks: Pick<GatewayClocks, 'now'>,
  rowStore: AccountStore,
): KeyTable => {
  const uses: KeyTable['uses'] = async (account, names, range, maxModels) =>
    rowStore.read({ account, reads: ['log_amounts'] }, async ({ connection, rows }) =>
      readNameUses(connection, { account, names, range, maxModels }, await rows(range)),
    );
  const idsOf: KeyTable['idsOf'] = async (account, names, since) =>
    engine.state(async (connection) => readIdsNamed(connection, account, names, since));
  return {
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
    uses,
    use: async (account, name, range) =>
      (await uses(account, [name], range)).get(name) ?? { calls: 0, spend: zero, models: [] },
    hoursUsed: async (account, names, range) =>
      rowStore.read({ account }, async ({ connection, rows }) =>
        readHoursUsed(
          connection,
          { account, names, range },
          await rows(range, { columns: ['account', 'created_at', 'token_name', 'kind'] }),
        ),
      ),
    logComplete: async (account, range) =>
      rowStore.read({ account, reads: logFactsTables }, async ({ connection, rows }) =>
        judgeLog(
          range,
          await readLogFacts(connection, { account, range, now: clocks.now(account) }, await rows(range)),
        ),
      ),
    firstCall: async (account, name, since) =>
      rowStore.read({ account }, async ({ connection, rows }) =>
        readFirstCall(connection, { account, name, since }, await rows(interval(since, latest))),
      ),
    idsOf,
    idsNamed: async (account, name, since) => (await idsOf(account, [name], since)).get(name) ?? [],
    namesOf: async (account, keyIds, since) =>
      engine.state(async (connection) => readNamesOf(connection, account, keyIds, since)),
  };
};
