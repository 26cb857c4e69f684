import { z } from 'zod';
import { comparisonNames, isDate, tagNames, type LocaleTag } from '../../core/index.ts';
import { comparisonFault, periodShape } from './period-shape.ts';
import type { QueryFacts } from '../sql/facts.ts';
import {
  apart,
  budgets,
  changes,
  chart,
  column,
  figures,
  label,
  notes,
  spendQuery,
  sqlFile,
  table,
  text,
  worthALook,
} from './section-shapes.ts';

/** Fields that a template may name in braces. */
export const templateFields = [
  'title',
  'account',
  'team',
  'period',
  'total',
  'before',
  'change',
  'cause',
  'verdict',
  'state',
] as const;

export type TemplateField = (typeof templateFields)[number];

const template = z
  .string()
  .min(1)
  .max(300)
  .superRefine((text, context) => {
    for (const [written, field] of text.matchAll(/\{([^{}]*)\}/g))
      if (!templateFields.some((known) => known === field))
        context.addIssue({
          code: 'custom',
          message: `unknown field ${written}; known are ${templateFields.map((known) => `{${known}}`).join(', ')}`,
        });
  });

const patterns = z.array(z.string().min(1).max(200)).min(1);

/** Name patterns in which `*` matches anything; all given ones must match. */
export const reportFilters = z.strictObject({
  models: patterns.optional().describe('Names of models; * matches any text.'),
  keys: patterns.optional().describe('Names of API keys; * matches any text.'),
  teams: patterns.optional().describe('Names of teams; * matches any text.'),
  tags: z
    .partialRecord(z.enum(tagNames), patterns)
    .optional()
    .describe('Values of tags; * matches any text. Untagged keys match none.'),
});

const date = z.string().refine(isDate, 'must be a date written YYYY-MM-DD');

export const reportShape = z.strictObject({
  title: label.describe('Title of the report.'),
  description: z.string().max(500).optional().describe('What the report shows, for people.'),
  periods: z
    .array(z.enum(['month', 'history']))
    .default([])
    .describe('Periods that the SQL sees in addition to current and comparison.'),
  rests_on: z
    .enum(['calls', 'snapshots'])
    .default('calls')
    .describe('Data that the report needs. A report on snapshots is also shown for a period without calls.'),
  closes: z
    .literal('month')
    .optional()
    .describe(
      'With month, the report is signed if its period is one closed month with complete data, and is otherwise a draft.',
    ),
  parameters: z
    .strictObject({
      period: periodShape(date).optional().describe('Default period of the report.'),
      comparison: z
        .enum(comparisonNames)
        .optional()
        .describe(
          'Default comparison period. `same-weekday` and `7-day-average` are for periods of one day.',
        ),
      filters: reportFilters.optional().describe('Default filters. All that are set must match.'),
    })
    .superRefine(({ period, comparison }, context) => {
      const message = period === undefined ? undefined : comparisonFault(period, comparison)?.message;
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['comparison'], message });
    })
    .prefault({})
    .describe('Defaults for jobs and commands that set none.'),
  subject: template
    .default('{title} · {period} · {total} · {change} · {state} · {verdict}')
    .describe('Subject of the mail: a template with fields in braces.'),
  preheader: template
    .default('{total} · {change} · {cause} · {verdict}')
    .describe('Preview line of the mail: a template with fields in braces.'),
  headline: z
    .strictObject({
      label: label.optional().describe('Label of the figure. Required with sql.'),
      sql: sqlFile.default(spendQuery.file).describe('SQL file that returns one row.'),
      name: column
        .default('spend')
        .describe(
          'Column of the row. NAME_before is the value that it is compared with, if the SQL returns it.',
        ),
      format: z
        .enum(['money', 'integer', 'number', 'tokens', 'percent'])
        .default('money')
        .describe('How the value is written.'),
      good: z
        .enum(['up', 'down'])
        .optional()
        .describe('Direction of a change that is good news. If omitted, changes are neutral.'),
      cause: z
        .strictObject({
          sql: sqlFile.describe('SQL file that returns the candidates.'),
          name: column.describe('Column with the name of a candidate.'),
          value: column.describe('Column with its value; VALUE_before holds the one of the comparison.'),
          empty: label.optional().describe('Name of a candidate without one.'),
          apart: apart.optional().describe('Candidates with a name of their own, in the plural.'),
        })
        .optional()
        .describe('Where to look for the largest cause of the change.'),
    })
    .superRefine(({ label: given, sql }, context) => {
      if (given === undefined && sql !== spendQuery.file)
        context.addIssue({ code: 'custom', message: 'needs a label: what the figure of its sql is' });
    })
    .prefault({})
    .describe('Main figure of the report. Without sql, the spend of the period and of the comparison.'),
  sections: z
    .array(z.discriminatedUnion('kind', [figures, table, chart, text, notes, worthALook, changes, budgets]))
    .min(1)
    .max(24)
    .describe('Sections, in the order shown.'),
});

export type ReportShape = z.infer<typeof reportShape>;
export type SectionShape = ReportShape['sections'][number];

/** A validated report folder: its shape, the text of each SQL file that the shape names, its translations. */
export type ReportDefinition = ReportShape & {
  readonly queries: ReadonlyMap<string, string>;
  readonly translations?: ReadonlyMap<LocaleTag, ReportShape>;
  /** Facts from the text of each query; present if the queries were checked against their tables. */
  readonly facts?: ReadonlyMap<string, QueryFacts>;
};
