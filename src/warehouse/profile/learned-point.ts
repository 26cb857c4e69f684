import type { UnixMillis } from '../../core/index.ts';
import { all, column, label, millis, readAs, rowReader, text, type Sql } from '../../storage/index.ts';

/** One open point of the contract (docs/gateway.md), and its observed value. */
export type LearnedPoint = {
  /** `log.time_form`: the endpoint and its property. */
  readonly point: string;
  readonly value: string;
  /** The evidence, as text with figures. */
  readonly evidence: string;
  /** `data`: rows that were served; `probe`: a request made for this purpose; `config`: set in the YAML. */
  readonly how: 'data' | 'config' | 'probe';
};

export type KnownPoint = LearnedPoint & {
  readonly learnedAt: UnixMillis;
  /** When it was last observed. */
  readonly confirmedAt: UnixMillis;
};

/** An earlier value of a point. */
export type PastPoint = LearnedPoint & { readonly learnedAt: UnixMillis; readonly until: UnixMillis };

const point = {
  ...all(text, 'point', 'value', 'evidence'),
  how: label<LearnedPoint['how']>(),
  learnedAt: millis,
};

export const readPoints = async (connection: Sql, account: string): Promise<readonly KnownPoint[]> =>
  readAs(
    connection,
    rowReader({ ...point, confirmedAt: millis }),
    'SELECT * FROM learned_point WHERE account = $account ORDER BY point',
    { account },
  );

export const readPastPoints = async (connection: Sql, account: string): Promise<readonly PastPoint[]> =>
  readAs(
    connection,
    rowReader({ ...point, until: column('until_at', millis) }),
    'SELECT * FROM learned_point_past WHERE account = $account ORDER BY until_at, point',
    { account },
  );

/** Confirms known points; their first evidence stays. */
const confirm = async (
  connection: Sql,
  account: string,
  points: readonly string[],
  now: UnixMillis,
): Promise<void> => {
  if (points.length === 0) return;
  await connection.execute(
    'UPDATE learned_point SET confirmed_at = $now WHERE account = $account AND point = ANY($points)',
    { account, points, now },
  );
};

/** Moves the current values of the points to the past ones. */
const putIntoPast = async (
  connection: Sql,
  account: string,
  points: readonly string[],
  now: UnixMillis,
): Promise<void> => {
  if (points.length === 0) return;
  const ofPoints = 'account = $account AND point = ANY($points)';
  await connection.execute(
    `INSERT INTO learned_point_past
     SELECT account, point, value, evidence, how, learned_at, $now FROM learned_point WHERE ${ofPoints}`,
    { account, points, now },
  );
  await connection.execute(`DELETE FROM learned_point WHERE ${ofPoints}`, { account, points });
};

const insert = async (
  connection: Sql,
  account: string,
  points: readonly LearnedPoint[],
  now: UnixMillis,
): Promise<void> => {
  if (points.length === 0) return;
  const rows = points.map(
    (_, at) => `($account, $point_${at}, $value_${at}, $evidence_${at}, $how_${at}, $now, $now)`,
  );
  const cells = points.flatMap(({ point, value, evidence, how }, at) => [
    [`point_${at}`, point] as const,
    [`value_${at}`, value] as const,
    [`evidence_${at}`, evidence] as const,
    [`how_${at}`, how] as const,
  ]);
  await connection.execute(`INSERT INTO learned_point VALUES ${rows.join(', ')}`, {
    account,
    now,
    ...Object.fromEntries(cells),
  });
};

/** Run it in one transaction. Returns the points whose value is new or changed. */
export const learnPoints = async (
  connection: Sql,
  account: string,
  points: readonly LearnedPoint[],
  now: UnixMillis,
): Promise<readonly LearnedPoint[]> => {
  const known = new Map((await readPoints(connection, account)).map((one) => [one.point, one]));
  const last = [...new Map(points.map((one) => [one.point, one])).values()];
  const isKnown = ({ point, value, how }: LearnedPoint): boolean =>
    known.get(point)?.value === value && known.get(point)?.how === how;
  const other = last.filter((one) => !isKnown(one));
  const names = (list: readonly LearnedPoint[]): readonly string[] => list.map(({ point }) => point);
  await confirm(connection, account, names(last.filter(isKnown)), now);
  await putIntoPast(connection, account, names(other.filter(({ point }) => known.has(point))), now);
  await insert(connection, account, other, now);
  return last.filter(({ point, value }) => known.get(point)?.value !== value);
};
