/*
 * SQL that reads one text cell, or stops the statement with error(). Every cast is preceded by a check, since DuckDB
 * rounds excess decimals, reads 1_000 as 1000 and rounds 0.5 to 1. The bad-row check of the ingest module repeats these
 * checks in TypeScript, to report the line.
 */
import {
  countColumns,
  countedForms,
  isCounted,
  timePattern,
  tokenColumns,
  trimOf,
} from '../../core/index.ts';
import type { AmountForm, TimeForm } from './log-batch.ts';

const fails = (reason: string, cell: string): string => `error('${reason}: ' || coalesce(${cell}, ''))`;

/** A row further outside the requested range than this was misread, with a wrong unit or zone. Seconds. */
export const timeSlack = 60;

const offsetSql = (local: string, offsets: readonly { fromLocal: number; seconds: number }[]): string => {
  const [first, ...later] = offsets;
  if (later.length === 0) return String(first?.seconds ?? 0);
  const cases = later
    .toReversed()
    .map(({ fromLocal, seconds }) => `WHEN ${local} >= ${Math.trunc(fromLocal)} THEN ${Math.trunc(seconds)}`);
  return `CASE ${cases.join(' ')} ELSE ${Math.trunc(first?.seconds ?? 0)} END`;
};

/**
 * Whether the time, the amount and all counts of a row have the usual form: one check of all costs a third of a check
 * of each. The cast that follows rejects a cell that contains the separator. The branch for plain rows comes first
 * everywhere: where all rows of a vector take it, DuckDB evaluates no other.
 */
export const plainRowSql = (
  roles: ReadonlySet<string>,
  time: TimeForm,
  form: AmountForm | undefined,
): string => {
  const looked: [cell: string, pattern: string][] = [];
  if (isCounted(time.form)) looked.push(["coalesce(created_at, '?')", countedForms[time.form].digits]);
  // Limited to the digits that fit the narrow decimal.
  if (roles.has('quota'))
    looked.push([
      "coalesce(quota, '?')",
      form === 'units' ? '-?[0-9]{1,6}' : '-?[0-9]{1,6}([.][0-9]{1,12})?',
    ]);
  const counts = countColumns.filter((role) => roles.has(role));
  const cells = [...looked.map(([cell]) => cell), ...counts].join(', ');
  const pattern = looked.map(([, each]) => each).join('[|]');
  return looked.length === 0
    ? 'false'
    : `regexp_full_match(concat_ws('|', ${cells}), '${pattern}([|][0-9]{1,18})*')`;
};

/** Seconds UTC of a `created_at` cell. */
export const timeSql = (cell: string, time: TimeForm): string => {
  const wrong = fails('timestamp-unreadable', cell);
  const hasForm = `regexp_full_match(${cell}, '${timePattern(time.form)}')`;
  if (time.form === 'naive') {
    const local = `(epoch_us(CAST(${cell} AS TIMESTAMP)) // 1000000)`;
    return `CASE WHEN ${hasForm} THEN ${local} - ${offsetSql(local, time.offsets)} ELSE ${wrong} END`;
  }
  if (time.form === 'rfc3339')
    return `CASE WHEN ${hasForm} THEN epoch_us(CAST(${cell} AS TIMESTAMPTZ)) // 1000000 ELSE ${wrong} END`;
  const { perSecond } = countedForms[time.form];
  const seconds = (whole: string): string =>
    `CAST(${whole} AS BIGINT)${perSecond === 1 ? '' : ` // ${perSecond}`}`;
  return `CASE WHEN is_plain THEN ${seconds(cell)}
    WHEN ${hasForm} THEN ${seconds(`split_part(${cell}, '.', 1)`)} ELSE ${wrong} END`;
};

/** A count of tokens; blank is unknown. */
export const tokensSql = (cell: string): string =>
  `CASE WHEN is_plain THEN CAST(${cell} AS BIGINT) WHEN ${cell} IS NULL THEN NULL
    WHEN regexp_full_match(${cell}, '-?[0-9]{1,18}([.]0+)?') THEN CAST(${cell} AS BIGINT)
    ELSE ${fails('tokens-unreadable', cell)} END`;

/** Decimal places that the written number needs: places after the point, minus the exponent, minus trailing zeros. */
const placesSql = (cell: string): string => {
  const mantissa = `regexp_extract(${cell}, '^[+-]?([0-9.]+)', 1)`;
  const exponent = `coalesce(TRY_CAST(regexp_extract(${cell}, '[eE]([+-]?[0-9]+)$', 1) AS INTEGER), 0)`;
  return `length(regexp_extract(${mantissa}, '[.]([0-9]*)', 1)) - ${exponent}
    - length(regexp_extract(replace(${mantissa}, '.', ''), '(0*)$', 1))`;
};

