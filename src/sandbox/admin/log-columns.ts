import { rowMoneyText, type MoneyUnit } from '../decimal.ts';
import { cell, startsFormula } from './csv.ts';
import { promptAlone, promptWithCached } from '../traffic/cells.ts';
import { completionTokens, promptTokens } from './token-counts.ts';
import { kindNumbers, statusOf, type Column } from './log-column.ts';
import { naiveText, rfc3339Text } from '../time-zone.ts';
import type { Row, RowKind } from '../traffic/row.ts';
import { columnsBy, type Variants } from '../variants.ts';

const ownKindLabels: Readonly<Record<RowKind, string>> = {
  topup: 'deposit',
  consumption: 'billable',
  management: 'audit',
  system: 'notice',
  error: 'void',
  refund: 'credit note',
};

/** The aggregate columns; the others are the detailed ones. */
const aggregate: readonly string[] = [
  'id',
  'created_at',
  'type',
  'model_name',
  'token_name',
  'prompt_tokens',
  'completion_tokens',
  'quota',
];

const kindWriter = ({ kind_values: values }: Variants): ((row: Row) => string) =>
  ({
    word: (row: Row) => row.kind as string,
    number: (row: Row) => kindNumbers[row.kind],
    'own-word': (row: Row) => ownKindLabels[row.kind],
  })[values];

const timeWriter = (variants: Variants): ((row: Row) => string) => {
  const zone = variants.log_zone;
  return {
    seconds: (row: Row) => String(row.createdAt),
    milliseconds: (row: Row) => String(row.createdAt * 1000),
    rfc3339: (row: Row) => rfc3339Text(zone, row.createdAt),
    naive: (row: Row) => naiveText(zone, row.createdAt),
  }[variants.created_at];
};

const amountHeader = (variants: Variants, unit: MoneyUnit): string => {
  if (variants.quota_header === 'quota') return 'quota';
  return unit === 'CNY' ? 'cost_cny' : 'cost_usd';
};

/** Deviations of one export from the variants. */
type Written = {
  /** Unit of the amount of each row; defaults to that of the header. */
  readonly unitOf?: (row: Row) => MoneyUnit;
  /** Whether the type column is exported. */
  readonly showsKind?: boolean;
  /** Whether cached tokens are a column. */
  readonly showsCached?: boolean;
};

export const allColumns = (
  variants: Variants,
  unit: MoneyUnit,
  { unitOf = () => unit, showsKind = true, showsCached = true }: Written = {},
): readonly Column[] => {
  const guard = variants.guarded_cells;
  const text = (value: string): string =>
    cell(guard !== 'none' && startsFormula(value) ? `'${value}` : value);
  const amount = (value: string): string => (guard === 'all' && value.startsWith('-') ? `'${value}` : value);
  const column = (name: string, write: Column['write'], header = name): Column => ({ name, header, write });
  return columnsBy(variants, [
    column('created_at', timeWriter(variants)),
    ...(showsKind ? [column('type', kindWriter(variants))] : []),
    column('model_name', (row) => text(row.model?.name ?? '')),
    column('vendor_id', (row) => String(row.model?.vendorId ?? 0)),
    column('token_name', (row) => text(row.token)),
    column('group', (row) => text(row.group)),
    column('status', statusOf),
    column('prompt_tokens', (row) =>
      String(
        promptTokens(variants, {
          model: row.model,
          promptAlone: promptAlone(row),
          promptWithCached: promptWithCached(row),
        }),
      ),
    ),
    column('completion_tokens', (row) => String(completionTokens(variants, row))),
    ...(showsCached ? [column('cached_tokens', (row) => String(row.cached), variants.cached_header)] : []),
    column('cache_write_tokens', (row) => String(row.cacheWrite)),
    column('reasoning_tokens', (row) => String(row.reasoning)),
    column('audio_input_tokens', (row) => String(row.audioInput)),
    column('audio_output_tokens', (row) => String(row.audioOutput)),
    column('image_tokens', (row) => String(row.imageInput)),
    column('quota', (row) => amount(rowMoneyText(row.grains, unitOf(row))), amountHeader(variants, unit)),
    column('use_time', (row) => String(row.useTime)),
    column('is_stream', (row) => String(row.stream)),
    column('content', (row) => text(row.content)),
  ]);
};

const extras = (columns: readonly Column[]): readonly Column[] => {
  const middle = Math.ceil(columns.length / 2);
  return [
    { name: 'channel', header: 'channel', write: (row) => String((row.createdAt % 7) + 1) },
    ...columns.slice(0, middle),
    {
      name: 'remark',
      header: '"remark, ""free text"""',
      write: (row) => cell(`seen, "${row.kind}"\nby edge`),
    },
    ...columns.slice(middle),
  ];
};

const inOwnOrder = (columns: readonly Column[]): readonly Column[] =>
  [...columns].sort((a, b) => (a.name < b.name ? -1 : 1));

/** The columns for `columns` of the query, or the name of a refused one. */
export const chosenColumns = (
  variants: Variants,
  unit: MoneyUnit,
  asked: string,
  written: Written = {},
): { columns: readonly Column[] } | { unknown: string } => {
  const all = allColumns(variants, unit, written);
  const names = asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const find = (name: string): Column | undefined =>
    all.find((column) => column.name === name || column.header === name) ??
    // The query may use either spelling of a column, whichever the export writes.
    all.find(
      (column) =>
        column.name === { cache_tokens: 'cached_tokens', cost_usd: 'quota', cost_cny: 'quota' }[name],
    );
  const unknown = names.find((name) => find(name) === undefined);
  if (unknown !== undefined && variants.unknown_columns === 'error') return { unknown };
  let columns: readonly Column[] = [...new Set(names.map(find).filter((column) => column !== undefined))];
  if (columns.length === 0) {
    columns = all.filter(({ name }) => variants.detailed_columns === 'always' || aggregate.includes(name));
  }
  if (variants.column_order === 'own') columns = inOwnOrder(columns);
  return { columns: variants.extra_columns === 'present' ? extras(columns) : columns };
};
