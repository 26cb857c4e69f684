import { dirname } from 'node:path';
import { nearest, parseYaml, type YamlFile, type YamlPath } from '../../core/index.ts';
import type { z } from 'zod';
import { reportShape, type ReportDefinition, type ReportShape } from './definition.ts';
import { spendQuery } from './section-shapes.ts';
import { whyUnreadable, type ReadFile, type ReportFault } from './report-file.ts';
import { columnFaults } from './column-check.ts';
import type { ResultTable } from './port.ts';
import { localeOf } from '../../messages/index.ts';
import { checkSql } from './sql-check.ts';
import { factsOf, type QueryFacts } from '../sql/facts.ts';
import { loadTexts } from './texts.ts';
import { queryWarnings } from '../compose/warnings.ts';

export type LoadedReport = {
  readonly report?: ReportDefinition;
  readonly faults: readonly ReportFault[];
  /** What makes figures of a valid report wrong or misleading. */
  readonly warnings: readonly ReportFault[];
};

type Node = { readonly [key: string]: unknown };

const isNodeOf = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** The keys that the schema allows at a location of the file; of all alternatives if there are several. */
const keysAt = (shape: unknown, path: YamlPath): string[] => {
  if (!isNodeOf(shape)) return [];
  const { options, element, shape: fields, def } = shape;
  if (Array.isArray(options)) return options.flatMap((option) => keysAt(option, path));
  const [key, ...rest] = path;
  if (isNodeOf(fields)) return key === undefined ? Object.keys(fields) : keysAt(fields[key], rest);
  if (isNodeOf(element)) return keysAt(element, rest);
  return isNodeOf(def) ? keysAt(def['innerType'], path) : [];
};

const faultsOf = (issue: z.core.$ZodIssue, file: string, yaml: YamlFile): ReportFault[] => {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const meant = nearest(key, keysAt(reportShape, path));
      const message = `unknown key "${key}"`;
      return {
        file,
        ...yaml.positionOfKey([...path, key]),
        message: meant === undefined ? message : `${message}; did you mean "${meant}"?`,
      };
    });
  }
  const at = { file, ...yaml.positionOf(path) };
  const name = path.at(-1);
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  return [{ ...at, message: isMissing ? `"${name}" is missing` : `${name ?? 'report'}: ${issue.message}` }];
};

/** An SQL file of the report, or `REPORT/FILE.sql` of a report beside it. */
const pathOf = (folder: string, name: string): string =>
  name.includes('/') ? `${dirname(folder)}/${name}` : `${folder}/${name}`;

type Reference = { readonly file: string; readonly path: YamlPath };

const referencesOf = (shape: ReportShape): Reference[] => [
  { file: shape.headline.sql, path: ['headline', 'sql'] },
  ...(shape.headline.cause === undefined
    ? []
    : [{ file: shape.headline.cause.sql, path: ['headline', 'cause', 'sql'] }]),
  ...shape.sections.flatMap((section, index) =>
    'sql' in section && section.sql !== undefined
      ? [{ file: section.sql, path: ['sections', index, 'sql'] }]
      : [],
  ),
  ...shape.sections.flatMap((section, index) =>
    section.kind === 'changes'
      ? (['prices', 'spikes'] as const).flatMap((key) => {
          const file = section[key];
          return file === undefined ? [] : [{ file, path: ['sections', index, key] }];
        })
      : [],
  ),
];

