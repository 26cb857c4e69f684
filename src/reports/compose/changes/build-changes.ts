import {
  addMoney,
  compareMoney,
  moneyAsShare,
  subtractMoney,
  zero,
  type Money,
} from '../../../core/index.ts';
import { createExplainer, type ChangedCell, type Usage, type Waterfall } from '../../../monitoring/index.ts';
import { countedClasses, type ClassPrices, type TokenClass } from '../../../warehouse/index.ts';
import type { ChangesShape } from '../../definition/section-shapes.ts';
import { formatDifference } from '../../../messages/index.ts';
import { causeLabel, contributorText, type EndedSpike } from './describe-cause.ts';
import type { Context } from '../context.ts';
import { shownChange } from './shown-change.ts';
import type { CellModel, RowModel, TableModel, TextModel } from '../model.ts';
import type { QueryTable, Row } from '../query-table.ts';

/** Why figures are not compared with the comparison period; undefined where that says nothing. */
const notComparedText = (context: Context): string | undefined => {
  const { comparison } = context.period;
  const { messages } = context.locale;
  const state = context.covers(context.period.interval);
  if (!context.hasAmounts) return undefined;
  if (context.noDataBefore !== undefined && state !== 'missing')
    return messages.notComparedBefore(comparison.label, context.noDataBefore);
  return messages.notCompared[state === 'complete' ? 'nothing-before' : 'incomplete'];
};

/** Reads the usage of one period from a row. Columns are looked up once: there are dozens for each of thousands of rows. */
const usageReader = (table: QueryTable, suffix: '' | '_before'): ((row: Row) => Usage) => {
  const count = (name: string): ((row: Row) => bigint) => {
    const cellIn = table.column(`${name}${suffix}`);
    // Whole numbers need no decimal arithmetic.
    return (row) => BigInt(String(cellIn(row) ?? 0));
  };
  const figure = (name: string) => (row: Row) => table.figure(row, `${name}${suffix}`) ?? zero;
  const [calls, charge, refunds] = [count('calls'), figure('charge'), figure('refunds')];
  // Reports of an earlier version have no such column.
  const unstated = table.has('unstated_calls') ? count('unstated_calls') : () => 0n;
  const classes = countedClasses.map((name) => [name, table.column(`${name}${suffix}`)] as const);
  return (row) => {
    const tokens: Partial<Record<TokenClass, bigint>> = {};
    for (const [name, cellIn] of classes) {
      const value = cellIn(row);
      if (value !== null && value !== '0') tokens[name] = BigInt(String(value));
    }
    return {
      calls: Number(calls(row)),
      tokens,
      unstatedCalls: Number(unstated(row)),
      charge: charge(row),
      refunds: refunds(row),
    };
  };
};

const cellsOf = (table: QueryTable): readonly ChangedCell[] => {
  const [before, after] = [usageReader(table, '_before'), usageReader(table, '')];
  return table.rows.map((row) => ({
    model: table.text(row, 'model_name'),
    key: table.text(row, 'key_name'),
    before: before(row),
    after: after(row),
  }));
};

const pricesOf = (table: QueryTable | undefined): ReadonlyMap<string, ClassPrices> =>
  new Map(
    (table?.rows ?? []).map((row) => [
      table?.text(row, 'model_name') ?? '',
      Object.fromEntries(
        countedClasses.flatMap((name) => {
          if (table?.has(name) !== true) return [];
          const price = table.figure(row, name);
          return price === null ? [] : [[name, price]];
        }),
      ),
    ]),
  );

/** Unusual days of the comparison period; an average has none that could end. */
export const spikesOf = ({ spikes }: ChangesShape, context: Context): readonly EndedSpike[] => {
  if (spikes === undefined || context.averagedDays !== 1) return [];
  const table = context.table(spikes);
  return table.rows.map((row) => ({
    model: table.text(row, 'model_name'),
    key: table.text(row, 'key_name'),
    day: context.locale.shortDay(table.text(row, 'day').slice(0, 10)),
    excess: table.figure(row, 'excess') ?? zero,
  }));
};

