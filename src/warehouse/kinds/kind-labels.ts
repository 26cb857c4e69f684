import {
  all,
  column,
  label,
  optional,
  readAs,
  rowReader,
  text,
  wholeNumber,
  type Sql,
} from '../../storage/index.ts';
import { maxLabels, type LabelEvidence, type LabelMeaning } from './decide-kinds.ts';

/** What is known about a label in one column of an account's exports. */
export type KindLabel = LabelEvidence & {
  readonly column: string;
  /** Undefined while it is undecided. */
  readonly meaning: LabelMeaning | undefined;
};

const evidence = {
  word: text,
  ...all(wholeNumber, 'bare', 'bareOfChargedModels', 'charged', 'refunds', 'balance', 'free'),
};

export const evidenceOf = rowReader(evidence);

const kindLabel = rowReader({
  ...evidence,
  column: column('column_name', text),
  meaning: optional(label<LabelMeaning>()),
});

export const readKindLabels = async (connection: Sql, account: string): Promise<readonly KindLabel[]> =>
  readAs(
    connection,
    kindLabel,
    'SELECT * FROM log_kind_word WHERE account = $account ORDER BY column_name, word',
    { account },
  );

const added = (known: LabelEvidence | undefined, seen: LabelEvidence): LabelEvidence =>
  known === undefined
    ? seen
    : {
        word: seen.word,
        bare: known.bare + seen.bare,
        bareOfChargedModels: known.bareOfChargedModels + seen.bareOfChargedModels,
        charged: known.charged + seen.charged,
        refunds: known.refunds + seen.refunds,
        balance: known.balance + seen.balance,
        free: known.free + seen.free,
      };

const longestLabel = 60;

/**
 * Adds the evidence of a landing to a column's labels; undefined when they are too many or too long for kinds. A window
 * that lands again counts again, which changes no proportion.
 */
export const withSeen = (
  known: readonly LabelEvidence[],
  seen: readonly LabelEvidence[],
): readonly LabelEvidence[] => {
  const labels = new Map(known.map((one) => [one.word, one]));
  for (const one of seen) labels.set(one.word, added(labels.get(one.word), one));
  const all = [...labels.values()];
  return all.length > maxLabels || all.some(({ word }) => word.length > longestLabel) ? [] : all;
};

/** Replaces the stored labels of a column. */
export const writeKindLabels = async (
  connection: Sql,
  account: string,
  column: string,
  labels: readonly LabelEvidence[],
  meanings: ReadonlyMap<string, LabelMeaning>,
): Promise<void> => {
  await connection.execute('DELETE FROM log_kind_word WHERE account = $account AND column_name = $column', {
    account,
    column,
  });
  for (const one of labels)
    await connection.execute(
      `INSERT INTO log_kind_word VALUES ($account, $column, $word, $bare, $shown, $charged, $refunds, $balance, $free, $meaning)`,
      {
        account,
        column,
        word: one.word,
        bare: one.bare,
        shown: one.bareOfChargedModels,
        charged: one.charged,
        refunds: one.refunds,
        balance: one.balance,
        free: one.free,
        meaning: meanings.get(one.word) ?? null,
      },
    );
};