/** Files that the YAML names, as far as recognizable when other parts are invalid. */
const looseReferences = (value: unknown, path: YamlPath = []): Reference[] => {
  if (Array.isArray(value)) return value.flatMap((item, index) => looseReferences(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    (key === 'sql' || key === 'prices' || key === 'spikes') &&
    typeof item === 'string' &&
    /^(?:[\w-]+\/)?[\w-]+\.sql$/.test(item)
      ? [{ file: item, path: [...path, key] }]
      : looseReferences(item, [...path, key]),
  );
};

/** The position of an offset in bytes, as the parser counts. */
const positionIn = (sql: string, at: number): { readonly line: number; readonly column: number } => {
  const lines = Buffer.from(sql).subarray(0, at).toString().split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
};

/** The columns of a query, or the reason why it is invalid. */
type BoundQuery = {
  readonly columns?: ResultTable['columns'] | undefined;
  readonly tree?: unknown;
  readonly fault?: { readonly line?: number; readonly column?: number; readonly message: string } | undefined;
};

/** Checks named queries against the tables that a report may use. */
export type BindQueries = (queries: ReadonlyMap<string, string>) => Promise<ReadonlyMap<string, BoundQuery>>;

type GoodQuery = { readonly columns: ResultTable['columns']; readonly facts: QueryFacts };

/** The columns of each valid SQL file; reports the faults of the others, unless already reported. */
const bound = async (
  folder: string,
  queries: ReadonlyMap<string, string>,
  faults: ReportFault[],
  bind: BindQueries,
): Promise<ReadonlyMap<string, GoodQuery>> => {
  const good = [...queries].filter(([name]) => !faults.some(({ file }) => file === pathOf(folder, name)));
  const given = new Map<string, GoodQuery>();
  for (const [name, { columns, tree, fault }] of await bind(new Map(good))) {
    if (columns !== undefined) given.set(name, { columns, facts: factsOf(tree) });
    if (fault !== undefined)
      faults.push({
        file: pathOf(folder, name),
        line: fault.line ?? 1,
        column: fault.column ?? 1,
        message: fault.message,
      });
  }
  return given;
};

/**
 * Reads a report folder: `report.yaml`, the SQL files that it names, its translations. Finds all faults at once, with
 * positions; `report` is present only when there are none. With `bind`, the SQL is checked against the tables that it
 * names, and report.yaml against the columns of the SQL. Never rejects.
 */
export const loadReport = async (
  folder: string,
  readFile: ReadFile,
  bind?: BindQueries,
): Promise<LoadedReport> => {
  const file = `${folder}/report.yaml`;
  let text: string;
  try {
    text = await readFile(file);
  } catch (error) {
    return {
      faults: [{ file, line: 1, column: 1, message: `report.yaml: ${whyUnreadable(error)}` }],
      warnings: [],
    };
  }
  const yaml = await parseYaml(text);
  if (yaml.faults.length > 0)
    return { faults: yaml.faults.map((fault) => ({ file, ...fault })), warnings: [] };

  const parsed = reportShape.safeParse(yaml.value, { reportInput: true });
  const faults = parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsOf(issue, file, yaml));
  const queries = new Map<string, string>();
  const seen = new Set<string>([spendQuery.file]);
  if (parsed.success && parsed.data.headline.sql === spendQuery.file)
    queries.set(spendQuery.file, spendQuery.sql);
  for (const reference of parsed.success ? referencesOf(parsed.data) : looseReferences(yaml.value)) {
    if (seen.has(reference.file)) continue;
    seen.add(reference.file);
    const path = pathOf(folder, reference.file);
    try {
      const sql = await readFile(path);
      queries.set(reference.file, sql);
      faults.push(...checkSql(sql).map((fault) => ({ file: path, ...fault })));
    } catch (error) {
      const message = `${reference.file}: ${whyUnreadable(error)}`;
      faults.push({ file, ...yaml.positionOf(reference.path), message });
    }
  }
  const good = bind === undefined ? new Map<string, GoodQuery>() : await bound(folder, queries, faults, bind);
  const given = new Map([...good].map(([name, { columns }]) => [name, columns]));
  if (!parsed.success) return { faults, warnings: [] };
  faults.push(...columnFaults({ file, yaml }, parsed.data, given));
  const texts = await loadTexts(folder, { file, yaml }, readFile);
  faults.push(...texts.faults);
  for (const [tag, shape] of texts.translations)
    faults.push(...columnFaults({ file, yaml }, shape, given, `texts.${tag}.yaml`));
  if (faults.length > 0) return { faults, warnings: [] };
  const facts = new Map([...good].map(([name, query]) => [name, query.facts]));
  const warnings = queryWarnings(parsed.data, facts, localeOf('en')).map(({ advice, place }): ReportFault => {
    if ('path' in place) return { file, ...yaml.positionOf(place.path), ...advice };
    // The built-in query has no file and no warnings.
    return {
      file: pathOf(folder, place.sql),
      ...positionIn(queries.get(place.sql) ?? '', place.at),
      ...advice,
    };
  });
  return {
    report: {
      ...parsed.data,
      queries,
      translations: texts.translations,
      ...(bind === undefined ? {} : { facts }),
    },
    faults,
    warnings,
  };
};
