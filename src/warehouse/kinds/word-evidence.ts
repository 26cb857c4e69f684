import type { DuckDBConnection } from '@duckdb/node-api';
import { readRows } from '../rows.ts';
import type { Bindings } from '../rows.ts';
import { mostWords } from './decide-kinds.ts';
import type { WordEvidence, WordMeaning } from './decide-kinds.ts';
import { evidenceOf, readKindWords, withSeen, writeKindWords } from './kind-words.ts';
import type { KindWord } from './kind-words.ts';
import { evidenceSql, pointerTo, wordSql } from './row-sql.ts';

/** Rows of `call_log`, as a condition with what it binds. */
export type Rows = { readonly sql: string; readonly bindings: Bindings };

/** Kinds that rows are landed with when their word is known. */
export const knownKinds = `('consumption', 'refund', 'top-up', 'management', 'system', 'error')`;

const readEvidence = async (
  connection: DuckDBConnection,
  { sql, bindings }: Rows,
  word: string,
  which: string,
): Promise<readonly WordEvidence[]> => {
  const rows = await readRows(
    connection,
    `SELECT ${word} AS word, ${evidenceSql(`SELECT model_name FROM call_log WHERE ${sql} AND quota > 0`)}
     FROM call_log WHERE ${sql} AND ${which} GROUP BY 1 LIMIT ${mostWords + 1}`,
    bindings,
  );
  return rows.map(evidenceOf);
};

/** What rows show of the words in a column that is kept as text. */
export const textEvidence = async (
  connection: DuckDBConnection,
  { sql, bindings }: Rows,
  column: string,
): Promise<readonly WordEvidence[]> =>
  readEvidence(
    connection,
    { sql, bindings: { ...bindings, path: pointerTo(column) } },
    wordSql('path'),
    `kind IN ('consumption', 'refund', 'error')`,
  );

/** What rows show of kinds that are not known, as they were landed under their words. */
export const kindEvidence = async (
  connection: DuckDBConnection,
  rows: Rows,
): Promise<readonly WordEvidence[]> =>
  readEvidence(connection, rows, 'lower(kind)', `kind NOT IN ${knownKinds}`);

const isSame = (words: readonly KindWord[], meanings: ReadonlyMap<string, WordMeaning>): boolean =>
  words.filter(({ meaning }) => meaning !== undefined).length === meanings.size &&
  words.every(({ word, meaning }) => meanings.get(word) === meaning);

/** Adds what was seen of a column, decides again what its words mean, and says whether that is news. */
export const learnWords = async (
  connection: DuckDBConnection,
  account: string,
  column: string,
  seen: readonly WordEvidence[],
  decide: (words: readonly WordEvidence[], known: readonly KindWord[]) => ReadonlyMap<string, WordMeaning>,
): Promise<{ readonly meanings: ReadonlyMap<string, WordMeaning>; readonly isNew: boolean }> => {
  const known = (await readKindWords(connection, account)).filter((one) => one.column === column);
  if (seen.length === 0 && known.length === 0) return { meanings: new Map(), isNew: false };
  const words = withSeen(known, seen);
  const meanings = decide(words, known);
  if (seen.length > 0) await writeKindWords(connection, account, column, words, meanings);
  return { meanings, isNew: meanings.size > 0 && !isSame(known, meanings) };
};
