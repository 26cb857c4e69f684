import { csv, refused, type Answer } from '../answer.ts';
import { BYTE_ORDER_MARK, cell, line, statusOf, type Column } from './csv.ts';
import { moneyText, type MoneyUnit } from '../decimal.ts';
import { chosenColumns } from './log-columns.ts';
import { askedRange, askedModels, badRange, badVendor, type Range } from './range.ts';
import type { Request } from '../request.ts';
import { unitAt, type State } from '../state.ts';
import type { Row } from '../traffic/row.ts';

const totalLine = (columns: readonly Column[], total: string): string => {
  const cells = columns.map(({ name }) => (name === 'quota' ? total : ''));
  if (columns[0]?.name === 'quota') cells[0] = cell(`Total: ${total}`);
  else cells[0] = 'Total';
  return line(cells);
};

function* written(
  state: State,
  rows: Iterable<Row>,
  columns: readonly Column[],
  unit: MoneyUnit,
): Generator<string, void> {
  const { variants } = state;
  yield BYTE_ORDER_MARK + line(columns.map(({ header }) => header));
  let at = 0;
  let total = 0n;
  for (const row of rows) {
    let text = '';
    for (const [place, column] of columns.entries()) text += (place === 0 ? '' : ',') + column.write(row, at);
    // A CSV reader would skip an empty line.
    yield text === '' ? '""\n' : `${text}\n`;
    total += BigInt(row.grains);
    at += 1;
  }
  if (variants.total_line === 'present') yield totalLine(columns, moneyText(total, unit));
}

function* filtered(state: State, range: Range, wanted: (row: Row) => boolean): Generator<Row, void> {
  const { hidden_cap: hiddenCap, row_order: order } = state.variants;
  const cap = hiddenCap === 'none' ? Infinity : Number(hiddenCap);
  const newestFirst = cap !== Infinity || order === 'newest-first';
  let count = 0;
  for (const row of state.ledger.rows(range, state.seconds(), newestFirst)) {
    if (!wanted(row)) continue;
    yield row;
    count += 1;
    if (count >= cap) return;
  }
}

/** GET /api/log/self/stream-export (docs/gateway.md G6.1). */
export const logExport = (state: State, { query }: Request): Answer => {
  const { variants } = state;
  const range = askedRange(query, variants.log_range_end);
  if (range === undefined) return refused(variants, badRange);
  const isAsked = askedModels(query);
  if (isAsked === undefined) return refused(variants, badVendor);
  const currency = query.get('currency') || variants.log_currency;
  if (currency !== 'USD' && currency !== 'CNY') {
    return refused(variants, { en: 'currency must be CNY or USD', zh: 'currency 只能是 CNY 或 USD' });
  }
  const usual = variants.log_quota(currency);
  const byRow = variants.amounts_change_by === 'row';
  const unit = byRow ? usual : unitAt(state, 'log', usual);
  const now = state.seconds();
  const chosen = chosenColumns(variants, query.get('columns') ?? '', {
    unit,
    unitOf: (row) => (byRow ? unitAt(state, 'log', usual, row.createdAt) : unit),
    hidden: [
      ...(variants.kind_column(range.end, now) ? [] : ['type']),
      ...(variants.cached_column(now >= state.changesAt) ? [] : ['cached_tokens']),
    ],
  });
  if ('unknown' in chosen) {
    return refused(variants, { en: `unknown column ${chosen.unknown}`, zh: `未知的列 ${chosen.unknown}` });
  }
  const status = query.get('status') ?? '';
  const wanted = (row: Row): boolean =>
    variants.row_kinds(row) && isAsked(row.model) && (status === '' || statusOf(row) === status);
  return csv('logs.csv', written(state, filtered(state, range, wanted), chosen.columns, unit));
};
