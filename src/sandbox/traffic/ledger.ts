import { causedRows, type DayOptions } from './day.ts';
import { DAY } from './rhythm.ts';
import type { Row } from './row.ts';

export type LedgerOptions = DayOptions & {
  /** First day of the account, in days since 1970-01-01 (UTC). */
  readonly firstDay: number;
};

type Move = { readonly from: number; readonly to: string | undefined };

const byTime = (a: Row, b: Row): number => a.createdAt - b.createdAt;

/** Every row of the account, generated on access and not stored. */
export const createLedger = (options: LedgerOptions) => {
  const live = new Map<number, Row[]>();
  const moves = new Map<string, Move[]>();
  // Keeps the rows that a day passes to the next, so that forward iteration generates each day once.
  let handedOn: { day: number; rows: readonly Row[] } | undefined;

  const caused = (day: number): { own: Row[]; next: Row[] } => {
    const end = (day + 1) * DAY;
    const own: Row[] = [];
    const next: Row[] = [];
    for (const row of causedRows(day, options)) (row.createdAt < end ? own : next).push(row);
    handedOn = { day, rows: next };
    return { own, next };
  };

  const moved = (row: Row): Row | undefined => {
    const move = moves.get(row.token)?.findLast(({ from }) => from <= row.createdAt);
    if (move === undefined) return row;
    return move.to === undefined ? undefined : { ...row, token: move.to };
  };

  /** Rows of one day by created_at, visible or not. */
  const dayRows = (day: number): readonly Row[] => {
    if (day < options.firstDay) return [];
    const earlier = handedOn?.day === day - 1 ? handedOn.rows : caused(day - 1).next;
    const made = [...earlier, ...caused(day).own];
    const kept = moves.size === 0 ? made : made.map(moved).filter((row) => row !== undefined);
    return [...kept, ...(live.get(day) ?? [])].sort(byTime);
  };

  /** Rows with start <= createdAt < end (Unix seconds) that are visible at `asOf`. */
  function* rows(
    range: { start: number; end: number },
    asOf: number,
    newestFirst = false,
  ): Generator<Row, void> {
    // No row is visible before its created_at, so days after `asOf` are empty.
    const end = Math.min(range.end, asOf + 1);
    const first = Math.max(options.firstDay, Math.floor(range.start / DAY));
    const last = Math.ceil(end / DAY) - 1;
    for (let step = 0; step <= last - first; step += 1) {
      const ofDay = dayRows(newestFirst ? last - step : first + step);
      for (let at = 0; at < ofDay.length; at += 1) {
        const row = ofDay[newestFirst ? ofDay.length - 1 - at : at] as Row;
        if (row.createdAt >= range.start && row.createdAt < end && row.visibleAt <= asOf) yield row;
      }
    }
  }

  return {
    firstDay: options.firstDay,
    dayRows,
    rows,
    book(row: Row): void {
      const day = Math.floor(row.createdAt / DAY);
      live.set(day, [...(live.get(day) ?? []), row]);
    },
    /** Number of rows booked on a day: cached sums of the day are stale when it changes. */
    booked: (day: number): number => live.get(day)?.length ?? 0,
    /** From a time on, the simulated traffic of a key uses another name, or stops. */
    moveTraffic(consumer: string, move: Move): void {
      moves.set(consumer, [...(moves.get(consumer) ?? []), move]);
    },
  };
};

export type Ledger = ReturnType<typeof createLedger>;
