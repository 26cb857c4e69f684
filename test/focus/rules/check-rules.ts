import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { checkSql, quoted, type Columns } from './check-sql.ts';
import { columnsOfCheck, isKnown, type DataSet, type Rule } from './rule.ts';

/** What a rule finds in an export. */
export type Finding = {
  readonly rule: Rule;
  readonly outcome:
    | 'holds'
    /** No row is one in which the rule must hold. */
    | 'no-rows'
    /** The data set lacks a column that the rule is about. */
    | 'no-column'
    /** The export lacks the data set. */
    | 'no-data-set'
    /** No function of the interpreter checks it. */
    | 'not-interpreted'
    | 'broken';
  /** In which the rule must hold. */
  readonly rows: number;
  /** In which it does not. */
  readonly broken: number;
};

/** A file of a data set, CSV or Parquet. */
export type DataSetFile = { readonly dataSet: DataSet; readonly path: string };

/** In CSV, nothing is an empty cell without quotes. */
const sourceOf = (path: string): string =>
  path.endsWith('.parquet')
    ? `read_parquet(${quoted(path)})`
    : `read_csv(${quoted(path)}, header = true, all_varchar = true, nullstr = '', allow_quoted_nulls = false,
        delim = ',', quote = '"', escape = '"', strict_mode = true)`;

const columnsOf = async (connection: DuckDBConnection): Promise<Columns> => {
  const reader = await connection.runAndReadAll(
    `SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'data' ORDER BY ordinal_position`,
  );
  return new Map(reader.getRows().map(([name, type]) => [String(name), String(type)]));
};

const checkRule = async (connection: DuckDBConnection, columns: Columns, rule: Rule): Promise<Finding> => {
  const { where, needs } = rule;
  const unchecked = { rule, rows: 0, broken: 0 };
  if (!columnsOfCheck(needs).every((column) => columns.has(column)))
    return { ...unchecked, outcome: 'no-column' };
  if (!isKnown(needs) || (where !== undefined && !isKnown(where)))
    return { ...unchecked, outcome: 'not-interpreted' };
  const condition = where === undefined ? 'true' : checkSql(where, columns);
  const reader = await connection.runAndReadAll(
    `SELECT count(*) FILTER (${condition}), count(*) FILTER (${condition} AND NOT ${checkSql(needs, columns)}) FROM data`,
  );
  const [rows = 0, broken = 0] = (reader.getRows()[0] ?? []).map(Number);
  if (needs.check === 'present')
    return columns.has(needs.column)
      ? { rule, rows, broken: 0, outcome: 'holds' }
      : { rule, rows, broken: rows, outcome: 'broken' };
  if (broken > 0) return { rule, rows, broken, outcome: 'broken' };
  return { rule, rows, broken, outcome: rows === 0 ? 'no-rows' : 'holds' };
};

/** Checks an export against rules, in their order. */
export const checkRules = async (
  files: readonly DataSetFile[],
  rules: readonly Rule[],
): Promise<readonly Finding[]> => {
  const findings = new Map<Rule, Finding>();
  for (const { dataSet, path } of files) {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    try {
      await connection.run(`CREATE TABLE data AS FROM ${sourceOf(path)}`);
      const columns = await columnsOf(connection);
      for (const rule of rules)
        if (rule.dataSet === dataSet) findings.set(rule, await checkRule(connection, columns, rule));
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  }
  return rules.map((rule) => findings.get(rule) ?? { rule, outcome: 'no-data-set', rows: 0, broken: 0 });
};

/** Only rules that must hold fail an export. */
export const isFailed = ({ rule, outcome }: Finding): boolean =>
  outcome === 'broken' && rule.level === 'must';
