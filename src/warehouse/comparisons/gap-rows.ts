import type { DuckDBConnection } from '@duckdb/node-api';
import { interval, money, unixMillis, unixSeconds } from '../../core/index.ts';
import { execute, readRows, text, wholeNumber } from '../rows.ts';
import type { Row } from '../rows.ts';
import type { ComparisonSource, GapState, KnownGap } from './comparison.ts';

const gapOf = (row: Row): KnownGap => ({
  // Written by `writeGaps` alone.
  source: text(row, 'source') as ComparisonSource,
  range: interval(unixSeconds(wholeNumber(row, 'start_at')), unixSeconds(wholeNumber(row, 'end_at'))),
  gap: money(text(row, 'gap')),
  unit: text(row, 'unit'),
  verdict: text(row, 'verdict'),
  text: text(row, 'message'),
  state: text(row, 'state') as GapState,
  notedAt: unixMillis(wholeNumber(row, 'noted_at')),
});

/** The oldest first. */
export const readGaps = async (
  connection: DuckDBConnection,
  account: string,
): Promise<readonly KnownGap[]> => {
  const rows = await readRows(
    connection,
    `SELECT * FROM comparison_gap WHERE account = $account ORDER BY noted_at, start_at, source`,
    { account },
  );
  return rows.map(gapOf);
};

/** Adds gaps, or changes the state of those that are there: source, span and moment name one. */
export const writeGaps = async (
  connection: DuckDBConnection,
  account: string,
  gaps: readonly KnownGap[],
): Promise<void> => {
  for (const { source, range, gap, unit, verdict, text: message, state, notedAt } of gaps) {
    const key = { account, source, start: range.start, end: range.end, noted: notedAt };
    const [known] = await readRows(
      connection,
      `UPDATE comparison_gap SET state = $state
       WHERE account = $account AND source = $source AND start_at = $start AND end_at = $end AND noted_at = $noted
       RETURNING source`,
      { ...key, state },
    );
    if (known !== undefined) continue;
    await execute(
      connection,
      `INSERT INTO comparison_gap
       VALUES ($account, $source, $start, $end, $gap, $unit, $verdict, $message, $state, $noted)`,
      { ...key, gap, unit, verdict, message, state },
    );
  }
};
