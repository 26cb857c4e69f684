import {
  boundRows,
  all,
  amount,
  column,
  label,
  millis,
  optional,
  readAs,
  rowReader,
  secondsRange,
  text,
  wholeNumber,
  type Row,
  type Sql,
} from '../../storage/index.ts';
import type {
  ComparisonGap,
  ComparisonQuery,
  ComparisonSource,
  GapSearchRecord,
  SourceUnit,
  StoredComparison,
} from './comparison.ts';

const columns = {
  account: 'VARCHAR',
  source: 'VARCHAR',
  entry: 'VARCHAR',
  start_at: 'BIGINT',
  end_at: 'BIGINT',
  ours: 'VARCHAR',
  theirs: 'VARCHAR',
  gap: 'VARCHAR',
  unit: 'VARCHAR',
  verdict: 'VARCHAR',
  message: 'VARCHAR',
  compared_at: 'BIGINT',
} as const;

export const writeComparisons = async (
  connection: Sql,
  account: string,
  comparisons: readonly StoredComparison[],
): Promise<void> => {
  const rows = boundRows(connection, columns, comparisons, (one) => ({
    account,
    source: one.source,
    entry: one.entry ?? null,
    start_at: one.range.start,
    end_at: one.range.end,
    ours: one.ours,
    theirs: one.theirs,
    gap: one.gap,
    unit: one.unit,
    verdict: one.verdict,
    message: one.text,
    compared_at: one.comparedAt,
  }));
  await rows.insert('comparison');
};

export const comparisonGap = (row: Row | undefined, name: string): ComparisonGap =>
  text(row, name) === 'unknown' ? 'unknown' : amount(row, name);

const comparison = rowReader({
  source: label<ComparisonSource>(),
  entry: optional(text),
  range: secondsRange,
  ...all(amount, 'ours', 'theirs'),
  gap: comparisonGap,
  ...all(text, 'unit', 'verdict'),
  text: column('message', text),
  comparedAt: millis,
});

export const readComparisons = async (
  connection: Sql,
  account: string,
  { range, source }: ComparisonQuery,
): Promise<readonly StoredComparison[]> =>
  readAs(
    connection,
    comparison,
    `SELECT * FROM comparison
     WHERE account = $account AND source = coalesce($source, source)
       AND start_at < coalesce($end, start_at + 1) AND end_at > coalesce($start, end_at - 1)
     ORDER BY compared_at, source, entry NULLS FIRST, start_at`,
    { account, source: source ?? null, start: range?.start ?? null, end: range?.end ?? null },
  );

/** The newest comparison of the total of each source; of those made at the same moment, the one of the latest range. */
export const readNewest = async (connection: Sql, account: string): Promise<readonly StoredComparison[]> =>
  readAs(
    connection,
    comparison,
    `SELECT * FROM (
       SELECT *, row_number() OVER (PARTITION BY source ORDER BY compared_at DESC, end_at DESC, start_at) AS place
       FROM comparison WHERE account = $account AND entry IS NULL
     ) AS placed WHERE place = 1 ORDER BY source`,
    { account },
  );

/** Totals since the first bad one, by the moment they were made. */
export const readDisputed = async (connection: Sql, account: string): Promise<readonly StoredComparison[]> =>
  readAs(
    connection,
    comparison,
    `SELECT * FROM comparison
     WHERE account = $account AND entry IS NULL AND compared_at >= (
       SELECT min(compared_at) FROM comparison
       WHERE account = $account AND entry IS NULL AND verdict IN ('truncated', 'unexplained'))
     ORDER BY compared_at, source, start_at`,
    { account },
  );

export const readSearches = async (connection: Sql, account: string): Promise<readonly GapSearchRecord[]> =>
  readAs(
    connection,
    rowReader({ range: secondsRange, searchedAt: millis }),
    'SELECT * FROM gap_search WHERE account = $account ORDER BY searched_at, start_at',
    { account },
  );

export const writeSearch = async (
  connection: Sql,
  account: string,
  { range, searchedAt }: GapSearchRecord,
): Promise<void> => {
  await connection.execute(
    'INSERT INTO gap_search (account, start_at, end_at, searched_at) VALUES ($account, $start, $end, $searched)',
    { account, start: range.start, end: range.end, searched: searchedAt },
  );
};

export const writeUnit = async (connection: Sql, account: string, unit: SourceUnit): Promise<void> => {
  const { source } = unit;
  await connection.execute('DELETE FROM source_unit WHERE account = $account AND source = $source', {
    account,
    source,
  });
  await connection.execute(
    `INSERT INTO source_unit (account, source, unit, per_currency, refunds, places, figures, evidence, learned_at)
     VALUES ($account, $source, $unit, $perCurrency, $refunds, $places, $figures, $evidence, $learnedAt)`,
    { account, ...unit },
  );
};

const sourceUnit = rowReader({
  source: label<ComparisonSource>(),
  unit: text,
  perCurrency: amount,
  refunds: label<SourceUnit['refunds']>(),
  ...all(wholeNumber, 'places', 'figures'),
  evidence: text,
  learnedAt: millis,
});

export const readUnits = async (connection: Sql, account: string): Promise<readonly SourceUnit[]> =>
  readAs(connection, sourceUnit, 'SELECT * FROM source_unit WHERE account = $account ORDER BY source', {
    account,
  });