/** The exact amount; only whole numbers where amounts are units; NULL for a blank cell. */
export const amountSql = (cell: string, form: AmountForm | undefined): string => {
  const plain = form === 'units' ? '[+-]?[0-9]{1,16}([.]0*)?' : '[+-]?[0-9]{1,16}([.][0-9]{0,12}0*)?';
  const number = '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?';
  const decimals = form === 'units' ? 0 : 12;
  // Values that fit the narrow decimal, as those of plain rows do, parse five times as fast.
  return `CASE WHEN is_plain THEN CAST(CAST(${cell} AS DECIMAL(18, 12)) AS DECIMAL(28, 12))
    WHEN ${cell} IS NULL THEN NULL
    WHEN regexp_full_match(${cell}, '${plain}') THEN CAST(${cell} AS DECIMAL(28, 12))
    WHEN NOT regexp_full_match(${cell}, '${number}') THEN ${fails('amount-unreadable', cell)}
    WHEN ${placesSql(cell)} <= ${decimals} OR regexp_full_match(${cell}, '[+-]?[0.]+([eE].*)?')
      THEN coalesce(TRY_CAST(${cell} AS DECIMAL(28, 12)), ${fails('amount-unreadable', cell)})
    ELSE ${fails(form === 'units' ? 'amount-not-whole' : 'amount-inexact', cell)} END`;
};

/** Labels and numbers of row kinds, in the order of docs/gateway.md G6.10; any other kind is stored as served. */
const kindLabels: readonly (readonly [string, readonly string[]])[] = [
  ['top-up', ['top-up', 'topup', 'top_up', 'top up', 'recharge', '充值', '1']],
  ['consumption', ['consumption', 'consume', 'consumed', 'usage', '消费', '2']],
  ['management', ['management', 'manage', '管理', '3']],
  ['system', ['system', '系统', '4']],
  ['error', ['error', 'failed', 'failure', '错误', '失败', '5']],
  ['refund', ['refund', 'refunded', '退款', '6']],
];

/** The kind by the row's figures: one without a model, a key and tokens is no call. */
const byRow = (amount: string, noCall: string): string =>
  `CASE WHEN ${amount} < 0 THEN 'refund'
    WHEN ${amount} IS NOT NULL AND ${noCall} THEN CASE WHEN ${amount} > 0 THEN 'top-up' ELSE 'system' END ELSE 'consumption' END`;

/** A text cell of a row that names neither model nor key and has no tokens; false if the export lacks such columns. */
const noCallSql = (roles: ReadonlySet<string>): string => {
  if (!roles.has('model_name') || !roles.has('token_name')) return 'false';
  const counts = tokenColumns.filter((role) => roles.has(role));
  const counted =
    counts.length === 0 ? 'false' : `regexp_matches(concat_ws('|', ${counts.join(', ')}), '[1-9]')`;
  return `(coalesce(model_name, '') = '' AND coalesce(token_name, '') = '' AND NOT ${counted})`;
};

/** These labels mean success and don't distinguish a call, a refund or a payment. */
const successLabels = ['success', 'succeeded', '成功'];

const charged: ReadonlySet<string> = new Set([
  '',
  ...successLabels,
  ...kindLabels.flatMap(([kind, labels]) => (kind === 'consumption' || kind === 'refund' ? labels : [])),
]);

const plainWord = (cell: string): string => trimOf(cell, ' ').toLowerCase();

/** Kinds by the gateway's own labels, normalized: labels and kinds in the same order, for binding. */
export const ownKinds = (
  kinds: Readonly<Record<string, string>>,
): { readonly labels: readonly string[]; readonly names: readonly string[] } => {
  const all = new Map(Object.entries(kinds).map(([word, name]) => [plainWord(word), name]));
  return { labels: [...all.keys()], names: [...all.values()] };
};

/** Whether a row with a blank amount would be a call or a refund by its kind cell: then the amount is required. */
export const needsAmount = (cell: string, kinds: Readonly<Record<string, string>> = {}): boolean => {
  const word = plainWord(cell);
  const { labels, names } = ownKinds(kinds);
  const own = names[labels.indexOf(word)];
  return own === undefined ? charged.has(word) : own === 'consumption' || own === 'refund';
};

/**
 * The kind of a row: its label, or what its figures show if the label is missing or only means success. `own` checks
 * the gateway's own labels first; bindings: $kind_words, $kind_names.
 */
export const kindSql = (roles: ReadonlySet<string>, amount: string, own: boolean): string => {
  const shown = byRow(amount, noCallSql(roles));
  if (!roles.has('kind')) return shown;
  const cell = 'kind';
  // One lookup plans and runs faster than a comparison with each label.
  const known = kindLabels
    .flatMap(([kind, labels]) => labels.map((word) => `'${word}': '${kind}'`))
    .join(', ');
  const unsaid = ['', ...successLabels].map((word) => `'${word}'`).join(', ');
  // Nearly every row is a call with one of two labels: other labels are looked up after those.
  const ownFirst = `WHEN list_contains($kind_words, lower(trim(${cell})))
    THEN list_extract($kind_names, list_position($kind_words, lower(trim(${cell}))))`;
  return `CASE ${own ? ownFirst : ''} WHEN ${cell} IN ('consumption', '2') THEN 'consumption'
    WHEN ${cell} IS NULL OR lower(trim(${cell})) IN (${unsaid}) THEN ${shown}
    ELSE coalesce(map_extract_value(MAP {${known}}, lower(trim(${cell}))), trim(${cell})) END`;
};
