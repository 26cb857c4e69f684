import type { Interval, UnixSeconds } from '../../core/index.ts';
import type { LogBatch, SeenKinds } from '../logs/log-batch.ts';
import { changeCalls, type CallsRange } from '../rollup/change-calls.ts';
import { wholeNumber, type Sql } from '../../storage/index.ts';
import { decideKindLabels, decideLabels, mayTellKinds, type LabelMeaning } from './decide-kinds.ts';
import { bareSql, kindByRowSql, labelSql } from './row-sql.ts';
import { kindEvidence, learnLabels, textEvidence, type Rows } from './label-evidence.ts';

/** The meanings of labels in columns that are stored as text, by column. */
type TextMeanings = ReadonlyMap<string, ReadonlyMap<string, LabelMeaning>>;

/** What the rows of a window prove about their kinds. */
export type LearnedKinds = {
  /** The meanings of labels, otherwise unknown, in the column named for kinds. */
  readonly kinds: ReadonlyMap<string, LabelMeaning>;
  readonly texts: TextMeanings;
  /** Whether it is new: then it also applies to rows that landed earlier. */
  readonly isNew: boolean;
};

/** The same, with the number of rows of the window whose kind changed. */
type SettledKinds = LearnedKinds & { readonly changed: number };

const labelsFor = (meanings: ReadonlyMap<string, LabelMeaning>, meaning: LabelMeaning): readonly string[] =>
  [...meanings].flatMap(([word, one]) => (one === meaning ? [word] : []));

/** Rows that landed under labels known by now get their kinds. Returns the number of rows. */
export const applyKindLabels = async (
  connection: Sql,
  { sql, bindings }: Rows,
  range: CallsRange,
  meanings: ReadonlyMap<string, LabelMeaning>,
): Promise<number> => {
  let changed = 0;
  for (const [meaning, kind] of [
    ['error', `'error'`],
    ['call', kindByRowSql],
  ] as const) {
    const labels = labelsFor(meanings, meaning);
    if (labels.length > 0)
      changed += await changeCalls(
        connection,
        range,
        `UPDATE call_log SET kind = ${kind} WHERE ${sql} AND lower(kind) IN (SELECT unnest($labels))`,
        { ...bindings, labels },
      );
  }
  return changed;
};

const isUnclear = `kind = 'consumption' AND ${bareSql}`;

/** Rows that a proven column marks as errors, and that show nothing else, become errors. Returns the number of rows. */
export const applyTextLabels = async (
  connection: Sql,
  { sql, bindings }: Rows,
  range: CallsRange,
  texts: TextMeanings,
): Promise<number> => {
  let changed = 0;
  for (const [column, meanings] of texts) {
    const labels = labelsFor(meanings, 'error');
    if (labels.length > 0)
      changed += await changeCalls(
        connection,
        range,
        `UPDATE call_log SET kind = 'error'
         WHERE ${sql} AND ${isUnclear} AND ${labelSql('column')} IN (SELECT unnest($labels))`,
        { ...bindings, column, labels },
      );
  }
  return changed;
};

const forgetUnclear = async (connection: Sql, { sql, bindings }: Rows): Promise<void> => {
  await connection.execute(`DELETE FROM log_unclear_row WHERE ${sql}`, bindings);
};

/** Stores, per second, how many rows count as calls although no column identifies them as calls. */
export const noteUnclear = async (
  connection: Sql,
  { sql, bindings }: Rows,
  texts: TextMeanings,
): Promise<void> => {
  const columns = [...texts].filter(([, meanings]) => meanings.size > 0);
  const pending = columns.map((_, at) => ` AND NOT list_contains($known_${at}, ${labelSql(`column_${at}`)})`);
  await connection.execute(
    `CREATE OR REPLACE TEMP TABLE unclear_now AS
     SELECT created_at, count(*) AS row_count FROM call_log WHERE ${sql} AND ${isUnclear}${pending.join('')}
     GROUP BY created_at`,
    {
      ...bindings,
      ...Object.fromEntries(
        columns.flatMap(([column, meanings], at): [string, string | readonly string[]][] => [
          [`column_${at}`, column],
          [`known_${at}`, [...meanings.keys()]],
        ]),
      ),
    },
  );
  await forgetUnclear(connection, { sql, bindings });
  await connection.execute(
    'INSERT INTO log_unclear_row SELECT $account, created_at, row_count FROM unclear_now',
    { account: bindings['account'] ?? '' },
  );
};

