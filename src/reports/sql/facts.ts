import {
  columnNames,
  conjunctsOf,
  constantOf,
  constantsFor,
  isColumn,
  isNode,
  nodeAt,
  nodesAt,
  placeOf,
  scalarSubqueries,
  textAt,
  within,
  type SqlNode,
} from './tree.ts';
import { mentions, none, rowsWhere, together, type Rows, type Sum } from './rows.ts';

type Column = {
  /** The column of the cube that it contains, row by row. */
  readonly measure?: string;
  readonly sum?: Sum;
  /** Where it is divided: its sum has no meaning. */
  readonly ratioAt?: number;
};

/** Facts from the text of a query; positions are in bytes. */
export type QueryFacts = {
  readonly columns: ReadonlyMap<string, Column>;
  /** A LIMIT that cuts the rows of the result. */
  readonly limitAt?: number | undefined;
  /** Rows of several periods are added up, or listed as if they belonged to one. */
  readonly mixedAt?: number | undefined;
  /** The result has rows of several periods. */
  readonly listsPeriods: boolean;
  /** Every constant that a period is compared with. */
  readonly periods: readonly { readonly value: string; readonly at: number }[];
  /** The tables that it names, in lower case. */
  readonly tables: ReadonlySet<string>;
};

/** A source of rows in a query: a table, a subquery, a name of WITH. */
type Relation = {
  readonly columns: ReadonlyMap<string, Column>;
  /** Every name is a column of the cube. */
  readonly isCube: boolean;
  /** It contains rows of several periods. */
  readonly open: boolean;
  readonly limitAt?: number | undefined;
  readonly conditions: ReadonlySet<string>;
  readonly periods: ReadonlySet<string>;
};

type Source = { readonly alias: string; readonly relation: Relation };
type Scope = ReadonlyMap<string, Relation>;
type Findings = { mixedAt: number | undefined };

const unknown: Relation = { columns: new Map(), isCube: false, open: false, conditions: none, periods: none };
const cube: Relation = { ...unknown, isCube: true, open: true };
/** The tables that contain calls. */
export const callTables: ReadonlySet<string> = new Set(['cube', 'calls']);

const additive: ReadonlySet<string> = new Set(['sum', 'count', 'count_star', 'sum_no_overflow', 'fsum']);
const deps = /^(avg|mean|median|favg|quantile.*|mad|mode)$/;
const divisions: ReadonlySet<string> = new Set(['/', '//', 'divide', 'fdiv']);
/** Functions that return a value of their first argument, or close to it. */
const wrappers: ReadonlySet<string> = new Set([
  'nullif',
  'ifnull',
  'round',
  'coalesce',
  'trunc',
  'round_even',
]);

const nameOfFunction = (node: SqlNode): string =>
  node['class'] === 'FUNCTION' ? textAt(node, 'function_name').toLowerCase() : '';

/** Adds up or averages: over several periods the result has no meaning. */
const isAggregate = (node: SqlNode): boolean =>
  additive.has(nameOfFunction(node)) || deps.test(nameOfFunction(node));

const otherAggregates =
  /^(any_value|first|last|min|max|(arg_)?(min|max)(_by|_null)?|list|array_agg|string_agg|group_concat|bool_(and|or)|product|histogram|(stddev|var|approx|bit|corr|covar|regr)_?.*)$/;

/** Reduces many rows to one. */
const makesOneRow = (node: SqlNode): boolean =>
  isAggregate(node) ||
  otherAggregates.test(nameOfFunction(node)) ||
  (node['class'] === 'FUNCTION' && isNode(node['filter']));

const limitOf = (node: SqlNode): number | undefined => {
  const modifier = nodesAt(node, 'modifiers').find(({ type }) => String(type).startsWith('LIMIT'));
  const limit = nodeAt(modifier, 'limit');
  return modifier === undefined ? undefined : limit === undefined ? 0 : placeOf(limit);
};

const sourcesOf = (from: SqlNode | undefined, scope: Scope, findings: Findings): readonly Source[] => {
  switch (from?.['type']) {
    case 'BASE_TABLE': {
      const name = textAt(from, 'table_name').toLowerCase();
      const relation = scope.get(name) ?? (callTables.has(name) ? cube : unknown);
      return [{ alias: (textAt(from, 'alias') || name).toLowerCase(), relation }];
    }
    case 'SUBQUERY': {
      const query = nodeAt(nodeAt(from, 'subquery'), 'node');
      const source = {
        alias: textAt(from, 'alias').toLowerCase(),
        relation: relationOf(query, scope, findings),
      };
      return [picksOne(query) ? withoutLimit(source) : source];
    }
    case 'JOIN': {
      const right = sourcesOf(nodeAt(from, 'right'), scope, findings);
      const kept = from['join_type'] === 'LEFT' ? right.map(withoutLimit) : right;
      return [...sourcesOf(nodeAt(from, 'left'), scope, findings), ...kept];
    }
    default:
      return [];
  }
};

