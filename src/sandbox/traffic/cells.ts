import type { Ledger } from './ledger.ts';
import type { Model } from './models.ts';
import { DAY, HOUR } from './rhythm.ts';
import { isCall, type Row } from './row.ts';

/** The prompt tokens of a row, without and with the cached and cache-write ones. */
export const promptOf = ({ model, text, audioInput, imageInput, cached, cacheWrite }: Row) => {
  const promptAlone = text + audioInput + imageInput;
  return { model, promptAlone, promptWithCached: promptAlone + cached + cacheWrite };
};

const emptySums = {
  consumption: 0n,
  /** Grains of refunds; negative. */
  refunds: 0n,
  /** Grains paid in. */
  topups: 0n,
  calls: 0,
  /** Prompt tokens without, and with, the cached and cache-write ones. */
  promptAlone: 0,
  promptWithCached: 0,
  /** All completion tokens, and the reasoning ones among them. */
  completion: 0,
  reasoning: 0,
};

export type Cell = typeof emptySums & {
  /** Unix seconds of the start of the hour. */
  readonly hour: number;
  readonly model: Model | undefined;
  readonly token: string;
};

const add = (cell: Cell, row: Row): void => {
  if (row.kind === 'topup') cell.topups += BigInt(row.grains);
  if (!isCall(row)) return;
  if (row.kind === 'refund') cell.refunds += BigInt(row.grains);
  if (row.kind !== 'consumption') return;
  cell.consumption += BigInt(row.grains);
  cell.calls += 1;
  const prompt = promptOf(row);
  cell.promptAlone += prompt.promptAlone;
  cell.promptWithCached += prompt.promptWithCached;
  cell.completion += row.completion;
  cell.reasoning += row.reasoning;
};

export const toAggregates = (rows: Iterable<Row>): Cell[] => {
  const cells = new Map<string, Cell>();
  for (const row of rows) {
    const hour = row.createdAt - (row.createdAt % HOUR);
    const name = `${hour}|${row.model?.name ?? ''}|${row.token}`;
    let cell = cells.get(name);
    if (cell === undefined) {
      cell = { ...emptySums, hour, model: row.model, token: row.token };
      cells.set(name, cell);
    }
    add(cell, row);
  }
  return [...cells.values()];
};

type Settled = { readonly settledAt: number; readonly booked: number; readonly cells: readonly Cell[] };

/** Caches the sums of whole days that can no longer change. */
export const createAggregates = (ledger: Ledger) => {
  const settled = new Map<number, Settled>();

  const wholeDay = (day: number, asOf: number): readonly Cell[] => {
    const known = settled.get(day);
    if (known !== undefined && known.settledAt <= asOf && known.booked === ledger.booked(day))
      return known.cells;
    const rows = ledger.dayRows(day);
    const visible = rows.filter(({ visibleAt }) => visibleAt <= asOf);
    const cells = toAggregates(visible);
    // The traffic of a past day can no longer move; today's can.
    const settledAt = rows.reduce((latest, row) => Math.max(latest, row.visibleAt), (day + 1) * DAY);
    if (settledAt <= asOf) settled.set(day, { settledAt, booked: ledger.booked(day), cells });
    return cells;
  };

  return {
    /** Cells of the rows with start <= createdAt < end that are visible at `asOf` (all Unix seconds). */
    *over(range: { start: number; end: number }, asOf: number): Generator<Cell, void> {
      const start = Math.max(range.start, ledger.firstDay * DAY);
      const end = Math.min(range.end, asOf + 1);
      for (let day = Math.floor(start / DAY); day * DAY < end; day += 1) {
        const whole = start <= day * DAY && (day + 1) * DAY <= end;
        if (whole) yield* wholeDay(day, asOf);
        else {
          const part = { start: Math.max(start, day * DAY), end: Math.min(end, (day + 1) * DAY) };
          yield* toAggregates(ledger.rows(part, asOf));
        }
      }
    },
  };
};