/** The number of rows of the range that count as calls although no column identifies them as calls. */
export const readUnclear = async (
  connection: Sql,
  account: string,
  { start, end }: Interval<UnixSeconds>,
): Promise<number> => {
  const [row] = await connection.rows(
    `SELECT coalesce(sum(row_count), 0) AS row_count FROM log_unclear_row
     WHERE account = $account AND created_at >= $start AND created_at < $end`,
    { account, start, end },
  );
  return wholeNumber(row, 'row_count');
};

const none: ReadonlyMap<string, LabelMeaning> = new Map();

const learnKindColumn = async (
  connection: Sql,
  batch: LogBatch,
  rows: Rows,
  { known, hasUnknown }: SeenKinds,
) => {
  const column = batch.columns.find(({ role }) => role === 'kind')?.name;
  if (column === undefined) return { meanings: none, isNew: false };
  // Nearly every window contains only known labels.
  const isCallKnown = !hasUnknown || known.includes('consumption');
  const seen = hasUnknown ? await kindEvidence(connection, rows) : [];
  return learnLabels(connection, batch.account, column, seen, (labels, learned) =>
    decideKindLabels(labels, isCallKnown && !learned.some(({ meaning }) => meaning === 'call')),
  );
};

const learnTexts = async (connection: Sql, batch: LogBatch, rows: Rows) => {
  const names = batch.columns.filter(({ role, name }) => role === undefined && mayTellKinds(name));
  const texts = new Map<string, ReadonlyMap<string, LabelMeaning>>();
  let isNew = false;
  for (const column of new Set(names.map(({ name }) => name))) {
    const seen = await textEvidence(connection, rows, column);
    const learned = await learnLabels(connection, batch.account, column, seen, decideLabels);
    texts.set(column, learned.meanings);
    isNew ||= learned.isNew;
  }
  return { texts, isNew };
};

/**
 * Assigns the rows of a window that has just landed, with kinds as `seen`, the kinds that its columns prove where no
 * known label names them, and stores which rows remain unclear. Run it in the transaction of the landing.
 */
export const settleKinds = async (
  connection: Sql,
  batch: LogBatch,
  seen: SeenKinds,
): Promise<SettledKinds> => {
  const range = { account: batch.account, start: batch.window.start, end: batch.window.end };
  const rows: Rows = {
    sql: 'account = $account AND created_at >= $start AND created_at < $end',
    bindings: range,
  };
  if (seen.known.length === 0 && !seen.hasUnknown) {
    await forgetUnclear(connection, rows);
    return { kinds: none, texts: new Map(), isNew: false, changed: 0 };
  }
  const kinds = await learnKindColumn(connection, batch, rows, seen);
  const named = seen.hasUnknown ? await applyKindLabels(connection, rows, range, kinds.meanings) : 0;
  // A column whose labels only the rows explain does not identify errors unless it has a label for them.
  const tellsErrors =
    batch.columns.some(({ role }) => role === 'kind') &&
    (labelsFor(kinds.meanings, 'call').length === 0 || labelsFor(kinds.meanings, 'error').length > 0);
  if (tellsErrors) {
    await forgetUnclear(connection, rows);
    return { kinds: kinds.meanings, texts: new Map(), isNew: kinds.isNew, changed: named };
  }
  const { texts, isNew } = await learnTexts(connection, batch, rows);
  const fromTexts = await applyTextLabels(connection, rows, range, texts);
  await noteUnclear(connection, rows, texts);
  return { kinds: kinds.meanings, texts, isNew: kinds.isNew || isNew, changed: named + fromTexts };
};
