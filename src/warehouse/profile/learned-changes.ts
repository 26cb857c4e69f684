import { z } from 'zod';
import { readMoment, unixMillis, type Interval, type LocalDate, type UnixMillis } from '../../core/index.ts';
import { all, label, millis, readAs, rowReader, text, type Sql } from '../../storage/index.ts';

/** A change of a gateway, or a repair of the rollup, of which operators are notified once. */
export type LearnedChange = {
  /** The name of the column or kind as the gateway writes it, the form of amounts, the dimension of the usage export, or the zone of the rollup. */
  readonly name: string;
  readonly notedAt: UnixMillis;
} & (
  | {
      readonly topic: 'column-appeared' | 'column-gone';
      /** Empty for a column without one. */
      readonly role: string;
    }
  | { readonly topic: 'kind-unknown'; readonly evidence: string }
  | {
      readonly topic: 'amounts-changed' | 'usage-unit';
      /** The start of the first window with the form. */
      readonly from: UnixMillis;
      readonly form: string;
    }
  | { readonly topic: 'rollup-differs'; readonly days: number; readonly first: LocalDate }
);

const served = z.object({ from: z.int().transform((from) => unixMillis(from)), form: z.string() });
const repaired = z.object({ days: z.int(), first: z.string() });

/** The facts of a change in one column: as text if there is one, else as JSON. */
const detailOf = (change: LearnedChange): string => {
  if ('role' in change) return change.role;
  if ('evidence' in change) return change.evidence;
  return JSON.stringify(
    'form' in change ? { from: change.from, form: change.form } : { days: change.days, first: change.first },
  );
};

/** Earlier versions joined facts with `|`. */
const factsOf = (topic: LearnedChange['topic'], detail: string) => {
  const [first = '', second = ''] = detail.split('|');
  const isJson = detail.startsWith('{');
  switch (topic) {
    case 'column-appeared':
    case 'column-gone':
      return { topic, role: detail };
    case 'kind-unknown':
      return { topic, evidence: detail };
    case 'rollup-differs':
      return {
        topic,
        ...repaired.parse(isJson ? JSON.parse(detail) : { days: Number(first), first: second }),
      };
    default: {
      const from = isJson ? undefined : readMoment(first.replace(/ UTC$/, ''), 'UTC');
      return { topic, ...served.parse(isJson ? JSON.parse(detail) : { from, form: second }) };
    }
  }
};

export const writeLearnedChanges = async (
  connection: Sql,
  account: string,
  changes: readonly LearnedChange[],
): Promise<void> => {
  for (const change of changes) {
    const { topic, name, notedAt: noted } = change;
    await connection.execute(
      `INSERT INTO learned_change (account, topic, name, detail, noted_at)
       VALUES ($account, $topic, $name, $detail, $noted)`,
      { account, topic, name, detail: detailOf(change), noted },
    );
  }
};

/** The form in which a source serves its amounts. */
export type ServedForm = {
  readonly topic: 'usage-unit';
  readonly name: string;
  readonly form: 'stored' | 'units' | 'currency';
};

const formOf = (facts: ReturnType<typeof factsOf>): string => ('form' in facts ? facts.form : '');

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
  const known = last === undefined ? 'stored' : formOf(factsOf(topic, text(last, 'detail')));
  if (known === form) return;
  await writeLearnedChanges(connection, account, [{ topic, name, from: window.start, form, notedAt: now }]);
};

const row = rowReader({
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
  (
    await readAs(
      connection,
      row,
      `SELECT * FROM learned_change WHERE account = $account AND ${condition} ORDER BY noted_at, topic, name`,
      { account },
    )
  ).map(({ topic, detail, ...change }) => ({ ...change, ...factsOf(topic, detail) }));
