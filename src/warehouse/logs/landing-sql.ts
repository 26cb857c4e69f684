import { countColumns, type CallLogRole } from '../../core/index.ts';
import { extraSql } from './extra.ts';
import { amountSql, kindSql, plainRowSql, timeSlack, timeSql, tokensSql } from './checked-cells.ts';
import type { AmountForm, LogBatch } from './log-batch.ts';

const raw = (index: number): string => `c${index}`;

/** Removes spreadsheet guards: a `'` before a number, or before a text that could be taken for a formula. */
const withoutGuard = (cell: string, numeric: boolean): string =>
  numeric
    ? `CASE WHEN starts_with(${cell}, '''') THEN substr(${cell}, 2) ELSE ${cell} END`
    : `CASE WHEN regexp_matches(${cell}, '^''[=+@\\t\\r-]') THEN substr(${cell}, 2) ELSE ${cell} END`;

const textRoles: ReadonlySet<string> = new Set(['model_name', 'token_name', 'kind']);

const readerSql = (batch: LogBatch): string => {
  // Columns are named by position: names from the file never become part of SQL here.
  const columns = batch.columns.map((_, index) => `${raw(index)}: 'VARCHAR'`).join(', ');
  // A quarter of the reader's default buffer: just as fast, and each thread has several.
  return `read_csv($file, buffer_size = 8388608, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', new_line = '\\n',
    strict_mode = true, null_padding = false, ignore_errors = false, parallel = ${String(!batch.quotedNewlines)},
    columns = {${columns}})`;
};

const aggregatesSql = (batch: LogBatch): string =>
  batch.columns
    .flatMap(({ role }, index) => {
      if (role === undefined) return [];
      const cell = raw(index);
      return [`${batch.guarded ? withoutGuard(cell, !textRoles.has(role)) : cell} AS ${role}`];
    })
    .join(', ');

/**
 * One scan of the file: read, check, cast and insert. Rows of the overlap are inserted under no account, so that every
 * served row is counted, and removed in the same transaction. Bindings: $file, $account, $start, $end, $asked_start,
 * $asked_end (seconds), $served (its token columns), with columns that the schema does not name $header, and with kinds of the batch's own $kind_words and $kind_names.
 */
export const landingSql = (batch: LogBatch, form: AmountForm | undefined): string => {
  const roles = new Set(batch.columns.flatMap(({ role }) => (role === undefined ? [] : [role])));
  const kind = kindSql(roles, 'amount', batch.kinds !== undefined);
  const name = (role: CallLogRole): string => (roles.has(role) ? `coalesce(${role}, '')` : `''`);
  const tokens = countColumns.map((role) => (roles.has(role) ? tokensSql(role) : 'NULL'));
  const seconds = timeSql('created_at', batch.time);
  return `
    INSERT INTO call_log (account, created_at, quarter, model_name, token_name, kind, ${countColumns.join(', ')}, quota, extra,
      served_columns)
    SELECT CASE WHEN seconds >= $start AND seconds < $end THEN $account ELSE '' END,
      CASE WHEN seconds BETWEEN $asked_start - ${timeSlack} AND $asked_end + ${timeSlack} THEN seconds
        ELSE error('timestamp-outside: ' || created_at) END,
      seconds - seconds % 900, ${name('model_name')}, ${name('token_name')},
      CASE WHEN amount IS NULL AND kind_of_row IN ('consumption', 'refund') THEN error('amount-blank: ') ELSE kind_of_row END,
      ${tokens.join(',\n      ')}, amount, extra, $served
    FROM (
      SELECT *, ${kind} AS kind_of_row
      FROM (
        SELECT *, ${seconds} AS seconds,
          ${amountSql('quota', form)} AS amount
        FROM (
          SELECT *, ${plainRowSql(roles, batch.time, form)} AS is_plain
          FROM (SELECT ${aggregatesSql(batch)}, ${extraSql(batch, raw)} AS extra FROM ${readerSql(batch)})
        )
      )
    )`;
};
