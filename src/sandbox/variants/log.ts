import { BYTE_ORDER_MARK, cell, kindNumbers, line, statusOf, type Column } from '../admin/csv.ts';
import type { MoneyUnit } from '../decimal.ts';
import { dateText, naiveText, rfc3339Text } from '../time-zone.ts';
import type { Cell } from '../traffic/cells.ts';
import { DAY } from '../traffic/rhythm.ts';
import { isCall, type Row, type RowKind } from '../traffic/row.ts';
import { point } from './point.ts';

export const zones = ['UTC', 'Asia/Shanghai', 'Europe/Berlin', 'America/New_York'] as const;

/** Seconds added to the end of a range. */
export const rangeEnds = { exclusive: 0, inclusive: 1 } as const;

const ownKindLabels: Readonly<Record<RowKind, string>> = {
  topup: 'deposit',
  consumption: 'billable',
  management: 'audit',
  system: 'notice',
  error: 'void',
  refund: 'credit note',
};

/** The aggregate columns; the others are the detailed ones. */
const aggregate: readonly string[] =
  'id,created_at,type,model_name,token_name,prompt_tokens,completion_tokens,quota'.split(',');

const withExtras = (columns: readonly Column[]): readonly Column[] => {
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

function* titled(body: Iterable<string>, title: string): Generator<string, void> {
  let isFirst = true;
  for (const piece of body) {
    yield isFirst ? BYTE_ORDER_MARK + title + piece.replace(BYTE_ORDER_MARK, '') : piece;
    isFirst = false;
  }
}

type Prompt = Pick<Cell, 'model' | 'promptAlone' | 'promptWithCached'>;
type Completion = Pick<Cell, 'model' | 'completion' | 'reasoning'>;

/** What the contract leaves open about the log export (docs/gateway.md G6). */
export const logPoints = {
  created_at: point('G6.5', {
    seconds: (at: number) => String(at),
    milliseconds: (at: number) => String(at * 1000),
    rfc3339: (at: number, zone: string) => rfc3339Text(zone, at),
    naive: (at: number, zone: string) => naiveText(zone, at),
  })('Form of created_at; rfc3339 and naive are written in log_zone.'),
  log_zone: point('G6.5', zones)('Zone of rfc3339 and naive times in the log export.'),
  log_quota: point('G6.8', {
    currency: (currency: 'USD' | 'CNY'): MoneyUnit => currency,
    units: (): MoneyUnit => 'units',
  })('Amounts of the log export: currency with up to 8 decimals, or integer units of 1/500,000 USD.'),
  amounts_change: point('G6.8', {
    none: [],
    log: ['log'],
    statistics: ['statistics'],
    usage: ['usage'],
    'log-and-statistics': ['log', 'statistics'],
    all: ['log', 'statistics', 'usage'],
  })(
    'From the first midnight UTC after the start on, these endpoints give integer units where they gave a currency, and US dollars where they gave units.',
  ),
  amounts_change_by: point('G6.8', ['answer', 'row'])(
    'An amounts_change of the log export holds for every row of an answer given after the moment, or for rows of calls made after it.',
  ),
  log_currency: point('G6.7', ['USD', 'CNY'])('Currency of the log export when the parameter is left out.'),
  refund_rows: point('G6.9', { negative: true, absent: false })(
    'Refunds are booked as rows with a negative amount, or the account has none.',
  ),
  cached_header: point('G6.3', ['cached_tokens', 'cache_tokens'])(
    'Header of the cached tokens; both names are understood in columns.',
  ),
  cached_column: point('G6.3', {
    present: () => true,
    absent: () => false,
    appears: (hasChanged: boolean) => hasChanged,
    disappears: (hasChanged: boolean) => !hasChanged,
  })(
    'The cached_tokens column is exported, is not, or is exported in answers given from, or until, the first midnight UTC after the start.',
  ),
  quota_header: point('G6.3', {
    quota: () => 'quota',
    cost_usd: (unit: MoneyUnit) => (unit === 'CNY' ? 'cost_cny' : 'cost_usd'),
  })('Header of the amount (cost_cny when the export is in CNY); both names are understood in columns.'),
  column_order: point('G6.3', {
    asked: (columns: readonly Column[]) => columns,
    own: (columns: readonly Column[]) => columns.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  })('Columns in the order asked for, or in an order of the gateway’s own.'),
  extra_columns: point('G6.3', { absent: (columns: readonly Column[]) => columns, present: withExtras })(
    'Columns that were not asked for appear between the others.',
  ),
  unknown_columns: point('G6.4', ['ignored', 'error'])('A column name the gateway does not know.'),
  detailed_columns: point('G6.4', {
    always: () => true,
    'on-request': (name: string) => aggregate.includes(name),
  })('Empty columns gives everything, or only the aggregate counts.'),
  title_line: point('G6.13', ['absent', 'present'], {
    answer: (answer, value, { request, now }) => {
      const isExport = request.path === '/api/log/self/stream-export' && value !== 'absent';
      if (!isExport || typeof answer.body === 'string' || answer.body instanceof Uint8Array) return answer;
      const title = line([cell(`Call log of tollgate, exported ${dateText(Math.floor(now / DAY))}`)]);
      return { ...answer, body: titled(answer.body, title) };
    },
  })('A title line before the header of the log export.'),
  total_line: point('G6.13', ['absent', 'present'])('A total line after the rows of the log export.'),
  guarded_cells: point('G6.13', {
    none: { texts: false, amounts: false },
    text: { texts: true, amounts: false },
    all: { texts: true, amounts: true },
  })("A leading ' before cells that start like a formula: none, text cells, or negative amounts too."),
  hidden_cap: point('G6.14', ['none', '777', '5000', '10000', '50000'])(
    'Rows after which the log export ends without a word; a capped export gives the newest rows first.',
  ),
  row_order: point('G6.14', ['oldest-first', 'newest-first'])('Order of the rows of the log export.'),
  row_id: point(
    'G6.15',
    {
      absent: undefined,
      'page-number': (at: number) => Math.floor(at / 100) + 1,
      'modulo-1024': (at: number) => (at + 1) % 1024,
    },
    {
      logColumns: (columns, id) =>
        id === undefined
          ? columns
          : [{ name: 'id', header: 'id', write: (_, at) => String(id(at)) }, ...columns],
    },
  )('An id column that is the number of a page of 100 rows, or a running number modulo 1024.'),
  prompt_tokens: point('G6.12', {
    'per-vendor': ({ model, promptAlone, promptWithCached }: Prompt) =>
      model?.promptIncludesCached === true ? promptWithCached : promptAlone,
    'includes-cached': ({ promptWithCached }: Prompt) => promptWithCached,
    'excludes-cached': ({ promptAlone }: Prompt) => promptAlone,
  })('Whether prompt_tokens contain the cached (and cache-write) tokens.'),
  completion_tokens: point('G6.12', {
    'includes-reasoning': ({ completion }: Completion) => completion,
    'excludes-reasoning': ({ completion, reasoning }: Completion) => completion - reasoning,
    'per-vendor': ({ model, completion, reasoning }: Completion) =>
      model?.vendor === 'google' ? completion - reasoning : completion,
  })(
    'Whether completion_tokens contain the reasoning tokens; per vendor, google leaves them out. The charge is the same.',
  ),
  row_kinds: point('G6.10', { all: () => true, calls: isCall })(
    'Every kind of row is exported, or only consumption, error and refund rows.',
  ),
  kind_values: point('G6.10', {
    word: (kind: RowKind): string => kind,
    number: (kind: RowKind) => kindNumbers[kind],
    'own-word': (kind: RowKind) => ownKindLabels[kind],
  })(
    'The type column: a word, or 1 top-up, 2 consumption, 3 management, 4 system, 5 error, 6 refund, or a word of the gateway’s own.',
  ),
  kind_column: point('G6.10', {
    present: () => true,
    absent: () => false,
    dropped: (end: number, now: number) => end <= now - DAY,
  })(
    'The type column is exported, is not, or is no longer exported for ranges that end later than a day before now.',
  ),
  status_column: point(
    'G6.11',
    {
      word: statusOf,
      'own-word': (row: Row) => (row.kind === 'error' ? 'void' : 'settled'),
      number: (row: Row) => kindNumbers[row.kind],
      absent: undefined,
    },
    {
      logColumns: (columns, write) =>
        columns.flatMap((column) => {
          if (column.name !== 'status') return [column];
          return write === undefined ? [] : [{ ...column, write }];
        }),
    },
  )(
    'The status column: success or error, two words of the gateway’s own, the numbers of row kinds, or not exported.',
  ),
  late_rows: point('G16.1', { present: true, absent: false })(
    'Some rows become visible up to ten minutes after their created_at.',
  ),
  log_range_end: point('G6.6', rangeEnds)('Whether end_timestamp belongs to the range of the log export.'),
};
