import { mutant, type Mutant } from './mutant.ts';

export const timeMutants: readonly Mutant[] = [
  mutant(
    'seconds of the usage export count as milliseconds',
    'ingest/usage/usage-time',
    'ingest/usage/usage-time.ts',
    'return unixMillis(Number(text) * 1000);',
    'return unixMillis(Number(text));',
  ),
  mutant(
    'a week begins in UTC',
    'ingest/usage/usage-time',
    'ingest/usage/usage-time.ts',
    'fromWallClock(dashed, zone)',
    "fromWallClock(dashed, 'UTC')",
  ),
  mutant(
    'a day begins in UTC',
    'ingest/usage/usage-time',
    'ingest/usage/usage-time.ts',
    'toMillis(startOfDay(dashed, zone))',
    "toMillis(startOfDay(dashed, 'UTC'))",
  ),
  mutant(
    'a number that is guarded for spreadsheets is not a time',
    'ingest/usage/usage-time',
    'ingest/usage/usage-time.ts',
    "cell.trim().replace(/^'/, '')",
    'cell.trim()',
  ),
  mutant(
    'a date that does not exist is a time',
    'ingest/usage/usage-time',
    'ingest/usage/usage-time.ts',
    'isDate(dashed) ?',
    "dashed !== '' ?",
  ),
];
