import { compareMoney, type YamlPath } from '../../core/index.ts';
import { isWithheld, showFigure } from './show-value.ts';
import type { Context } from './context.ts';
import type { ReportShape, SectionShape } from '../definition/definition.ts';
import type { ColumnShape, TableShape, Format } from '../definition/section-shapes.ts';
import type { Advice, Locale } from '../../messages/index.ts';
import { callTables, type QueryFacts } from '../sql/facts.ts';
import { isOfSameRows } from '../sql/rows.ts';

/** A definition that makes a figure of a report wrong or misleading, and what to write instead. */
type ReportWarning = {
  readonly advice: Advice;
  /** In the query, in bytes; or in report.yaml. */
  readonly place: { readonly sql: string; readonly at: number } | { readonly path: YamlPath };
};

type Facts = ReadonlyMap<string, QueryFacts>;

const furtherPeriods: readonly string[] = ['month', 'history'];

const periodWarnings = (
  { periods: declared }: Pick<ReportShape, 'periods'>,
  facts: Facts,
  { messages }: Locale,
): readonly ReportWarning[] => {
  const known = new Set<string>(['current', 'comparison', ...declared]);
  return [...facts].flatMap(([sql, { periods }]) =>
    periods
      .filter(({ value }) => !known.has(value))
      .map(({ value, at }) => ({
        advice: furtherPeriods.includes(value)
          ? messages.reportWarnings.undeclaredPeriod(value, sql)
          : messages.reportWarnings.unknownPeriod(value, sql),
        place: { sql, at },
      })),
  );
};

/** Formats whose figures a total includes. */
const added: ReadonlySet<Format> = new Set<Format>([
  'money',
  'cents',
  'integer',
  'number',
  'exact',
  'tokens',
]);

const isAdded = ({ total }: TableShape, { name, format }: ColumnShape): boolean =>
  total && name !== undefined && format !== undefined && added.has(format);

const tableWarnings = (
  table: TableShape,
  path: YamlPath,
  facts: QueryFacts,
  { messages }: Locale,
): readonly ReportWarning[] => {
  const { title, sql, columns, total } = table;
  const isWhole = total || columns.some(({ share_of: shareOf }) => shareOf !== undefined);
  return [
    ...(facts.limitAt === undefined || !isWhole
      ? []
      : [{ advice: messages.reportWarnings.limit(title, sql), place: { sql, at: facts.limitAt } }]),
    ...(facts.listsPeriods && facts.mixedAt === undefined && isWhole
      ? [{ advice: messages.reportWarnings.mixedPeriods(sql), place: { sql, at: 0 } }]
      : []),
    ...columns.flatMap((column, at) => {
      const name = column.name?.toLowerCase() ?? '';
      if (!isAdded(table, column) || facts.columns.get(name)?.ratioAt === undefined) return [];
      return [
        {
          advice: messages.reportWarnings.ratio(title, column.name ?? '', sql),
          place: { path: [...path, 'columns', at, 'name'] },
        },
      ];
    }),
  ];
};

/** Warnings from the text of the queries alone. */
export const queryWarnings = (
  shape: Pick<ReportShape, 'periods'> & { readonly sections: readonly SectionShape[] },
  facts: Facts,
  locale: Locale,
): readonly ReportWarning[] => [
  ...periodWarnings(shape, facts, locale),
  ...[...facts].flatMap(([sql, { mixedAt }]) =>
    mixedAt === undefined
      ? []
      : [{ advice: locale.messages.reportWarnings.mixedPeriods(sql), place: { sql, at: mixedAt } }],
  ),
  ...shape.sections.flatMap((section, at) => {
    const known = section.kind === 'table' ? facts.get(section.sql) : undefined;
    return section.kind !== 'table' || known === undefined
      ? []
      : tableWarnings(section, ['sections', at], known, locale);
  }),
];

/**
 * Warnings from the data: an empty table, and totals that differ from the headline although they cover the same rows.
 */
export const dataWarnings = (
  headline: ReportShape['headline'],
  sections: readonly SectionShape[],
  facts: Facts,
  hasCalls: boolean,
  context: Context,
): readonly Advice[] => {
  const { reportWarnings } = context.locale.messages;
  const figures = context.table(headline.sql);
  const whole = figures.figure(figures.only(), headline.name);
  const ofHeadline = facts.get(headline.sql)?.columns.get(headline.name.toLowerCase())?.sum;
  return sections.flatMap((section): readonly Advice[] => {
    if (section.kind !== 'table' && section.kind !== 'chart') return [];
    const { title, sql } = section;
    const known = facts.get(sql);
    const table = context.table(sql);
    if (known === undefined) return [];
    if (table.rows.length === 0)
      return hasCalls && [...known.tables].some((name) => callTables.has(name)) && !section.optional
        ? [reportWarnings.noRows(title, sql)]
        : [];
    if (section.kind === 'chart' || known.limitAt !== undefined || known.mixedAt !== undefined) return [];
    const sums = table.sum(table.rows);
    return section.columns.flatMap((column) => {
      const { name = '', format = 'text' } = column;
      if (!isAdded(section, column) || isWithheld(format, context)) return [];
      if (!isOfSameRows(known.columns.get(name.toLowerCase())?.sum, ofHeadline)) return [];
      const sum = table.figure(sums, name);
      if (sum === null || whole === null || compareMoney(sum, whole) === 0) return [];
      const [shown, expected] = [sum, whole].map((value) => showFigure(value, format, context));
      return [
        reportWarnings.sumDiffers(
          title,
          shown ?? '',
          headline.label ?? context.locale.messages.spend,
          expected ?? '',
          sql,
        ),
      ];
    });
  });
};
