/** A node of a query as DuckDB's own parser serializes it (`json_serialize_sql`). */
export type SqlNode = { readonly [key: string]: unknown };

export const isNode = (value: unknown): value is SqlNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const nodeAt = (node: SqlNode | undefined, key: string): SqlNode | undefined => {
  const value = node?.[key];
  return isNode(value) ? value : undefined;
};

export const nodesAt = (node: SqlNode | undefined, key: string): readonly SqlNode[] => {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
};

export const textAt = (node: SqlNode | undefined, key: string): string => {
  const value = node?.[key];
  return typeof value === 'string' ? value : '';
};

/** The start of a node, in bytes of the query. */
export const placeOf = (node: SqlNode): number => {
  const at = node['query_location'];
  return typeof at === 'number' && at < Number.MAX_SAFE_INTEGER ? at : 0;
};

/** Names of a column reference, its qualifier first. */
export const columnNames = (node: SqlNode): readonly string[] => {
  const names = node['class'] === 'COLUMN_REF' ? node['column_names'] : undefined;
  return Array.isArray(names) ? names.map((name) => String(name).toLowerCase()) : [];
};

export const isColumn = (node: SqlNode, name: string): boolean => columnNames(node).at(-1) === name;

/** The value of a constant, as text; undefined for any other node. */
export const constantOf = (node: SqlNode): string | undefined => {
  if (node['class'] === 'CAST') {
    const child = nodeAt(node, 'child');
    return child === undefined ? undefined : constantOf(child);
  }
  if (node['class'] !== 'CONSTANT') return undefined;
  const value = nodeAt(node, 'value');
  return value?.['is_null'] === true ? 'NULL' : String(value?.['value']);
};

/** A node and its descendants; subqueries only on request. */
export const within = (value: unknown, subqueries: boolean): readonly SqlNode[] => {
  const found: SqlNode[] = [];
  const walk = (part: unknown): void => {
    if (Array.isArray(part)) for (const item of part) walk(item);
    else if (isNode(part) && (subqueries || part['class'] !== 'SUBQUERY')) {
      found.push(part);
      for (const item of Object.values(part)) walk(item);
    }
  };
  walk(value);
  return found;
};

/** Subqueries that give one value, without those inside them: each is gone through once, however deep they nest. */
export const scalarSubqueries = (value: unknown): readonly SqlNode[] => {
  if (Array.isArray(value)) return value.flatMap(scalarSubqueries);
  if (!isNode(value)) return [];
  if (value['class'] === 'SUBQUERY' && value['subquery_type'] === 'SCALAR') return [value];
  return Object.values(value).flatMap(scalarSubqueries);
};

/** Parts of a condition that all must be true. */
export const conjunctsOf = (node: SqlNode | undefined): readonly SqlNode[] => {
  if (node === undefined) return [];
  return node['type'] === 'CONJUNCTION_AND' ? nodesAt(node, 'children').flatMap(conjunctsOf) : [node];
};

/** The constants that a condition compares a column with: `x = 'a'`, `x IN ('a', 'b')`. */
export const constantsFor = (
  condition: SqlNode,
  column: string,
): readonly { readonly value: string; readonly at: number }[] | undefined => {
  const sides =
    condition['type'] === 'COMPARE_EQUAL'
      ? [nodeAt(condition, 'left'), nodeAt(condition, 'right')].filter((side) => side !== undefined)
      : condition['type'] === 'COMPARE_IN'
        ? nodesAt(condition, 'children')
        : [];
  if (!sides.some((side) => isColumn(side, column))) return undefined;
  const values = sides.flatMap((side) => {
    const value = constantOf(side);
    return value === undefined ? [] : [{ value, at: placeOf(side) }];
  });
  return values.length === sides.length - 1 ? values : undefined;
};

/** Equal for equal conditions, whatever their position and the qualifiers of their columns. */
export const canonical = (node: SqlNode): string =>
  JSON.stringify(node, (key: string, value: unknown) => {
    if (key === 'query_location' || key === 'alias') return undefined;
    if (key === 'column_names' && Array.isArray(value)) return [String(value.at(-1)).toLowerCase()];
    return value;
  });
