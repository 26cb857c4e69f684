import { daySeconds } from '../../core/index.ts';
import {
  all,
  boundRows,
  column,
  optional,
  optionalText,
  readAs,
  rowReader,
  text,
  wholeNumber,
  type AccountRows,
  type Sql,
} from '../../storage/index.ts';
import type { TokenSide } from './convention.ts';

/** Whole UTC days, half-open, in seconds. */
export type DayRange = { readonly start: number; readonly end: number };

/**
 * The extent of an account's evidence: the number of its landings, the moment of the newest, and the number before that
 * moment.
 */
export type Judged = { readonly landings: number; readonly newest: number; readonly before: number };

/** The first second of the UTC day of a time. */
export const dayOf = (moment: string): string => `${moment} - ${moment} % ${daySeconds}`;

/** Maximum number of days of a model whose charges are examined each time. */
const daysAsked = 2;

const judgedEvidence = rowReader({
  ...all(wholeNumber, 'landings', 'newest'),
  before: column('before_count', wholeNumber),
});

export const readJudged = async (connection: Sql, account: string): Promise<Judged | undefined> => {
  const sql = 'SELECT * FROM token_judged WHERE account = $account';
  return (await readAs(connection, judgedEvidence, sql, { account }))[0];
};

/** The landings of an account, and how many of them precede a moment; default: the newest landing. */
const readLandings = async (connection: Sql, account: string, moment?: number): Promise<Judged> => {
  const [row] = await connection.rows(
    `SELECT count(*) AS landings, coalesce(max(landed_at), 0) AS newest,
       count(*) FILTER (WHERE landed_at < coalesce($moment, (SELECT max(landed_at) FROM log_window WHERE account = $account)))
         AS before_count
     FROM log_window WHERE account = $account`,
    { account, moment: moment ?? null },
  );
  return {
    landings: wholeNumber(row, 'landings'),
    newest: wholeNumber(row, 'newest'),
    before: wholeNumber(row, 'before_count'),
  };
};

const joined = (days: readonly DayRange[]): readonly DayRange[] =>
  days.reduce<readonly DayRange[]>((ranges, { start, end }) => {
    const last = ranges.at(-1);
    if (last === undefined || start > last.end) return [...ranges, { start, end }];
    return [...ranges.slice(0, -1), { start: last.start, end: Math.max(last.end, end) }];
  }, []);

/**
 * The days of windows that landed since the evidence was last judged. Landings of its newest moment are examined again:
 * others may share it. After a clock was set back, or landings were removed, all are examined.
 */
export const staleDays = async (
  connection: Sql,
  account: string,
): Promise<{ readonly ranges: readonly DayRange[]; readonly reached: Judged }> => {
  const judged = await readJudged(connection, account);
  const reached = await readLandings(connection, account);
  const same =
    judged?.landings === reached.landings &&
    judged.newest === reached.newest &&
    judged.before === reached.before;
  if (same || reached.landings === 0) return { ranges: [], reached };
  const onlyGrew =
    judged !== undefined && (await readLandings(connection, account, judged.newest)).before === judged.before;
  const rows = await connection.rows(
    `SELECT DISTINCT ${dayOf('start_at')} AS start_day, ${dayOf(`(end_at + ${daySeconds - 1})`)} AS end_day
     FROM log_window WHERE account = $account AND landed_at >= $since ORDER BY start_day, end_day`,
    { account, since: onlyGrew ? judged.newest : 0 },
  );
  const days = rows.map((row) => ({
    start: wholeNumber(row, 'start_day'),
    end: wholeNumber(row, 'end_day'),
  }));
  return { ranges: joined(days), reached };
};

export const writeJudged = async (connection: Sql, account: string, judged: Judged): Promise<void> => {
  await connection.execute('DELETE FROM token_judged WHERE account = $account', { account });
  await connection.execute('INSERT INTO token_judged VALUES ($account, $landings, $newest, $before)', {
    account,
    ...judged,
  });
};

const optionalNumber = optional(wholeNumber);

const ofRange = 'account = $account AND created_at >= $start AND created_at < $end';

/** A whole of 0 does not prove that a part is larger: the count may be missing. */
const sides = [
  {
    side: 'input',
    whole: 'prompt_tokens',
    part: 'cached_tokens',
    write: 'cache_write_tokens',
    hasPart: '(cached_tokens > 0 OR cache_write_tokens > 0)',
    excludes: 'prompt_tokens > 0 AND (cached_tokens > prompt_tokens OR cache_write_tokens > prompt_tokens)',
  },
  {
    side: 'output',
    whole: 'completion_tokens',
    part: 'reasoning_tokens',
    write: 'CAST(NULL AS BIGINT)',
    hasPart: 'reasoning_tokens > 0',
    excludes: 'completion_tokens > 0 AND reasoning_tokens > completion_tokens',
  },
] as const;

