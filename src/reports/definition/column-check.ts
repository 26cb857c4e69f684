import { nearest, type YamlFile, type YamlPath } from '../../core/index.ts';
import { countedClasses } from '../../warehouse/index.ts';
import type { ReportShape, SectionShape } from './definition.ts';
import { type FiguresShape, type Format, type Quotient, fieldsOfSentence } from './section-shapes.ts';
import type { ResultTable } from './port.ts';
import type { ReportFault } from './report-file.ts';

/** A column of an SQL file that report.yaml requires, and the location of the requirement. */
type Wanted = {
  readonly path: YamlPath;
  readonly sql: string;
  readonly column: string;
  /** Whether it must contain exact numbers. */
  readonly figure: boolean;
  /** Part of a sentence, which may be translated. */
  readonly sentence?: boolean;
};

const isFigure = (format: Format | undefined): boolean => format !== 'text' && format !== 'date';

const ofQuotient = (quotient: Quotient, suffixes: readonly string[], path: YamlPath, sql: string): Wanted[] =>
  (['of', 'by'] as const).flatMap((part) =>
    suffixes.map((suffix) => ({ path: [...path, part], sql, column: quotient[part] + suffix, figure: true })),
  );

const ofSentence = (sentence: string, path: YamlPath, sql: string): Wanted[] =>
  fieldsOfSentence(sentence).flatMap(({ column, by, format }) =>
    [column, ...(by === undefined ? [] : [by])].map((name) => ({
      path,
      sql,
      column: name,
      figure: isFigure(format as Format),
      sentence: true,
    })),
  );

const ofFigure = (
  { name, quotient, format, change, notes, lower_bound: bound }: FiguresShape['figures'][number],
  path: YamlPath,
  sql: string,
): Wanted[] => {
  const suffixes = change ? ['', '_before'] : [''];
  const value =
    quotient === undefined
      ? suffixes.map((suffix) => ({
          path: [...path, 'name'],
          sql,
          column: `${name}${suffix}`,
          figure: isFigure(format),
        }))
      : ofQuotient(quotient, suffixes, [...path, 'quotient'], sql);
  const expected = notes.flatMap(({ text, bad }, at): Wanted[] => {
    const place = [...path, 'notes', at];
    return [
      ...ofSentence(text, [...place, 'text'], sql),
      ...(bad === undefined ? [] : [{ path: [...place, 'bad'], sql, column: bad, figure: true }]),
    ];
  });
  const least: Wanted[] =
    bound === undefined ? [] : [{ path: [...path, 'lower_bound'], sql, column: bound, figure: true }];
  return [...value, ...expected, ...least];
};

