import type { Check } from './rule.ts';

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const named = (column: string): string => `"${column.replaceAll('"', '""')}"`;

/** Codes of ISO 4217, without those of precious metals, funds and tests. */
const nationalCurrencies = Intl.supportedValuesOf('currency').filter((code) => !code.startsWith('X'));

/** A number without a plus sign, a thousands separator or a unit. */
const number = String.raw`-?\d+(\.\d+)?([eE]-?\d+)?`;
/** `2026-10-31T23:00:00Z` */
const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
/** `Tokens`, `1000 Tokens`, `GB-Hours`, `Units/3 Months` */
const unit = String.raw`(\d+ )?\p{Lu}[\p{L} ]*(-\p{L}+)?(/(\d+ )?\p{L}+)?`;

/** Types of DuckDB that a column may have where it is not text. */
const nativeTypes = {
  decimal: /^(DECIMAL|BIGINT|HUGEINT|INTEGER)/,
  time: /^TIMESTAMP/,
  text: /^VARCHAR/,
  object: /^(JSON|MAP|STRUCT)/,
} as const;

/** Columns of a data set, with their types in DuckDB. */
export type Columns = ReadonlyMap<string, string>;

const keyValue = (text: string): string =>
  `(CASE WHEN NOT json_valid(${text}) OR json_type(${text}) <> 'OBJECT' THEN false
    ELSE len(json_keys(${text})) = len(list_distinct(json_keys(${text})))
      AND len(list_filter(json_extract(${text}, '$.*'), lambda one: json_type(one) IN ('OBJECT', 'ARRAY'))) = 0 END)`;

/** An expression that is true or false in each row of the table `data`, never null. */
export const checkSql = (check: Check, columns: Columns): string => {
  const value = (column: string): string =>
    columns.has(column) ? `CAST(${named(column)} AS VARCHAR)` : 'CAST(NULL AS VARCHAR)';
  const decimal = (column: string): string => `TRY_CAST(${value(column)} AS DECIMAL(38, 12))`;
  const ofValue = (column: string, expression: string): string =>
    `(${value(column)} IS NULL OR COALESCE(${expression}, false))`;
  const matches = (column: string, pattern: string): string =>
    ofValue(column, `regexp_full_match(${value(column)}, ${quoted(pattern)})`);
  const format = (column: string, name: Extract<Check, { check: 'format' }>['format']): string => {
    switch (name) {
      case 'text':
        return ofValue(column, `${value(column)} <> ''`);
      case 'number':
        return matches(column, number);
      case 'time':
        return columns.get(column)?.startsWith('TIMESTAMP') === true ? 'true' : matches(column, time);
      case 'currency':
        return matches(column, '[A-Z]{3}');
      case 'key-value':
        return ofValue(column, keyValue(value(column)));
      case 'unit':
        return matches(column, unit);
      default:
        return name satisfies never;
    }
  };
  const type = (column: string, name: keyof typeof nativeTypes): string => {
    const native = columns.get(column) ?? '';
    if (nativeTypes[name].test(native)) return 'true';
    if (native !== 'VARCHAR') return 'false';
    switch (name) {
      case 'text':
        return 'true';
      case 'decimal':
        return format(column, 'number');
      case 'time':
        return ofValue(column, `TRY_CAST(${value(column)} AS TIMESTAMP) IS NOT NULL`);
      case 'object':
        return ofValue(column, `json_valid(${value(column)})`);
      default:
        return name satisfies never;
    }
  };
  switch (check.check) {
    case 'all':
    case 'any': {
      const parts = check.of.map((one) => checkSql(one, columns));
      return `(${parts.join(check.check === 'all' ? ' AND ' : ' OR ')})`;
    }
    case 'present':
      return String(columns.has(check.column));
    case 'equals':
    case 'differs': {
      const operator = check.check === 'equals' ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM';
      return `(${value(check.column)} ${operator} ${check.value === null ? 'NULL' : quoted(check.value)})`;
    }
    case 'same':
      return `(${value(check.column)} IS NOT DISTINCT FROM ${value(check.other)})`;
    case 'not-same':
      return `(${value(check.column)} IS DISTINCT FROM ${value(check.other)})`;
    case 'compares':
      return `COALESCE(${value(check.column)} ${check.operator} ${value(check.other)}, true)`;
    case 'at-least':
      return ofValue(check.column, `${decimal(check.column)} >= ${check.value}`);
    case 'at-most':
      return ofValue(check.column, `${decimal(check.column)} <= ${check.value}`);
    case 'type':
      return type(check.column, check.type);
    case 'format':
      return format(check.column, check.format);
    case 'national-currency':
      return ofValue(
        check.column,
        `${value(check.column)} IN (${nationalCurrencies.map(quoted).join(', ')})`,
      );
    case 'unique':
      return `(SELECT count(*) = count(DISTINCT ${value(check.column)}) FROM data WHERE ${value(check.column)} IS NOT NULL)`;
    case 'ends-with':
      return ofValue(check.column, `ends_with(${value(check.column)}, ${quoted(check.value)})`);
    case 'matches':
      return matches(check.column, check.value);
    case 'per-value':
      return ofValue(
        check.column,
        `${value(check.column)} NOT IN (SELECT ${value(check.column)} FROM data WHERE ${value(check.column)} IS NOT NULL
          GROUP BY 1 HAVING count(DISTINCT ${value(check.other)}) <> ${check.count})`,
      );
    case 'unknown':
      throw new RangeError(`${check.name} is not interpreted`);
    default:
      return check satisfies never;
  }
};
