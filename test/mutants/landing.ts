import { mutant, type Mutant } from './mutant.ts';

export const landingMutants: readonly Mutant[] = [
  mutant(
    'rows that were not read are not missed',
    'warehouse/logs/land-logs',
    'warehouse/logs/land-logs.ts',
    'if (served.rows + overlap.rows !== batch.served)',
    'if (served.rows + overlap.rows < 0)',
  ),
  mutant(
    'an export without rows removes those that are stored',
    'ingest/call-log/pull-logs-faults',
    'warehouse/logs/land-logs.ts',
    'if (served.rows === 0 && replaced.rows > 0 &&',
    'if (served.rows === 0 && replaced.rows < 0 &&',
  ),
  mutant(
    'the total line is not compared',
    'ingest/call-log/integrity',
    'warehouse/logs/land-logs.ts',
    '  checkTotal(batch, addMoney(served.quota, overlap.quota));',
    '  void checkTotal;',
  ),
  mutant(
    'times that the gateway has not passed count as settled',
    'warehouse/clocks/gateway-clocks',
    'warehouse/logs/land-logs.ts',
    'return settled <= reached ? batch :',
    'return settled > 0 ? batch :',
  ),
  mutant(
    'a window that is pulled again keeps its old rows',
    'warehouse/logs/land-again',
    'warehouse/logs/land-logs.ts',
    'AND rowid <= CAST($last AS BIGINT)`',
    'AND rowid < 0 AND rowid <= CAST($last AS BIGINT)`',
  ),
  mutant(
    'a window that is pulled again keeps rows that changed',
    'warehouse/logs/land-again',
    'warehouse/logs/land-logs.ts',
    'one.quota === other.quota && one.digest === other.digest',
    'one.quota === other.quota',
  ),
];