/** The calls of each day and model, with the first that excludes its part from the whole. */
const evidenceSql = ({ whole, part, write, hasPart, excludes }: (typeof sides)[number]): string => `
  WITH calls AS (
    SELECT ${dayOf('created_at')} AS day, model_name, created_at, ${whole} AS whole, ${part} AS part, ${write} AS write,
      kind = 'consumption' AND ${hasPart} AS has_part, kind = 'consumption' AND ${excludes} AS excludes
    FROM call_log WHERE ${ofRange}
  ), sums AS (
    SELECT day, model_name, count(*) AS calls, count(*) FILTER (WHERE has_part) AS part_calls,
      count(*) FILTER (WHERE excludes) AS excludes_calls
    FROM calls GROUP BY day, model_name
  ), witnesses AS (
    SELECT DISTINCT ON (day, model_name) day, model_name, created_at, whole, part, write
    FROM calls WHERE excludes ORDER BY day, model_name, created_at
  )
  SELECT sums.day, sums.model_name, calls, part_calls, excludes_calls, created_at AS witness_at, whole AS witness_whole,
    part AS witness_part, write AS witness_write
  FROM sums LEFT JOIN witnesses ON witnesses.day = sums.day AND witnesses.model_name = sums.model_name`;

const evidence = {
  day: 'BIGINT',
  model_name: 'VARCHAR',
  calls: 'BIGINT',
  part_calls: 'BIGINT',
  excludes_calls: 'BIGINT',
  witness_at: 'BIGINT',
  witness_whole: 'VARCHAR',
  witness_part: 'VARCHAR',
  witness_write: 'VARCHAR',
} as const;

/** Examines every call of the days again. Days whose calls have been archived keep their evidence. */
export const judgeRows = async (
  { connection, stored }: AccountRows,
  account: string,
  range: DayRange,
): Promise<void> => {
  for (const side of sides) {
    const rows = await stored.rows(evidenceSql(side), { account, ...range });
    const seen = boundRows(connection, evidence, rows, (row) => ({
      day: wholeNumber(row, 'day'),
      model_name: text(row, 'model_name'),
      calls: wholeNumber(row, 'calls'),
      part_calls: wholeNumber(row, 'part_calls'),
      excludes_calls: wholeNumber(row, 'excludes_calls'),
      witness_at: optionalNumber(row, 'witness_at') ?? null,
      // Counts have up to 18 digits.
      witness_whole: optionalText(row, 'witness_whole') ?? null,
      witness_part: optionalText(row, 'witness_part') ?? null,
      witness_write: optionalText(row, 'witness_write') ?? null,
    }));
    await seen.execute(
      (table) => `DELETE FROM token_row_evidence
        WHERE account = $account AND side = $side AND day IN (SELECT day FROM ${table} AS seen)`,
      { account, side: side.side },
    );
    await seen.execute(
      (
        table,
      ) => `INSERT INTO token_row_evidence (account, side, day, model_name, calls, part_calls, excludes_calls, witness_at,
          witness_whole, witness_part, witness_write)
        SELECT $account, $side, day, model_name, calls, part_calls, excludes_calls, witness_at, CAST(witness_whole AS BIGINT),
          CAST(witness_part AS BIGINT), CAST(witness_write AS BIGINT)
        FROM ${table} AS seen`,
      { account, side: side.side },
    );
  }
};

export type DayToPrice = {
  readonly model: string;
  readonly day: number;
  /** Calls with the part in so many days up to and including this one, at most. */
  readonly partCallsIn: (days: number) => number;
};

/** The days of each model whose charges to examine: the newest few with cached (or reasoning) tokens. */
export const daysToPrice = async (
  connection: Sql,
  account: string,
  side: TokenSide,
  ranges: readonly DayRange[],
): Promise<readonly DayToPrice[]> => {
  const rows = await connection.rows(
    `SELECT model_name, day, part_calls FROM token_row_evidence
     WHERE account = $account AND side = $side AND part_calls > 0 ORDER BY model_name, day DESC`,
    { account, side },
  );
  const byModel = new Map<string, { readonly at: number; readonly calls: number }[]>();
  for (const row of rows) {
    const model = text(row, 'model_name');
    const days = byModel.get(model) ?? [];
    days.push({ at: wholeNumber(row, 'day'), calls: wholeNumber(row, 'part_calls') });
    byModel.set(model, days);
  }
  return [...byModel].flatMap(([model, days]) =>
    days
      .filter(({ at }) => ranges.some(({ start, end }) => at >= start && at < end))
      .slice(0, daysAsked)
      .map(({ at: last }) => ({
        model,
        day: last,
        partCallsIn: (count: number) =>
          days
            .filter(({ at }) => at <= last && at > last - count * daySeconds)
            .reduce((sum, { calls }) => sum + calls, 0),
      })),
  );
};
