import { formatMoment, toSeconds, type Interval, type UnixMillis } from '../../core/index.ts';
import { all, label, millis, readAs, rowReader, text, type Sql } from '../../storage/index.ts';

/** A change of a gateway, or a repair of the rollup, of which operators are notified once. */
export type LearnedChange = {
  readonly topic:
    | 'column-appeared'
    | 'column-gone'
    | 'kind-unknown'
    | 'amounts-changed'
    | 'usage-unit'
    | 'rollup-differs';
  /** The name of the column or kind, as the gateway writes it. */
  readonly name: string;
  /** The role of the column, or the evidence of the kind; may be empty. */
  readonly detail: string;
  readonly notedAt: UnixMillis;
};

export const writeLearnedChanges = async (
  connection: Sql,
  account: string,
  changes: readonly LearnedChange[],
): Promise<void> => {
  for (const { topic, name, detail, notedAt } of changes)
    await connection.execute(
      `INSERT INTO learned_change (account, topic, name, detail, noted_at)
       VALUES ($account, $topic, $name, $detail, $noted)`,
      { account, topic, name, detail, noted: notedAt },
    );
};

/** The form in which a source serves its amounts. */
export type ServedForm = {
  readonly topic: 'usage-unit';
  readonly name: string;
  readonly form: 'stored' | 'units' | 'currency';
};

/** Records a change when the form differs from the last recorded one; initially, the stored form is no change. */
export const noteOnce = async (
  connection: Sql,
  account: string,
  { topic, name, form }: ServedForm,
  window: Interval<UnixMillis>,
  now: UnixMillis,
): Promise<void> => {
  const [last] = await connection.rows(
    `SELECT detail FROM learned_change WHERE account = $account AND topic = $topic AND name = $name
     ORDER BY noted_at DESC, detail DESC LIMIT 1`,
    { account, topic, name },
  );
  const known = last === undefined ? 'stored' : (text(last, 'detail').split('|')[1] ?? '');
  if (known === form) return;
  const detail = `${formatMoment(toSeconds(window.start), 'UTC')}|${form}`;
  await writeLearnedChanges(connection, account, [{ topic, name, detail, notedAt: now }]);
};

const learnedChange = rowReader({
  topic: label<LearnedChange['topic']>(),
  ...all(text, 'name', 'detail'),
  notedAt: millis,
});

/** Oldest first. */
export const readLearnedChanges = async (
  connection: Sql,
  account: string,
  condition = 'true',
): Promise<readonly LearnedChange[]> =>
  readAs(
    connection,
    learnedChange,
    `SELECT * FROM learned_change WHERE account = $account AND ${condition} ORDER BY noted_at, topic, name`,
    { account },
  );
