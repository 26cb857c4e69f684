import { mutant, type Mutant } from './mutant.ts';

const landingMutants: readonly Mutant[] = [
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

const rollupTests = 'warehouse/rollup/rollup';

const rollupMutants: readonly Mutant[] = [
  mutant(
    'a landing does not mark its range',
    rollupTests,
    'warehouse/rollup/change-calls.ts',
    'await changedRange(connection, range);',
    'void range;',
  ),
  mutant(
    'rows that depend on their UTC day are not marked with it',
    rollupTests,
    'warehouse/rollup/change-calls.ts',
    'account = $account AND served_columns IS NULL',
    'account = $account AND served_columns = -1',
  ),
  mutant(
    'a changed convention marks no model',
    rollupTests,
    'warehouse/rollup/change-calls.ts',
    'if (models.length === 0) return;',
    'if (models.length >= 0) return;',
  ),
  mutant(
    'a marked day is read from its cells',
    rollupTests,
    'warehouse/rollup/rollup-schema.ts',
    'WHERE mark.account = ${span}.account AND mark.start_at < ${span}.end_at',
    'WHERE mark.account <> ${span}.account AND mark.start_at < ${span}.end_at',
  ),
  mutant(
    'a call in the first second of a day counts for the day before',
    rollupTests,
    'warehouse/rollup/build-cells.ts',
    '`WHEN created_at < ${end} THEN ${start}`',
    '`WHEN created_at <= ${end} THEN ${start}`',
  ),
  mutant(
    'a month keeps its cells after one of its days has landed again',
    rollupTests,
    'warehouse/rollup/refresh.ts',
    'day.start_at >= month.start_at AND day.start_at < month.end_at',
    'day.start_at >= month.end_at',
  ),
  mutant(
    'a month of two periods is read as one',
    rollupTests,
    'warehouse/rollup/cells.ts',
    'cuts?.some((cut) => cut > start && cut < end) !== true',
    'cuts?.some((cut) => cut > end && cut < start) !== true',
  ),
];

const tests = 'reports/causes';

const causeMutants: readonly Mutant[] = [
  mutant(
    'a model and key is named for a change of all calls although its own went the other way',
    tests,
    'monitoring/causes/name-contributor.ts',
    'return (now.calls - old.calls) * sign > 0n ? callsEffect(old, now) * sign : 0n;',
    'return total(cells, ({ units }) => units.volume) * sign * all.days;',
  ),
  mutant(
    'a contributor of less than a quarter is named',
    tests,
    'monitoring/causes/name-contributor.ts',
    'if (size * leastPart < units * sign * all.days || size <= 0n) continue;',
    'if (size <= 0n) continue;',
  ),
];

const configurationMutants: readonly Mutant[] = [
  mutant(
    'a job counts as ready once one of its needs is',
    'config/mistakes',
    'config/rules/rules.ts',
    'if (needs?.size === 0) ready.push(waiting);',
    'if (needs !== undefined) ready.push(waiting);',
  ),
  mutant(
    'a job may need itself',
    'config/mistakes',
    'config/rules/rules.ts',
    "if (names === 'job' && text.normalize('NFC') === job.name)",
    "if (names === 'job' && text === '')",
  ),
  mutant(
    'a job without an account is valid with several accounts',
    'config/mistakes',
    'config/rules/rules.ts',
    'accounts.length === 1 ||',
    'accounts.length > 1 ||',
  ),
  mutant(
    'a job may send mail without a mail server',
    'config/mistakes',
    'config/rules/rules.ts',
    'if (declared.hasMail !== false ||',
    'if (declared.hasMail !== true ||',
  ),
  mutant(
    'a delay may be longer than the time between two slots',
    'config/policies',
    'config/rules/rules.ts',
    'if (space === undefined || delay <= space) return [];',
    'if (space === undefined || delay > 0) return [];',
  ),
];

const timeMutants: readonly Mutant[] = [
  mutant(
    'seconds of the usage export count as milliseconds',
    'ingest/usage/usage-windows',
    'ingest/usage/usage-time.ts',
    'return unixMillis(Number(text) * 1000);',
    'return unixMillis(Number(text));',
  ),
  mutant(
    'a week begins in UTC',
    'ingest/usage/usage-windows',
    'ingest/usage/usage-time.ts',
    'fromWallClock(dashed, zone)',
    "fromWallClock(dashed, 'UTC')",
  ),
  mutant(
    'a day begins in UTC',
    'ingest/usage/usage-windows',
    'ingest/usage/usage-time.ts',
    'toMillis(startOfDay(dashed, zone))',
    "toMillis(startOfDay(dashed, 'UTC'))",
  ),
  mutant(
    'a number that is guarded for spreadsheets is not a time',
    'ingest/usage/usage-windows',
    'ingest/usage/usage-time.ts',
    "cell.trim().replace(/^'/, '')",
    'cell.trim()',
  ),
  mutant(
    'a date that does not exist is a time',
    'ingest/usage/usage-windows',
    'ingest/usage/usage-time.ts',
    'isDate(dashed) ?',
    "dashed !== '' ?",
  ),
];

const closedMutants: readonly Mutant[] = [
  mutant(
    'a month is closed with rows that do not add up to its report',
    'warehouse/closed/closed-months',
    'warehouse/closed/close-month.ts',
    'if (compareMoney(sum, spend) !== 0)',
    "if (sum === '')",
  ),
  mutant(
    'what was corrected is corrected again',
    'warehouse/closed/closed-months',
    'warehouse/closed/close-month.ts',
    'new_calls - old_calls, 0, new_charge - old_charge, 0',
    '0, 0, 0, 0',
  ),
];

/** Faults of what is landed, derived and configured. */
export const dataMutants: readonly Mutant[] = [
  ...landingMutants,
  ...rollupMutants,
  ...closedMutants,
  ...causeMutants,
  ...configurationMutants,
  ...timeMutants,
];
