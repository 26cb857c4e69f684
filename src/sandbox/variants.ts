import type { Column } from './admin/csv.ts';
import type { Answer } from './answer-shape.ts';
import type { Request } from './request.ts';
import { answerPoints } from './variants/answers.ts';
import { statisticsPoints, usagePoints } from './variants/figures.ts';
import { keyPoints } from './variants/keys.ts';
import { logPoints } from './variants/log.ts';
import { modelPoints } from './variants/models.ts';
import type { Point } from './variants/point.ts';

/**
 * One variant per point that the contract leaves open; its values are behaviours seen in gateways of the same family
 * (docs/gateway.md; `statement` is the one that leaves the point open).
 */
export const variantTable = {
  ...keyPoints,
  ...answerPoints,
  ...logPoints,
  ...statisticsPoints,
  ...usagePoints,
  ...modelPoints,
};

type Table = typeof variantTable;
export type VariantName = keyof Table;

/** Variants by the names of their values. */
export type Variants = { readonly [Name in VariantName]: Table[Name]['values'][number] };

/** What handlers use: of each variant the datum of the value in force. */
export type Choices = { readonly [Name in VariantName]: Table[Name]['data'][keyof Table[Name]['data']] };

export const variantNames = Object.keys(variantTable) as readonly VariantName[];

const nearest = (wrong: string, known: readonly string[]): string | undefined => {
  const pairs = (text: string): Set<string> => new Set(Array.from(text, (_, at) => text.slice(at, at + 2)));
  const asked = pairs(wrong.toLowerCase().replaceAll('-', '_'));
  const score = (name: string): number => [...pairs(name)].filter((pair) => asked.has(pair)).length;
  return [...known].sort((a, b) => score(b) - score(a)).find((name) => score(name) > 1);
};

/**
 * Validates variants given as text (command line, environment).
 * @throws RangeError naming every unknown variant or value, with the allowed ones.
 */
export const parseVariants = (record: Readonly<Record<string, string>>): Partial<Variants> => {
  const faults: string[] = [];
  for (const [name, value] of Object.entries(record)) {
    const point: Point | undefined = Object.hasOwn(variantTable, name)
      ? variantTable[name as VariantName]
      : undefined;
    if (point === undefined) {
      const near = nearest(name, variantNames);
      faults.push(`unknown variant "${name}"${near === undefined ? '' : `; did you mean "${near}"?`}`);
    } else if (!point.values.includes(value)) {
      faults.push(`variant ${name} cannot be "${value}"; it can be ${point.values.join(', ')}`);
    }
  }
  if (faults.length > 0) throw new RangeError(faults.join('\n'));
  return { ...record };
};

/** Fills in defaults. @throws RangeError as parseVariants does. */
export const withDefaults = (given: Partial<Variants>): Variants => {
  const defaults = Object.fromEntries(variantNames.map((name) => [name, variantTable[name].default]));
  return { ...defaults, ...parseVariants(given) } as Variants;
};

const points = Object.entries<Point>(variantTable) as readonly [VariantName, Point][];

export const choicesOf = (variants: Variants): Choices =>
  Object.fromEntries(points.map(([name, { data }]) => [name, data[variants[name]]])) as Choices;

export const columnsBy = (choices: Choices, columns: readonly Column[]): readonly Column[] =>
  points.reduce((changed, [name, point]) => point.logColumns?.(changed, choices[name]) ?? changed, columns);

/** An answer, changed by the variants. `now`: seconds on the gateway's clock. */
export const answerBy = (
  choices: Choices,
  answer: Answer,
  context: { readonly request: Request; readonly now: number },
): Answer =>
  points.reduce(
    (changed, [name, point]) => point.answer?.(changed, choices[name], context) ?? changed,
    answer,
  );
