import { unixSeconds, type Interval, type UnixMillis, type UnixSeconds } from '../../core/index.ts';
import { readRange } from '../logs/log-ledger.ts';
import {
  column,
  millis,
  readAs,
  rowReader,
  seconds,
  secondsOf,
  secondsRange,
  optionalText,
  text,
  wholeNumber,
  type Bindings,
  type Sql,
  type Relation,
} from '../../storage/index.ts';
import type { BelievedLanding, LogFacts } from './judge-log.ts';

type Asked = { readonly account: string; readonly range: Interval<UnixSeconds>; readonly now: UnixMillis };

const boundOf = ({ account, range }: Asked): Bindings => ({ account, start: range.start, end: range.end });

/** Excludes landings of a clock that ran ahead. */
const readLandings = async (connection: Sql, asked: Asked): Promise<readonly BelievedLanding[]> =>
  readAs(
    connection,
    rowReader({ window: secondsRange, settled: column('settled_at', seconds), landedAt: millis }),
    `SELECT start_at, end_at, coalesce(settled_at, ${secondsOf('landed_at')}) AS settled_at, coalesce(gateway_at, landed_at) AS landed_at FROM log_window
     WHERE account = $account AND start_at < $end AND end_at > $start AND coalesce(gateway_at, landed_at) <= $now`,
    { ...boundOf(asked), now: asked.now },
  );

const readQuarantined = async (connection: Sql, asked: Asked): Promise<LogFacts['quarantined']> => {
  const [row] = await connection.rows(
    `SELECT count(*) AS row_count, greatest(min(start_at), $start) AS first FROM log_quarantine
     WHERE account = $account AND start_at < $end AND end_at > $start`,
    boundOf(asked),
  );
  const rows = wholeNumber(row, 'row_count');
  return rows === 0 ? undefined : { rows, from: seconds(row, 'first') };
};

/**
 * Recorded gaps and bad totals, unless the same source has since agreed on their overlap with the range. While a gap is
 * open it extends to now: later gaps are not recorded separately.
 */
const readGap = async (connection: Sql, asked: Asked): Promise<LogFacts['gap']> => {
  const [row] = await connection.rows(
    `WITH gaps AS (
       SELECT source, start_at, CASE state WHEN 'open' THEN greatest(end_at, $end) ELSE end_at END AS end_at,
         noted_at AS found_at, message
       FROM comparison_gap WHERE account = $account AND state <> 'healed'
       UNION ALL
       SELECT source, start_at, end_at, compared_at, message FROM comparison
       WHERE account = $account AND entry IS NULL AND verdict IN ('truncated', 'unexplained')
     )
     SELECT greatest(start_at, $start) AS first, message FROM gaps
     WHERE start_at < $end AND end_at > $start AND NOT EXISTS (
       SELECT 1 FROM comparison AS good
       WHERE good.account = $account AND good.source = gaps.source AND good.entry IS NULL
         AND good.verdict IN ('equal', 'refunds', 'rounding', 'currency') AND good.compared_at > gaps.found_at
         AND good.start_at <= greatest(gaps.start_at, $start) AND good.end_at >= least(gaps.end_at, $end)
     )
     ORDER BY first, found_at, message LIMIT 1`,
    boundOf(asked),
  );
  return row === undefined
    ? undefined
    : { message: text(row, 'message').replace(/[.]$/, ''), from: seconds(row, 'first') };
};

/** Refunds of tasks never contain a name (docs/gateway.md G16.3); a call without one may belong to any key. */
const readNameless = async (
  connection: Sql,
  asked: Asked,
  calls: Relation,
): Promise<LogFacts['nameless']> => {
  const [row] = await connection.rows(
    `SELECT count(*) AS call_count, min(created_at) AS first FROM ${calls.sql}
     WHERE account = $account AND created_at >= $start AND created_at < $end
       AND kind = 'consumption' AND trim(token_name) = ''`,
    { ...boundOf(asked), ...calls.bindings },
  );
  const first = optionalText(row, 'first');
  return first === undefined
    ? undefined
    : { calls: wholeNumber(row, 'call_count'), from: unixSeconds(Number(first)) };
};

/** What `readLogFacts` reads. */
export const logFactsTables = [
  'log_window',
  'log_cursor',
  'log_quarantine',
  'comparison',
  'comparison_gap',
] as const;

export const readLogFacts = async (connection: Sql, asked: Asked, calls: Relation): Promise<LogFacts> => ({
  covered: await readRange(connection, asked.account),
  landings: await readLandings(connection, asked),
  quarantined: await readQuarantined(connection, asked),
  nameless: await readNameless(connection, asked, calls),
  gap: await readGap(connection, asked),
});
