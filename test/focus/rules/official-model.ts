import { z } from 'zod';
import type { Check, DataSet, RequirementLevel, Rule } from './rule.ts';

/** A model of rules as the FinOps Foundation publishes it. */
const modelSchema = z.object({
  Details: z.object({ FOCUSVersion: z.string().optional(), ModelVersion: z.string() }),
  ModelRules: z.record(
    z.string(),
    z.object({
      Function: z.string(),
      Status: z.string(),
      Type: z.string(),
      EntityType: z.string(),
      DatasetId: z.string().optional(),
      ApplicabilityCriteria: z.array(z.string()).optional(),
      ValidationCriteria: z.object({
        Keyword: z.string(),
        Requirement: z.record(z.string(), z.unknown()),
        Condition: z.record(z.string(), z.unknown()),
      }),
    }),
  ),
});

type Model = z.infer<typeof modelSchema>;
type ModelRule = Model['ModelRules'][string];

/** Why rules of a model are not among those that are checked. */
export type LeftOut = 'withdrawn' | 'composite' | 'dynamic' | 'unsupported' | 'other-data-set';

export type OfficialRules = {
  readonly version: string;
  readonly rules: readonly Rule[];
  readonly leftOut: Readonly<Record<LeftOut, number>>;
};

/**
 * Features of which the specification makes columns depend, and that a gateway has. Presence of a column is asked only for these; what a
 * column must be is asked of each that is there.
 */
const features: ReadonlySet<string> = new Set([
  'ACCOUNT_NAMING_SUPPORTED',
  'TAGGING_SUPPORTED',
  'USAGE_MEASUREMENT_SUPPORTED',
]);

/** Conditions of the models that say the opposite of the text of their rule, as the text has them. */
const conditionsOfText: ReadonlyMap<string, Check> = new Map(
  ['', 'CAU-'].flatMap((prefix): readonly [string, Check][] => [
    [`${prefix}ConsumedQuantity-C-006-C`, { check: 'differs', column: 'ChargeClass', value: 'Correction' }],
    [`${prefix}Tags-C-003-C`, { check: 'differs', column: 'Tags', value: null }],
  ]),
);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const operators = ['<', '<=', '>', '>='] as const;

/** A check of a model; a reference to another rule is none. */
const checkOf = (given: Readonly<Record<string, unknown>>): Check | undefined => {
  const name = textOf(given['CheckFunction']);
  const column = textOf(given['ColumnName'] ?? given['ColumnAName'] ?? '');
  const other = textOf(given['ColumnBName'] ?? '');
  const value = given['Value'];
  const items = () => {
    const of = Array.isArray(given['Items']) ? given['Items'].filter(isRecord) : [];
    return of.flatMap((item) => checkOf(item) ?? []);
  };
  switch (name) {
    case 'CheckModelRule':
      return undefined;
    case 'AND':
      return { check: 'all', of: items() };
    case 'OR':
      return { check: 'any', of: items() };
    case 'ColumnPresent':
      return { check: 'present', column };
    case 'CheckValue':
      return { check: 'equals', column, value: value === null ? null : textOf(value) };
    case 'CheckNotValue':
      // Two rules of 1.2 name the column in another field.
      return {
        check: 'differs',
        column: column === '' ? textOf(given['CheckCondition']) : column,
        value: value === null ? null : textOf(value),
      };
    case 'CheckSameValue':
      return { check: 'same', column, other };
    case 'CheckNotSameValue':
      return { check: 'not-same', column, other };
    case 'CheckColumnComparison': {
      const operator = operators.find((one) => one === given['Comparator']);
      return operator === undefined
        ? { check: 'unknown', name, columns: [column, other] }
        : { check: 'compares', column, operator, other };
    }
    case 'CheckGreaterOrEqualThanValue':
      return { check: 'at-least', column, value: Number(value) };
    case 'CheckLessOrEqualThanValue':
      return { check: 'at-most', column, value: Number(value) };
    case 'TypeString':
      return { check: 'type', column, type: 'text' };
    case 'TypeDecimal':
    case 'CheckDecimalValue':
      return { check: 'type', column, type: 'decimal' };
    case 'TypeDateTime':
      return { check: 'type', column, type: 'time' };
    case 'TypeJSON':
      return { check: 'type', column, type: 'object' };
    case 'FormatString':
      return { check: 'format', column, format: 'text' };
    case 'FormatNumeric':
      return { check: 'format', column, format: 'number' };
    case 'FormatDateTime':
      return { check: 'format', column, format: 'time' };
    case 'FormatCurrency':
      return { check: 'format', column, format: 'currency' };
    case 'FormatKeyValue':
      return { check: 'format', column, format: 'key-value' };
    case 'FormatUnit':
      return { check: 'format', column, format: 'unit' };
    case 'CheckNationalCurrency':
      return { check: 'national-currency', column };
    case 'CheckNoDuplicates':
      return { check: 'unique', column };
    case 'CheckStringEndsWith':
      return { check: 'ends-with', column, value: textOf(value) };
    case 'CheckRegexMatch':
      return { check: 'matches', column, value: textOf(given['Pattern']) };
    case 'CheckDistinctCount':
      return { check: 'per-value', column, other, count: Number(given['ExpectedCount']) };
    default:
      return {
        check: 'unknown',
        name,
        columns: [column, other, textOf(given['ResultColumnName'] ?? '')].filter((one) => one !== ''),
      };
  }
};