/** The causes of the change against the comparison period; undefined where the two cannot be compared. */
export const waterfallOf = (shape: ChangesShape, context: Context): Waterfall | undefined => {
  if (!context.comparable) return undefined;
  const known = context.waterfalls.get(shape.sql);
  if (known !== undefined) return known;
  const prices = pricesOf(shape.prices === undefined ? undefined : context.table(shape.prices));
  const explain = createExplainer((model) => prices.get(model), context.averagedDays);
  const waterfall = explain(cellsOf(context.sums(shape.sql)));
  context.waterfalls.set(shape.sql, waterfall);
  return waterfall;
};

/** Floating bars: each begins where the one before ended. */
const barsOf = (amounts: readonly Money[]): readonly CellModel[] => {
  let at = zero;
  const spans = amounts.map((amount) => {
    const from = at;
    at = addMoney(at, amount);
    return compareMoney(amount, zero) > 0 ? { from, to: at } : { from: at, to: from };
  });
  const pick = (values: readonly Money[], sign: 1 | -1): Money =>
    values.reduce((best, value) => (compareMoney(value, best) * sign > 0 ? value : best), zero);
  const lowest = pick(
    spans.map(({ from }) => from),
    -1,
  );
  const whole = subtractMoney(
    pick(
      spans.map(({ to }) => to),
      1,
    ),
    lowest,
  );
  return spans.map(({ from, to }, index) => ({
    exact: null,
    text: '',
    from: moneyAsShare(subtractMoney(from, lowest), whole),
    length: moneyAsShare(subtractMoney(to, from), whole),
    tone: compareMoney(amounts[index] ?? zero, zero) > 0 ? 'bad' : 'good',
  }));
};

/** The waterfall as a table, whose last row is the sum of the others; the reason in place of it without a comparison. */
export const buildChanges = (shape: ChangesShape, context: Context): TableModel | TextModel | undefined => {
  const { title } = shape;
  if (context.period.comparison.days.length === 0) return undefined;
  const waterfall = waterfallOf(shape, context);
  if (waterfall === undefined) {
    const reason = notComparedText(context);
    return reason === undefined ? undefined : { kind: 'text', title, paragraphs: [reason] };
  }
  const { locale, currency } = context;
  const { changes } = locale.messages;
  const { change, decimals, parts } = shownChange(waterfall);
  if (parts.length === 0) return { kind: 'text', title, paragraphs: [changes.nothing] };
  const bars = barsOf(parts.map(({ amount }) => amount));
  const amountCell = (exact: Money, shown: Money): CellModel => ({
    exact,
    text: formatDifference(shown, currency, locale, decimals),
  });
  const text = (value: string): CellModel => ({ exact: null, text: value });
  const blank = text('');
  const rows = parts.map(({ part, amount }, at): RowModel => {
    const { contributor } = part;
    return {
      role: 'row',
      state: 'complete',
      colour: undefined,
      cells: [
        text(causeLabel(part, locale)),
        bars[at] ?? blank,
        text(contributor === undefined ? '' : contributorText(contributor, currency, locale)),
        amountCell(part.amount, amount),
      ],
    };
  });
  const total: RowModel = {
    role: 'total',
    state: 'complete',
    colour: undefined,
    cells: [text(changes.total), blank, blank, amountCell(waterfall.change, change)],
  };
  return {
    kind: 'table',
    title,
    columns: [
      { label: changes.cause, role: 'name', align: 'left', isFixed: true },
      { label: '', role: 'bar', align: 'left' },
      { label: changes.contributors, role: 'name', align: 'left' },
      { label: changes.amount, role: 'figure', align: 'right' },
    ],
    rows: [...rows, total],
  };
};
