import {
  countText,
  formatMoment,
  money,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import { text, wholeNumber, type Sql } from '../../storage/index.ts';
import type { LearnedPoint } from './learned-point.ts';

/** Rows of one kind in a landed window; the amount as served. */
export type LandedKind = { readonly kind: string; readonly rows: number; readonly amount: Money };

/** The meaning of rows of known kinds (docs/gateway.md G6.10). */
const meanings: ReadonlyMap<string, string> = new Map([
  ['consumption', 'spend'],
  ['refund', 'refunds, deducted from spend'],
  ['top-up', 'listed separately, not spend'],
  ['management', 'listed separately, not spend'],
  ['system', 'listed separately, not spend'],
  ['error', 'listed separately, not spend'],
]);

export const kindPoint = 'log.kind.';

/** A column with more values than this in one window does not contain kinds. */
const maxKinds = 20;
const longestName = 100;

/** The most frequent kinds of the window's rows. */
export const readLandedKinds = async (
  connection: Sql,
  account: string,
  window: Interval<UnixSeconds>,
): Promise<readonly LandedKind[]> => {
  const rows = await connection.rows(
    `SELECT kind, count(*) AS row_count, coalesce(sum(quota), 0) AS amount FROM call_log
     WHERE account = $account AND created_at >= $start AND created_at < $end
     GROUP BY kind ORDER BY row_count DESC, kind LIMIT ${maxKinds}`,
    { account, start: window.start, end: window.end },
  );
  return rows.map((row) => ({
    kind: text(row, 'kind'),
    rows: wholeNumber(row, 'row_count'),
    amount: money(text(row, 'amount')),
  }));
};

/** Kinds as points; rows of unknown kinds count as no spend until an operator has classified them. */
export const kindPoints = (
  kinds: readonly LandedKind[],
  window: Interval<UnixSeconds>,
): readonly (LearnedPoint & { readonly kind: string; readonly known: boolean })[] =>
  kinds.map(({ kind, rows, amount }) => {
    const range = `${formatMoment(window.start, 'UTC')} to ${formatMoment(window.end, 'UTC')}`;
    return {
      point: `${kindPoint}${kind.slice(0, longestName)}`,
      value: meanings.get(kind) ?? 'unknown: listed separately, counted neither as spend nor as refunds',
      evidence: `${countText(rows, 'row')} of ${range}, amounts as served ${amount}`,
      how: 'data',
      kind,
      known: meanings.has(kind),
    };
  });
