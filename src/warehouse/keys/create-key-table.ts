import { zero } from '../../base/index.ts';
import type { Clock } from '../../base/index.ts';
import type { ReadCalls } from '../archive/archive.ts';
import type { Engine } from '../engine.ts';
import { inTransaction } from '../rows.ts';
import { addEvents, readEvents, readLast } from './journal-rows.ts';
import { judgeLog } from './judge-log.ts';
import type { KeyTable } from './key-table.ts';
import { putLineage, readLineage } from './lineage-rows.ts';
import { readLogFacts } from './log-facts.ts';
import { readNameUses } from './name-uses.ts';
import { readIdsNamed, readNamesOf } from './names-shown.ts';

export const createKeyTable = (engine: Engine, clock: Clock, readCalls: ReadCalls): KeyTable => {
  const uses: KeyTable['uses'] = async (account, names, span, mostModels) =>
    engine.bulk(async (connection) =>
      readCalls(connection, account, async (callsIn) =>
        readNameUses(connection, { account, names, span, mostModels }, await callsIn(span)),
      ),
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
    use: async (account, name, span) =>
      (await uses(account, [name], span)).get(name) ?? { calls: 0, spend: zero, models: [] },
    logComplete: async (account, span) =>
      engine.bulk(async (connection) =>
        readCalls(connection, account, async (callsIn) =>
          judgeLog(
            span,
            await readLogFacts(connection, { account, span, now: clock.now() }, await callsIn(span)),
          ),
        ),
      ),
    idsOf,
    idsNamed: async (account, name, since) => (await idsOf(account, [name], since)).get(name) ?? [],
    namesOf: async (account, keyId, since) =>
      engine.state(async (connection) => readNamesOf(connection, account, keyId, since)),
  };
};
