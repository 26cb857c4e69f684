import { mutant, type Mutant } from './mutant.ts';

const tests = 'warehouse/rollup/rollup';

export const rollupMutants: readonly Mutant[] = [
  mutant(
    'a landing does not mark its range',
    tests,
    'warehouse/rollup/change-calls.ts',
    'await changedRange(connection, range);',
    'void range;',
  ),
  mutant(
    'rows that depend on their UTC day are not marked with it',
    tests,
    'warehouse/rollup/change-calls.ts',
    'account = $account AND served_columns IS NULL',
    'account = $account AND served_columns = -1',
  ),
  mutant(
    'a changed convention marks no model',
    tests,
    'warehouse/rollup/change-calls.ts',
    'if (models.length === 0) return;',
    'if (models.length >= 0) return;',
  ),
  mutant(
    'a marked day is read from its cells',
    tests,
    'warehouse/rollup/cells.ts',
    'WHERE mark.account = day.account AND mark.start_at < day.end_at',
    'WHERE mark.account <> day.account AND mark.start_at < day.end_at',
  ),
  mutant(
    'a call in the first second of a day counts for the day before',
    tests,
    'warehouse/rollup/refresh.ts',
    '`WHEN created_at < ${end} THEN ${start}`',
    '`WHEN created_at <= ${end} THEN ${start}`',
  ),
];