/** A subquery with LIMIT 1 selects a row, usually on purpose. */
const picksOne = (node: SqlNode | undefined): boolean =>
  nodesAt(node, 'modifiers').some((modifier) => {
    const limit = nodeAt(modifier, 'limit');
    return limit !== undefined && constantOf(limit) === '1';
  });

const withoutLimit = ({ alias, relation }: Source): Source => ({
  alias,
  relation: { ...relation, limitAt: undefined },
});

const joinConditions = (from: SqlNode | undefined): readonly SqlNode[] => {
  if (from?.['type'] !== 'JOIN') return [];
  return [
    ...conjunctsOf(nodeAt(from, 'condition')),
    ...joinConditions(nodeAt(from, 'left')),
    ...joinConditions(nodeAt(from, 'right')),
  ];
};

const resolve = (node: SqlNode, sources: readonly Source[]): Column => {
  const names = columnNames(node);
  const name = names.at(-1) ?? '';
  const qualifier = names.length > 1 ? names.at(-2) : undefined;
  const candidates = sources.filter(({ alias }) => qualifier === undefined || alias === qualifier);
  for (const { relation } of candidates) {
    const known = relation.columns.get(name);
    if (known !== undefined) return known;
  }
  return candidates.some(({ relation }) => relation.isCube) ? { measure: name } : {};
};

