import {
  all,
  column,
  label,
  millis,
  readAs,
  rowReader,
  secondsRange,
  text,
  type Sql,
} from '../../storage/index.ts';
import { comparisonGap } from './comparison-rows.ts';
import type { ComparisonSource, GapState, KnownGap } from './comparison.ts';

const knownGap = rowReader({
  source: label<ComparisonSource>(),
  range: secondsRange,
  gap: comparisonGap,
  ...all(text, 'unit', 'verdict'),
  text: column('message', text),
  state: label<GapState>(),
  notedAt: millis,
});

/** Oldest first. */
export const readGaps = async (
  connection: Sql,
  account: string,
  condition = 'true',
): Promise<readonly KnownGap[]> =>
  readAs(
    connection,
    knownGap,
    `SELECT * FROM comparison_gap WHERE account = $account AND ${condition} ORDER BY noted_at, start_at, source`,
    { account },
  );

/** Adds gaps, or changes the state of existing ones. Source, range and moment identify a gap. */
export const writeGaps = async (
  connection: Sql,
  account: string,
  gaps: readonly KnownGap[],
): Promise<void> => {
  for (const { source, range, gap, unit, verdict, text: message, state, notedAt } of gaps) {
    const key = { account, source, start: range.start, end: range.end, noted: notedAt };
    const [known] = await connection.rows(
      `UPDATE comparison_gap SET state = $state
       WHERE account = $account AND source = $source AND start_at = $start AND end_at = $end AND noted_at = $noted
       RETURNING source`,
      { ...key, state },
    );
    if (known !== undefined) continue;
    await connection.execute(
      `INSERT INTO comparison_gap
         (account, source, start_at, end_at, gap, unit, verdict, message, state, noted_at)
       VALUES ($account, $source, $start, $end, $gap, $unit, $verdict, $message, $state, $noted)`,
      { ...key, gap, unit, verdict, message, state },
    );
  }
};