/** The requirement levels of RFC 2119, by their words in a model. */
const requirementLevels: Readonly<Record<string, RequirementLevel>> = {
  MUST: 'must',
  'MUST NOT': 'must',
  SHOULD: 'should',
  'SHOULD NOT': 'should',
  RECOMMENDED: 'should',
  MAY: 'may',
};

const referred = (given: unknown): readonly string[] => {
  if (Array.isArray(given)) return given.flatMap(referred);
  if (!isRecord(given)) return [];
  const own = given['CheckFunction'] === 'CheckModelRule' ? [textOf(given['ModelRuleId'])] : [];
  return [...own, ...Object.values(given).flatMap(referred)];
};

const dataSets: readonly DataSet[] = ['CostAndUsage', 'BillingPeriod'];

/** A rule that is part of another one holds where both hold: the conditions of each rule that names it. */
const conditionsOf = (rules: Model['ModelRules']): ((id: string) => readonly Check[]) => {
  const parents = new Map<string, string[]>();
  for (const [id, { ValidationCriteria: criteria }] of Object.entries(rules))
    for (const child of referred(criteria.Requirement))
      parents.set(child, [...(parents.get(child) ?? []), id]);
  const own = (id: string): readonly Check[] => {
    const check = conditionsOfText.get(id) ?? checkOf(rules[id]?.ValidationCriteria.Condition ?? {});
    return check === undefined || check.check === 'unknown' ? [] : [check];
  };
  const all = (id: string): readonly Check[] => [
    ...own(id),
    ...(parents.get(id) ?? []).flatMap((parent) => all(parent)),
  ];
  return all;
};

const whyLeftOut = (rule: ModelRule, dataSet: DataSet | undefined): LeftOut | undefined => {
  if (rule.Status !== 'Active') return 'withdrawn';
  if (dataSet === undefined) return 'other-data-set';
  if (rule.Type === 'Dynamic') return 'dynamic';
  const isOfRules = rule.ValidationCriteria.Requirement['CheckFunction'] === 'CheckModelRule';
  if (rule.Function === 'Composite' || isOfRules) return 'composite';
  const asked = rule.ApplicabilityCriteria ?? [];
  return rule.Function === 'Presence' && !asked.every((feature) => features.has(feature))
    ? 'unsupported'
    : undefined;
};

/** The rules of a model that can be checked, and how many cannot. @throws on a file of another shape */
export const readOfficialModel = (text: string): OfficialRules => {
  const { Details: details, ModelRules: all } = modelSchema.parse(JSON.parse(text));
  const conditions = conditionsOf(all);
  const leftOut = { withdrawn: 0, composite: 0, dynamic: 0, unsupported: 0, 'other-data-set': 0 };
  const rules = Object.entries(all).flatMap(([id, rule]): readonly Rule[] => {
    const { DatasetId: named = 'CostAndUsage', ValidationCriteria: criteria } = rule;
    const dataSet = dataSets.find((name) => name === named);
    const reason = whyLeftOut(rule, dataSet);
    if (reason !== undefined || dataSet === undefined) {
      leftOut[reason ?? 'other-data-set'] += 1;
      return [];
    }
    const of = conditions(id);
    return [
      {
        id,
        dataSet,
        level: requirementLevels[criteria.Keyword] ?? 'must',
        ...(of.length === 0 ? {} : { where: { check: 'all', of } as const }),
        needs: checkOf(criteria.Requirement) ?? { check: 'unknown', name: 'nothing', columns: [] },
      },
    ];
  });
  return { version: details.FOCUSVersion ?? details.ModelVersion, rules, leftOut };
};