const ratioOf = (node: SqlNode, sources: readonly Source[]): number | undefined => {
  const name = nameOfFunction(node);
  if (node['class'] === 'SUBQUERY' || node['class'] === 'WINDOW') return undefined;
  if (node['class'] === 'COLUMN_REF') return resolve(node, sources).ratioAt;
  if (deps.test(name)) return placeOf(node);
  if (additive.has(name)) return undefined;
  const children = nodesAt(node, 'children');
  const divisor = divisions.has(name) ? children[1] : undefined;
  if (divisor !== undefined && within(divisor, false).some((part) => part['class'] === 'COLUMN_REF'))
    return placeOf(node);
  for (const value of Object.values(node)) {
    const found = (Array.isArray(value) ? value : [value])
      .filter(isNode)
      .map((child) => ratioOf(child, sources))
      .find((at) => at !== undefined);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The rows that a column of one of the tables comes from. */
type RowsOf = (qualifier: string | undefined) => Rows;

const sumOf = (
  node: SqlNode,
  sources: readonly Source[],
  rowsOf: RowsOf,
): Pick<Column, 'measure' | 'sum'> => {
  const name = nameOfFunction(node);
  const [first] = nodesAt(node, 'children');
  if (node['class'] === 'CAST') {
    const child = nodeAt(node, 'child');
    return child === undefined ? {} : sumOf(child, sources, rowsOf);
  }
  if (node['type'] === 'OPERATOR_COALESCE' || wrappers.has(name))
    return first === undefined ? {} : sumOf(first, sources, rowsOf);
  if (node['class'] === 'COLUMN_REF') {
    const { measure, sum } = resolve(node, sources);
    const rows = rowsOf(columnNames(node).at(-2));
    if (sum !== undefined) return { sum: { ...sum, ...together(sum, rows) } };
    return measure === undefined ? {} : { measure };
  }
  if (name !== 'sum' || first === undefined || first['class'] !== 'COLUMN_REF') return {};
  const own = together(rowsOf(columnNames(first).at(-2)), rowsWhere(conjunctsOf(nodeAt(node, 'filter'))));
  const { measure, sum } = resolve(first, sources);
  if (sum !== undefined) return { sum: { ...sum, ...together(sum, own) } };
  return measure === undefined ? {} : { sum: { measure, ...own } };
};

/** Whether a condition selects the rows of one period, or ties the period to another column. */
const closesPeriod = (condition: SqlNode): boolean => {
  if (!mentions(condition, 'period')) return false;
  const values = constantsFor(condition, 'period');
  return values === undefined || values.length === 1;
};

const isByPeriod = (node: SqlNode, items: readonly SqlNode[]): boolean => {
  const groups = nodesAt(node, 'group_expressions');
  const ofPeriod = (item: SqlNode | undefined): boolean => item !== undefined && isColumn(item, 'period');
  if (groups.some((group) => ofPeriod(group) || ofPeriod(items[Number(constantOf(group) ?? 0) - 1])))
    return true;
  return groups.length === 0 && node['aggregate_handling'] === 'FORCE_AGGREGATES' && items.some(ofPeriod);
};

const scopeOf = (node: SqlNode, outer: Scope, findings: Findings): Scope => {
  const scope = new Map(outer);
  for (const entry of nodesAt(nodeAt(node, 'cte_map'), 'map')) {
    const query = nodeAt(nodeAt(nodeAt(entry, 'value'), 'query'), 'node');
    const source = { alias: '', relation: relationOf(query, scope, findings) };
    const { relation } = picksOne(query) ? withoutLimit(source) : source;
    scope.set(textAt(entry, 'key').toLowerCase(), relation);
  }
  return scope;
};

const outputName = (item: SqlNode): string =>
  (textAt(item, 'alias') || (columnNames(item).at(-1) ?? '')).toLowerCase();

const columnsOf = (
  items: readonly SqlNode[],
  sources: readonly Source[],
  rowsOf: RowsOf,
): ReadonlyMap<string, Column> => {
  const columns = new Map<string, Column>();
  for (const item of items) {
    if (item['class'] === 'STAR') {
      for (const { relation } of sources)
        for (const [name, column] of relation.columns) columns.set(name, column);
      continue;
    }
    const ratioAt = ratioOf(item, sources);
    columns.set(outputName(item), {
      ...sumOf(item, sources, rowsOf),
      ...(ratioAt === undefined ? {} : { ratioAt }),
    });
  }
  return columns;
};

const selectOf = (node: SqlNode, outer: Scope, findings: Findings): Relation => {
  const scope = scopeOf(node, outer, findings);
  const from = nodeAt(node, 'from_table');
  const sources = sourcesOf(from, scope, findings);
  const items = nodesAt(node, 'select_list');
  const conditions = [...conjunctsOf(nodeAt(node, 'where_clause')), ...joinConditions(from)];
  for (const part of scalarSubqueries([...items, ...conditions]))
    relationOf(nodeAt(nodeAt(part, 'subquery'), 'node'), scope, findings);

  const open = sources.some(({ relation }) => relation.open) && !conditions.some(closesPeriod);
  const parts = within(items, false);
  const aggregates = parts.filter(isAggregate);
  const isGrouped =
    parts.some(makesOneRow) ||
    nodesAt(node, 'group_expressions').length > 0 ||
    node['aggregate_handling'] === 'FORCE_AGGREGATES';
  const byPeriod = isByPeriod(node, items);
  if (open && isGrouped && !byPeriod) {
    const mixed = aggregates.find((aggregate) => !mentions(aggregate, 'period'));
    if (mixed !== undefined) findings.mixedAt ??= placeOf(mixed);
  }
  const rowsOf: RowsOf = (qualifier) =>
    together(
      rowsWhere(conditions, qualifier),
      ...sources
        .filter(({ alias }) => qualifier === undefined || alias === qualifier)
        .map(({ relation }) => relation),
    );
  const inherited = sources.find(({ relation }) => relation.limitAt !== undefined)?.relation.limitAt;
  const own = limitOf(node);
  const isStar = items.some((item) => item['class'] === 'STAR');
  return {
    columns: columnsOf(items, sources, rowsOf),
    isCube: !isGrouped && isStar && sources.some(({ relation }) => relation.isCube),
    open: open && (!isGrouped || byPeriod),
    limitAt: own ?? inherited,
    ...(isGrouped ? { conditions: none, periods: none } : rowsOf(undefined)),
  };
};

const relationOf = (node: SqlNode | undefined, scope: Scope, findings: Findings): Relation => {
  if (node?.['type'] === 'SELECT_NODE') return selectOf(node, scope, findings);
  if (node?.['type'] !== 'SET_OPERATION_NODE') return unknown;
  const inner = scopeOf(node, scope, findings);
  const [left, right] = [nodeAt(node, 'left'), nodeAt(node, 'right')].map((side) =>
    relationOf(side, inner, findings),
  );
  const columns = new Map(
    [...(left?.columns ?? [])].map(([name, { ratioAt }]) => [name, ratioAt === undefined ? {} : { ratioAt }]),
  );
  return {
    ...unknown,
    columns,
    open: left?.open === true || right?.open === true,
    limitAt: limitOf(node) ?? left?.limitAt ?? right?.limitAt,
  };
};

/** The facts of a serialized query about its result. */
export const factsOf = (tree: unknown): QueryFacts => {
  const statements = isNode(tree) ? nodesAt(tree, 'statements') : [];
  const node = nodeAt(statements[0], 'node');
  const findings: Findings = { mixedAt: undefined };
  const result = relationOf(node, new Map(), findings);
  const parts = within(node, true);
  if (result.open && !result.columns.has('period')) findings.mixedAt ??= 0;
  const { limitAt } = result;
  return {
    columns: result.columns,
    limitAt,
    mixedAt: findings.mixedAt,
    listsPeriods: result.open,
    periods: parts.flatMap((part) => constantsFor(part, 'period') ?? []),
    tables: new Set(
      parts
        .filter((part) => part['type'] === 'BASE_TABLE')
        .map((part) => textAt(part, 'table_name').toLowerCase()),
    ),
  };
};
