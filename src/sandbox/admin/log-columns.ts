import { rowMoneyText, type MoneyUnit } from '../decimal.ts';
import { cell, startsFormula, statusOf, type Column } from './csv.ts';
import { promptOf } from '../traffic/cells.ts';
import type { Row } from '../traffic/row.ts';
import { columnsBy, type Choices } from '../variants.ts';

/** What one export writes, beyond the variants. */
type Written = {
  /** Unit that the header of the amount names. */
  readonly unit: MoneyUnit;
  readonly unitOf: (row: Row) => MoneyUnit;
  /** Names of columns that are not exported. */
  readonly hidden: readonly string[];
};

const allColumns = (variants: Choices, { unit, unitOf, hidden }: Written): readonly Column[] => {
  const guard = variants.guarded_cells;
  const text = (value: string): string => cell(guard.texts && startsFormula(value) ? `'${value}` : value);
  const amount = (value: string): string => (guard.amounts && value.startsWith('-') ? `'${value}` : value);
  const column = (name: string, write: Column['write'], header = name): Column => ({ name, header, write });
  const columns = [
    column('created_at', (row) => variants.created_at(row.createdAt, variants.log_zone)),
    column('type', (row) => variants.kind_values(row.kind)),
    column('model_name', (row) => text(row.model?.name ?? '')),
    column('vendor_id', (row) => String(row.model?.vendorId ?? 0)),
    column('token_name', (row) => text(row.token)),
    column('group', (row) => text(row.group)),
    column('status', statusOf),
    column('prompt_tokens', (row) => String(variants.prompt_tokens(promptOf(row)))),
    column('completion_tokens', (row) => String(variants.completion_tokens(row))),
    column('cached_tokens', (row) => String(row.cached), variants.cached_header),
    column('cache_write_tokens', (row) => String(row.cacheWrite)),
    column('reasoning_tokens', (row) => String(row.reasoning)),
    column('audio_input_tokens', (row) => String(row.audioInput)),
    column('audio_output_tokens', (row) => String(row.audioOutput)),
    column('image_tokens', (row) => String(row.imageInput)),
    column('quota', (row) => amount(rowMoneyText(row.grains, unitOf(row))), variants.quota_header(unit)),
    column('use_time', (row) => String(row.useTime)),
    column('is_stream', (row) => String(row.stream)),
    column('content', (row) => text(row.content)),
  ];
  return columnsBy(
    variants,
    columns.filter(({ name }) => !hidden.includes(name)),
  );
};

// The query may use either spelling of a column, whichever the export writes.
const otherSpellings: Readonly<Record<string, string>> = {
  cache_tokens: 'cached_tokens',
  cost_usd: 'quota',
  cost_cny: 'quota',
};

/** The columns for `columns` of the query, or the name of a refused one. */
export const chosenColumns = (
  variants: Choices,
  asked: string,
  written: Written,
): { columns: readonly Column[] } | { unknown: string } => {
  const all = allColumns(variants, written);
  const names = asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const find = (name: string): Column | undefined =>
    all.find((column) => column.name === name || column.header === name) ??
    all.find((column) => column.name === otherSpellings[name]);
  const unknown = names.find((name) => find(name) === undefined);
  if (unknown !== undefined && variants.unknown_columns === 'error') return { unknown };
  const found = [...new Set(names.map(find).filter((column) => column !== undefined))];
  const columns = found.length > 0 ? found : all.filter(({ name }) => variants.detailed_columns(name));
  return { columns: variants.extra_columns(variants.column_order(columns)) };
};
