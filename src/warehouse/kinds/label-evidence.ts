import { type Bindings, type Sql } from '../../storage/index.ts';
import { maxLabels, type LabelEvidence, type LabelMeaning } from './decide-kinds.ts';
import { evidenceOf, readKindLabels, withSeen, writeKindLabels, type KindLabel } from './kind-labels.ts';
import { evidenceSql, labelSql } from './row-sql.ts';

/** Rows of `call_log`, as a condition with its bindings. */
export type Rows = { readonly sql: string; readonly bindings: Bindings };

/** Kinds of rows that landed with a known label. */
export const knownKinds = `('consumption', 'refund', 'top-up', 'management', 'system', 'error')`;

const readEvidence = async (
  connection: Sql,
  { sql, bindings }: Rows,
  word: string,
  which: string,
): Promise<readonly LabelEvidence[]> => {
  const rows = await connection.rows(
    `SELECT ${word} AS word, ${evidenceSql(`SELECT model_name FROM call_log WHERE ${sql} AND quota > 0`)}
     FROM call_log WHERE ${sql} AND ${which} GROUP BY 1 LIMIT ${maxLabels + 1}`,
    bindings,
  );
  return rows.map(evidenceOf);
};

/** The evidence that rows give of the labels in a column that is stored as text. */
export const textEvidence = async (
  connection: Sql,
  { sql, bindings }: Rows,
  column: string,
): Promise<readonly LabelEvidence[]> =>
  readEvidence(
    connection,
    { sql, bindings: { ...bindings, column } },
    labelSql('column'),
    `kind IN ('consumption', 'refund', 'error')`,
  );

/** The evidence of rows with unknown kinds, which landed under their labels. */
export const kindEvidence = async (connection: Sql, rows: Rows): Promise<readonly LabelEvidence[]> =>
  readEvidence(connection, rows, 'lower(kind)', `kind NOT IN ${knownKinds}`);

const isSame = (labels: readonly KindLabel[], meanings: ReadonlyMap<string, LabelMeaning>): boolean =>
  labels.filter(({ meaning }) => meaning !== undefined).length === meanings.size &&
  labels.every(({ word, meaning }) => meanings.get(word) === meaning);

/** Adds the evidence of a column, decides the meanings of its labels again, and returns whether they changed. */
export const learnLabels = async (
  connection: Sql,
  account: string,
  column: string,
  seen: readonly LabelEvidence[],
  decide: (
    labels: readonly LabelEvidence[],
    known: readonly KindLabel[],
  ) => ReadonlyMap<string, LabelMeaning>,
): Promise<{ readonly meanings: ReadonlyMap<string, LabelMeaning>; readonly isNew: boolean }> => {
  const known = (await readKindLabels(connection, account)).filter((one) => one.column === column);
  if (seen.length === 0 && known.length === 0) return { meanings: new Map(), isNew: false };
  const labels = withSeen(known, seen);
  const meanings = decide(labels, known);
  if (seen.length > 0) await writeKindLabels(connection, account, column, labels, meanings);
  return { meanings, isNew: meanings.size > 0 && !isSame(known, meanings) };
};
