import { text, type Sql } from '../../storage/index.ts';

/** The charges of a model's calls. Floats: they are only compared by factors of hundreds, never stored or shown. */
export type ModelCharges = {
  readonly model: string;
  /** The median of its charges, and of its charges per token where its calls have tokens. */
  readonly perCall: number;
  readonly perToken: number | undefined;
  readonly largest: number;
};

/** Charges of one model differ by less: the square root of the factor between units and currency. */
const spread = 700;

type Reading = 'same' | 'times' | 'parts' | 'unclear';

const readingOf = (ratio: number, factor: number): Reading => {
  const isNear = (value: number): boolean => value <= spread && value >= 1 / spread;
  if (isNear(ratio)) return 'same';
  if (isNear(ratio / factor)) return 'times';
  return isNear(ratio * factor) ? 'parts' : 'unclear';
};

const ratioOf = (now: ModelCharges, past: ModelCharges): number =>
  now.perToken !== undefined && past.perToken !== undefined
    ? now.perToken / past.perToken
    : now.perCall / past.perCall;

/**
 * The unit of charges compared with earlier charges of the same models: the same, one that is `factor` times smaller
 * (amounts are so many times larger), or larger; unclear if no model is known or models disagree. Pure.
 */
export const judgeCharges = (
  now: readonly ModelCharges[],
  past: readonly ModelCharges[],
  factor: number,
): Reading => {
  const byModel = new Map(past.map((one) => [one.model, one]));
  const readings = new Set(
    now.flatMap((one) => {
      const before = byModel.get(one.model);
      const reading = before === undefined ? 'unclear' : readingOf(ratioOf(one, before), factor);
      return reading === 'unclear' ? [] : [reading];
    }),
  );
  const [only] = readings;
  if (readings.size > 1) return 'unclear';
  if (only !== undefined) return only;
  // For models without history, charges above all others of the account are in another unit.
  const most = Math.max(0, ...past.map(({ largest }) => largest));
  const isBeyond = most > 0 && now.length > 0 && now.every(({ perCall }) => perCall > most * spread);
  return isBeyond && now.every(({ perCall }) => perCall / factor <= most * spread) ? 'times' : 'unclear';
};

/** Charged rows of an account between two moments, seconds UTC, half-open. */
export type ChargedRows = { readonly account: string; readonly start: number; readonly end: number };

const chargesSql = (where: string): string => `
  SELECT model_name, percentile_cont(0.5) WITHIN GROUP (ORDER BY size) AS per_call,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY size / tokens) FILTER (WHERE tokens > 0) AS per_token, max(size) AS largest
  FROM (
    SELECT model_name, CAST(abs(quota) AS DOUBLE PRECISION) AS size,
      coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0) AS tokens
    FROM call_log WHERE account = $account AND quota <> 0 AND kind IN ('consumption', 'refund') AND ${where}
  ) AS charged
  GROUP BY model_name`;

const readCharges = async (
  connection: Sql,
  where: string,
  bindings: Readonly<Record<string, string | number>>,
): Promise<readonly ModelCharges[]> =>
  (await connection.rows(chargesSql(where), bindings)).map((row) => ({
    model: text(row, 'model_name'),
    perCall: Number(row['per_call']),
    perToken: row['per_token'] === null ? undefined : Number(row['per_token']),
    largest: Number(row['largest']),
  }));

const forms = { all: 'true', whole: 'quota = trunc(quota)', fractional: 'quota <> trunc(quota)' } as const;

/** The charges of each model in the range: of all rows, or only of those with whole amounts or with a fraction. */
export const chargesIn = async (
  connection: Sql,
  rows: ChargedRows,
  form: keyof typeof forms = 'all',
): Promise<readonly ModelCharges[]> =>
  readCharges(connection, `created_at >= $start AND created_at < $end AND ${forms[form]}`, { ...rows });

/** How far around a window earlier charges are read, in seconds. */
const nearby = 62 * 86_400;

/** The charges of each model around the window, or of all time. */
export const chargesAround = async (
  connection: Sql,
  { account, start, end }: ChargedRows,
  how: 'nearby' | 'ever' = 'nearby',
  form: keyof typeof forms = 'all',
): Promise<readonly ModelCharges[]> => {
  const [from, until] = how === 'nearby' ? [start - nearby, end + nearby] : [0, Number.MAX_SAFE_INTEGER];
  return readCharges(
    connection,
    `((created_at >= $from AND created_at < $start) OR (created_at >= $end AND created_at < $until)) AND ${forms[form]}`,
    { account, start, end, from, until },
  );
};
