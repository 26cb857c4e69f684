import type { Ledger } from './ledger.ts';
import type { Model } from './models.ts';
import { DAY, HOUR } from './rhythm.ts';
import type { Row } from './row.ts';

/** The prompt tokens of a row, without and with the cached and cache-write ones. */
export const promptOf = ({ model, text, audioInput, imageInput, cached, cacheWrite }: Row) => {
  const promptAlone = text + audioInput + imageInput;
  return { model, promptAlone, promptWithCached: promptAlone + cached + cacheWrite };
};

type Sums = {
  readonly consumption: bigint;
  /** Grains of refunds; negative. */
  readonly refunds: bigint;
  /** Grains paid in. */
  readonly topups: bigint;
  readonly calls: number;
  /** Prompt tokens without, and with, the cached and cache-write ones. */
  readonly promptAlone: number;
  readonly promptWithCached: number;
  /** All completion tokens, and the reasoning ones among them. */
  readonly completion: number;
  readonly reasoning: number;
};

export type Cell = Sums & {
  /** Unix seconds of the start of the hour. */
  readonly hour: number;
  readonly model: Model | undefined;
  readonly token: string;
};

/** An exact sum: numbers are added faster than bigints, and a bigint holds what exceeds them. */
type Grains = { large: bigint; small: number };

const addGrains = (sum: Grains, grains: number): void => {
  const small = sum.small + grains;
  if (Number.isSafeInteger(small)) sum.small = small;
  else {
    sum.large += BigInt(sum.small);
    sum.small = grains;
  }
};

const total = ({ large, small }: Grains): bigint => large + BigInt(small);

type OpenCell = { -readonly [Name in keyof Cell]: Cell[Name] extends bigint ? Grains : Cell[Name] };

const openCell = (hour: number, { model, token }: Row): OpenCell => ({
  hour,
  model,
  token,
  consumption: { large: 0n, small: 0 },
  refunds: { large: 0n, small: 0 },
  topups: { large: 0n, small: 0 },
  calls: 0,
  promptAlone: 0,
  promptWithCached: 0,
  completion: 0,
  reasoning: 0,
});

const add = (cell: OpenCell, row: Row): void => {
  if (row.kind === 'topup') addGrains(cell.topups, row.grains);
  else if (row.kind === 'refund') addGrains(cell.refunds, row.grains);
  else if (row.kind === 'consumption') {
    addGrains(cell.consumption, row.grains);
    cell.calls += 1;
    const prompt = promptOf(row);
    cell.promptAlone += prompt.promptAlone;
    cell.promptWithCached += prompt.promptWithCached;
    cell.completion += row.completion;
    cell.reasoning += row.reasoning;
  }
};

export const toAggregates = (rows: Iterable<Row>): Cell[] => {
  const hours = new Map<number, Map<Model | undefined, Map<string, OpenCell>>>();
  const cells: OpenCell[] = [];
  for (const row of rows) {
    const hour = row.createdAt - (row.createdAt % HOUR);
    let models = hours.get(hour);
    if (models === undefined) hours.set(hour, (models = new Map()));
    let tokens = models.get(row.model);
    if (tokens === undefined) models.set(row.model, (tokens = new Map()));
    let cell = tokens.get(row.token);
    if (cell === undefined) {
      cell = openCell(hour, row);
      tokens.set(row.token, cell);
      cells.push(cell);
    }
    add(cell, row);
  }
  return cells.map((cell) => ({
    ...cell,
    consumption: total(cell.consumption),
    refunds: total(cell.refunds),
    topups: total(cell.topups),
  }));
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
