import type { DuckDBConnection } from '@duckdb/node-api';
import { interval, money, unixMillis, unixSeconds } from '../../core/index.ts';
import { boundRows } from '../bound-rows.ts';
import { execute, optionalText, readRows, text, wholeNumber } from '../rows.ts';
import type { Row } from '../rows.ts';
import type {
  ComparisonQuery,
  ComparisonSource,
  GapSearchRecord,
  SourceUnit,
  StoredComparison,
} from './comparison.ts';

const columns = {
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
  connection: DuckDBConnection,
  account: string,
  comparisons: readonly StoredComparison[],
): Promise<void> => {
  const rows = boundRows(connection, columns, comparisons, (one) => ({
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
  await rows.execute(
    (table) => `INSERT INTO comparison BY NAME SELECT $account AS account, * FROM ${table}`,
    { account },
  );
};

const comparisonOf = (row: Row): StoredComparison => {
  const entry = optionalText(row, 'entry');
  return {
    // Written by `writeComparisons` alone.
    source: text(row, 'source') as ComparisonSource,
    entry,
    range: interval(unixSeconds(wholeNumber(row, 'start_at')), unixSeconds(wholeNumber(row, 'end_at'))),
    ours: money(text(row, 'ours')),
    theirs: money(text(row, 'theirs')),
    gap: money(text(row, 'gap')),
    unit: text(row, 'unit'),
    verdict: text(row, 'verdict'),
    text: text(row, 'message'),
    comparedAt: unixMillis(wholeNumber(row, 'compared_at')),
  };
};

export const readComparisons = async (
  connection: DuckDBConnection,
  account: string,
  { range, source }: ComparisonQuery,
): Promise<readonly StoredComparison[]> => {
  const rows = await readRows(
    connection,
    `SELECT * FROM comparison
     WHERE account = $account AND ($source IS NULL OR source = $source)
       AND ($start IS NULL OR (start_at < $end AND end_at > $start))
     ORDER BY compared_at, source, entry NULLS FIRST, start_at`,
    { account, source: source ?? null, start: range?.start ?? null, end: range?.end ?? null },
  );
  return rows.map(comparisonOf);
};

/** The newest comparison of the total of each source; of those made at one moment, that of the latest time. */
export const readNewest = async (
  connection: DuckDBConnection,
  account: string,
): Promise<readonly StoredComparison[]> => {
  const rows = await readRows(
    connection,
    `SELECT * FROM comparison WHERE account = $account AND entry IS NULL
     QUALIFY row_number() OVER (PARTITION BY source ORDER BY compared_at DESC, end_at DESC, start_at) = 1
     ORDER BY source`,
    { account },
  );
  return rows.map(comparisonOf);
};

/** Totals since the first one that was bad, by the moment they were made. */
export const readDisputed = async (
  connection: DuckDBConnection,
  account: string,
): Promise<readonly StoredComparison[]> => {
  const rows = await readRows(
    connection,
    `SELECT * FROM comparison
     WHERE account = $account AND entry IS NULL AND compared_at >= (
       SELECT min(compared_at) FROM comparison
       WHERE account = $account AND entry IS NULL AND verdict IN ('truncated', 'unexplained'))
     ORDER BY compared_at, source, start_at`,
    { account },
  );
  return rows.map(comparisonOf);
};

export const readSearches = async (
  connection: DuckDBConnection,
  account: string,
): Promise<readonly GapSearchRecord[]> => {
  const rows = await readRows(
    connection,
    'SELECT * FROM gap_search WHERE account = $account ORDER BY searched_at, start_at',
    { account },
  );
  return rows.map((row) => ({
    range: interval(unixSeconds(wholeNumber(row, 'start_at')), unixSeconds(wholeNumber(row, 'end_at'))),
    searchedAt: unixMillis(wholeNumber(row, 'searched_at')),
  }));
};

export const writeSearch = async (
  connection: DuckDBConnection,
  account: string,
  { range, searchedAt }: GapSearchRecord,
): Promise<void> => {
  await execute(
    connection,
    'INSERT INTO gap_search (account, start_at, end_at, searched_at) VALUES ($account, $start, $end, $searched)',
    { account, start: range.start, end: range.end, searched: searchedAt },
  );
};

export const writeUnit = async (
  connection: DuckDBConnection,
  account: string,
  unit: SourceUnit,
): Promise<void> => {
  const { source } = unit;
  await execute(connection, 'DELETE FROM source_unit WHERE account = $account AND source = $source', {
    account,
    source,
  });
  await execute(
    connection,
    `INSERT INTO source_unit (account, source, unit, per_currency, refunds, places, figures, evidence, learned_at)
     VALUES ($account, $source, $unit, $perCurrency, $refunds, $places, $figures, $evidence, $learnedAt)`,
    { account, ...unit },
  );
};

export const readUnit = async (
  connection: DuckDBConnection,
  account: string,
  source: ComparisonSource,
): Promise<SourceUnit | undefined> => {
  const [row] = await readRows(
    connection,
    'SELECT * FROM source_unit WHERE account = $account AND source = $source',
    { account, source },
  );
  if (row === undefined) return undefined;
  return {
    source,
    unit: text(row, 'unit'),
    perCurrency: money(text(row, 'per_currency')),
    refunds: text(row, 'refunds') as SourceUnit['refunds'],
    places: wholeNumber(row, 'places'),
    figures: wholeNumber(row, 'figures'),
    evidence: text(row, 'evidence'),
    learnedAt: unixMillis(wholeNumber(row, 'learned_at')),
  };
};
