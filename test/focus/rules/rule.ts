import { parse } from 'yaml';
import { z } from 'zod';
import type { FocusVersion } from '../../../src/core/index.ts';

const dataSets = ['CostAndUsage', 'BillingPeriod'] as const;

/** The data sets that an export has. */
export type DataSet = (typeof dataSets)[number];

const column = z.string();
const other = z.string();

const combined = z.strictObject({
  check: z.enum(['all', 'any']),
  get of() {
    return z.array(checkSchema).readonly();
  },
});

/** What must hold in each row of a data set, or of the data set as a whole. A column that is absent has no value. */
const checkSchema = z.discriminatedUnion('check', [
  combined,
  z.strictObject({ check: z.literal('present'), column }),
  z.strictObject({ check: z.enum(['equals', 'differs']), column, value: z.string().nullable() }),
  z.strictObject({ check: z.enum(['same', 'not-same']), column, other }),
  z.strictObject({ check: z.literal('compares'), column, operator: z.enum(['<', '<=', '>', '>=']), other }),
  z.strictObject({ check: z.enum(['at-least', 'at-most']), column, value: z.number() }),
  z.strictObject({
    check: z.literal('type'),
    column,
    type: z.enum(['text', 'decimal', 'time', 'object']),
  }),
  z.strictObject({
    check: z.literal('format'),
    column,
    format: z.enum(['text', 'number', 'time', 'currency', 'key-value', 'unit']),
  }),
  z.strictObject({ check: z.enum(['national-currency', 'unique']), column }),
  z.strictObject({ check: z.enum(['ends-with', 'matches']), column, value: z.string() }),
  /** Each value of the column has this many values of the other. */
  z.strictObject({ check: z.literal('per-value'), column, other, count: z.int() }),
  /** What is not interpreted here. */
  z.strictObject({ check: z.literal('unknown'), name: z.string(), columns: z.array(z.string()).readonly() }),
]);

export type Check = z.infer<typeof checkSchema>;

/** How binding a rule is, in the terms of RFC 2119. */
export type RequirementLevel = 'must' | 'should' | 'may';

export type Rule = {
  /** As in the specification. */
  readonly id: string;
  readonly dataSet: DataSet;
  readonly level: RequirementLevel;
  /** In which rows it holds; absent: in all. */
  readonly where?: Check | undefined;
  readonly needs: Check;
};

/** A rule of this project, with the ids of the specification by version. */
const ownRule = z.strictObject({
  number: z.int(),
  ids: z.strictObject({ '1.4': z.string().optional(), '1.2': z.string().optional() }),
  dataSet: z.enum(dataSets),
  where: checkSchema.optional(),
  needs: checkSchema,
});

/** The rules of a version, of the text of `rules.yaml`. @throws on a rule of another shape */
export const readOwnRules = (text: string, version: FocusVersion): readonly Rule[] =>
  z
    .array(ownRule)
    .parse(parse(text))
    .flatMap(({ ids, dataSet, where, needs }): readonly Rule[] => {
      const id = ids[version];
      return id === undefined ? [] : [{ id, dataSet, level: 'must', where, needs }];
    });

/** Whether all of a check is interpreted. */
export const isKnown = (check: Check): boolean =>
  check.check === 'all' || check.check === 'any' ? check.of.every(isKnown) : check.check !== 'unknown';

/** The columns whose values a check reads. */
export const columnsOfCheck = (check: Check): readonly string[] => {
  switch (check.check) {
    case 'all':
    case 'any':
      return check.of.flatMap(columnsOfCheck);
    case 'present':
      return [];
    case 'same':
    case 'not-same':
    case 'compares':
    case 'per-value':
      return [check.column, check.other];
    case 'equals':
    case 'differs':
    case 'at-least':
    case 'at-most':
    case 'type':
    case 'format':
    case 'national-currency':
    case 'unique':
    case 'ends-with':
    case 'matches':
      return [check.column];
    case 'unknown':
      return check.columns;
    default:
      return check satisfies never;
  }
};

const formats = {
  text: 'is a text',
  number: 'is a plain decimal number',
  time: 'is a time in UTC to the second',
  currency: 'has three capital letters',
  'key-value': 'is a JSON object of single values',
  unit: 'is a unit, with a capital letter',
} as const;

/** A check in words, such as `PricingUnit has a value`. */
export const describeCheck = (check: Check): string => {
  switch (check.check) {
    case 'all':
      return check.of.map(describeCheck).join(' and ');
    case 'any':
      return check.of.map(describeCheck).join(' or ');
    case 'present':
      return `the column ${check.column} exists`;
    case 'equals':
      return check.value === null ? `${check.column} is empty` : `${check.column} is “${check.value}”`;
    case 'differs':
      return check.value === null ? `${check.column} has a value` : `${check.column} is not “${check.value}”`;
    case 'same':
      return `${check.column} equals ${check.other}`;
    case 'not-same':
      return `${check.column} differs from ${check.other}`;
    case 'compares':
      return `${check.column} ${check.operator} ${check.other}`;
    case 'at-least':
      return `${check.column} is at least ${check.value}`;
    case 'at-most':
      return `${check.column} is at most ${check.value}`;
    case 'type':
      return `${check.column} has the type ${check.type}`;
    case 'format':
      return `${check.column} ${formats[check.format]}`;
    case 'national-currency':
      return `${check.column} is a national currency`;
    case 'unique':
      return `${check.column} has each value once`;
    case 'ends-with':
      return `${check.column} ends with “${check.value}”`;
    case 'matches':
      return `${check.column} matches ${check.value}`;
    case 'per-value':
      return `each ${check.column} has ${check.count} ${check.other}`;
    case 'unknown':
      return check.name;
    default:
      return check satisfies never;
  }
};

export const describeRule = ({ where, needs }: Rule): string =>
  where === undefined ? describeCheck(needs) : `${describeCheck(needs)} where ${describeCheck(where)}`;
