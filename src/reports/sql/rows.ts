import {
  canonical,
  columnNames,
  constantOf,
  constantsFor,
  isColumn,
  isNode,
  within,
  type SqlNode,
} from './tree.ts';

/** A column of the cube summed over rows, which are identified by their conditions, without those on the period. */
export type Sum = {
  readonly measure: string;
  readonly conditions: ReadonlySet<string>;
  readonly periods: ReadonlySet<string>;
};

const kindCondition = (kinds: readonly string[]): string =>
  `kind IN (${[...new Set(kinds)].toSorted().join(', ')})`;

/** Conditions that exclude no row that the column of the cube counts. */
const idleConditions: Readonly<Record<string, string>> = {
  spend: kindCondition(['consumption', 'refund']),
  calls: kindCondition(['consumption']),
};

/** Whether two sums have the same column and rows of the current period. */
export const isOfSameRows = (one: Sum | undefined, other: Sum | undefined): boolean => {
  if (one === undefined || other === undefined || one.measure !== other.measure) return false;
  const [left, right] = [one, other].map(({ measure, conditions }) =>
    [...conditions]
      .filter((condition) => condition !== idleConditions[measure])
      .toSorted()
      .join('\n'),
  );
  return left === right && [one, other].every(({ periods }) => [...periods].join() === 'current');
};

export const none: ReadonlySet<string> = new Set();

export const mentions = (node: unknown, column: string): boolean =>
  within(node, false).some((part) => isColumn(part, column));

/** Rows of the cube: those that match the conditions, in the named periods. */
export type Rows = { readonly conditions: ReadonlySet<string>; readonly periods: ReadonlySet<string> };

/** Whether a condition is on the period of one table, and that is another one. */
const isOfOther = (condition: SqlNode, qualifier: string | undefined): boolean => {
  const own = within(condition, false)
    .filter((part) => isColumn(part, 'period'))
    .map((part) => columnNames(part).at(-2));
  return qualifier !== undefined && own.every((name) => name !== undefined && name !== qualifier);
};

/** `kind IN (consumption, refund)` for a condition on kinds, whatever its form. */
const conditionText = (condition: SqlNode): string => {
  const kinds = constantsFor(condition, 'kind')?.map(({ value }) => value);
  return kinds === undefined ? canonical(condition) : kindCondition(kinds);
};

/** Joins rows of two tables, or is `ON true`: it is not meant to exclude any. */
const joins = (condition: SqlNode): boolean => {
  if (constantOf(condition) !== undefined) return true;
  const sides = [condition['left'], condition['right']];
  return (
    condition['type'] === 'COMPARE_EQUAL' &&
    sides.every((side) => isNode(side) && side['class'] === 'COLUMN_REF')
  );
};

/** Conditions except those on the period, and the periods that the latter allow for one of the tables, or for all. */
export const rowsWhere = (conditions: readonly SqlNode[], qualifier?: string): Rows => {
  const onPeriod = conditions.filter((condition) => mentions(condition, 'period'));
  const own = onPeriod.filter((condition) => !isOfOther(condition, qualifier));
  const ofPeriod = own.length === 0 ? onPeriod : own;
  return {
    conditions: new Set(
      conditions.filter((one) => !onPeriod.includes(one) && !joins(one)).map(conditionText),
    ),
    periods: new Set(
      ofPeriod.flatMap((condition) => (constantsFor(condition, 'period') ?? []).map(({ value }) => value)),
    ),
  };
};

/** Periods that both allow; those of one when the other is unrestricted. */
const narrowed = (one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> => {
  const both = [...one].filter((period) => other.has(period));
  return both.length > 0 ? new Set(both) : new Set([...one, ...other]);
};

export const together = (...all: readonly Rows[]): Rows => ({
  conditions: new Set(all.flatMap(({ conditions }) => [...conditions])),
  periods: all.map(({ periods }) => periods).reduce(narrowed, none),
});