const ofSection = (section: SectionShape, path: YamlPath): Wanted[] => {
  switch (section.kind) {
    case 'figures':
      return section.figures.flatMap((figure, at) => ofFigure(figure, [...path, 'figures', at], section.sql));
    case 'table': {
      const { sql, day, apart } = section;
      const columns = section.columns.flatMap((column, at): Wanted[] => {
        const place = [...path, 'columns', at];
        const { name, quotient } = column;
        if (quotient !== undefined) return ofQuotient(quotient, [''], [...place, 'quotient'], sql);
        if (name !== undefined)
          return [{ path: [...place, 'name'], sql, column: name, figure: isFigure(column.format) }];
        const change = column.change_of ?? column.difference_of;
        return [
          ...(['share_of', 'change_of', 'difference_of', 'bar_of'] as const).flatMap((key) => {
            const given = column[key];
            return given === undefined ? [] : [{ path: [...place, key], sql, column: given, figure: true }];
          }),
          ...(change === undefined
            ? []
            : [
                {
                  path: [...place, column.change_of === undefined ? 'difference_of' : 'change_of'],
                  sql,
                  column: `${change}_before`,
                  figure: true,
                },
              ]),
        ];
      });
      return [
        ...columns,
        ...(day === undefined ? [] : [{ path: [...path, 'day'], sql, column: day, figure: false }]),
        ...(apart === undefined
          ? []
          : [{ path: [...path, 'apart', 'when'], sql, column: apart.when, figure: false }]),
      ];
    }
    case 'chart':
      return (['x', 'series', 'value'] as const).flatMap((key) => {
        const column = section[key];
        return column === undefined
          ? []
          : [{ path: [...path, key], sql: section.sql, column, figure: key === 'value' }];
      });
    case 'text':
      return section.sql === undefined ? [] : ofSentence(section.text, [...path, 'text'], section.sql);
    case 'worth-a-look':
      return [
        { path: [...path, 'sql'], sql: section.sql, column: 'what', figure: false },
        ...section.items.flatMap(({ text }, at) =>
          ofSentence(text, [...path, 'items', at, 'text'], section.sql),
        ),
      ];
    case 'changes':
      return [
        ...['model_name', 'key_name'].map((column) => ({
          path: [...path, 'sql'],
          sql: section.sql,
          column,
          figure: false,
        })),
        ...['calls', 'charge', 'refunds', ...countedClasses].flatMap((column) =>
          ['', '_before'].map((suffix) => ({
            path: [...path, 'sql'],
            sql: section.sql,
            column: `${column}${suffix}`,
            figure: true,
          })),
        ),
        ...(section.prices === undefined
          ? []
          : [{ path: [...path, 'prices'], sql: section.prices, column: 'model_name', figure: false }]),
        ...(['model_name', 'key_name', 'day', 'excess'] as const).flatMap((column) =>
          section.spikes === undefined
            ? []
            : [{ path: [...path, 'spikes'], sql: section.spikes, column, figure: column === 'excess' }],
        ),
      ];
    case 'budgets':
    case 'notes':
      return [];
    default:
      return section satisfies never;
  }
};

const wantedBy = ({ headline, sections }: ReportShape): Wanted[] => {
  const { sql, name, cause } = headline;
  return [
    { path: ['headline', 'name'], sql, column: name, figure: true },
    ...(cause === undefined
      ? []
      : [
          { path: ['headline', 'cause', 'name'], sql: cause.sql, column: cause.name, figure: false },
          ...['', '_before'].map((suffix) => ({
            path: ['headline', 'cause', 'value'],
            sql: cause.sql,
            column: cause.value + suffix,
            figure: true,
          })),
        ]),
    ...sections.flatMap((section, at) => ofSection(section, ['sections', at])),
  ];
};

const faultOf = (
  { sql, column, figure }: Wanted,
  columns: ResultTable['columns'],
): Pick<ReportFault, 'message' | 'advice'> | undefined => {
  const found = columns.find(({ name }) => name === column);
  if (found === undefined) {
    const names = columns.map(({ name }) => name);
    const meant = nearest(column, names);
    return {
      message: `${sql} gives no column "${column}"; it gives ${names.join(', ')}`,
      ...(meant === undefined ? {} : { advice: `did you mean "${meant}"?` }),
    };
  }
  if (!figure || found.type === 'decimal' || found.type === 'integer') return undefined;
  return {
    message: `column "${column}" of ${sql} holds no exact numbers`,
    advice:
      'cast it to DECIMAL or a whole number (`/` and avg give floats), or leave the division to a quotient',
  };
};

/** Columns that report.yaml requires and its SQL files do not return, each at its location. */
export const columnFaults = (
  { file, yaml }: { readonly file: string; readonly yaml: YamlFile },
  shape: ReportShape,
  given: ReadonlyMap<string, ResultTable['columns']>,
  /** The name of a translation file; only its sentences are checked. */
  texts?: string,
): readonly ReportFault[] => {
  const seen = new Set<string>();
  return wantedBy(shape).flatMap((wanted) => {
    const columns = given.get(wanted.sql);
    const fault = columns === undefined ? undefined : faultOf(wanted, columns);
    if (fault === undefined || (texts !== undefined && wanted.sentence !== true)) return [];
    const place = yaml.positionOf(wanted.path);
    const text = `${place.line}:${place.column} ${fault.message}`;
    if (seen.has(text)) return [];
    seen.add(text);
    return [
      {
        file,
        ...place,
        ...fault,
        ...(texts === undefined ? {} : { message: `in ${texts}: ${fault.message}` }),
      },
    ];
  });
};
