/** The parts of JSON Schema that the project's schemas use. */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
};

/** One key of a file: its path and the cells of its row. */
type Row = {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly default: string;
  readonly description: string;
};

const optionsOf = (schema: JsonSchema): readonly JsonSchema[] => schema.anyOf ?? schema.oneOf ?? [];

/** Text that YAML reads as text without quotes. */
const isPlain = (text: string): boolean =>
  /^([A-Za-z/][\w./-]*|\d+[A-Za-z%]\w*|\d{4}-\d{2}(-\d{2})?|[\w.]+@[\w.]+)$/.test(text) &&
  !/^(true|false|null|yes|no|on|off)$/i.test(text);

const valueOf = (value: unknown): string => {
  const text = typeof value === 'string' && isPlain(value) ? value : JSON.stringify(value);
  return `\`${text.replaceAll('|', '\\|')}\``;
};

const numberType = (name: string, { minimum, maximum, exclusiveMinimum }: JsonSchema): string => {
  // Bounds of the number type itself are no limits that anybody chose.
  const low = minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? undefined : minimum.toString();
  const high = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum.toString();
  const above = exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`;
  if (low !== undefined && high !== undefined) return `${name} from ${low} to ${high}`;
  const parts = [
    low === undefined ? above : `at least ${low}`,
    high === undefined ? undefined : `at most ${high}`,
  ].filter((part) => part !== undefined);
  return [name, ...parts].join(', ');
};

const exampleText = ({ examples = [] }: JsonSchema): string =>
  examples.length === 0 ? '' : `, such as ${valueOf(examples[0])}`;

const recordOf = ({ additionalProperties }: JsonSchema): JsonSchema | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : undefined;

const typeOf = (schema: JsonSchema): string => {
  if (schema.const !== undefined) return valueOf(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(valueOf).join(', ');
  const options = optionsOf(schema);
  if (options.length > 0) return [...new Set(options.map(typeOf))].join('; or ');
  if (Array.isArray(schema.type)) return `${schema.type.join(' or ')}${exampleText(schema)}`;
  switch (schema.type) {
    case 'array':
      return `list of: ${schema.items === undefined ? 'anything' : typeOf(schema.items)}`;
    case 'object':
      return recordOf(schema) === undefined ? 'map' : `map from names to: ${typeOf(recordOf(schema) ?? {})}`;
    case 'integer':
    case 'number':
      return numberType(schema.type, schema);
    default:
      return `${String(schema.type ?? 'anything')}${exampleText(schema)}`;
  }
};

/** The keys below a schema, in their order, each before its own. */
const rowsOf = (schema: JsonSchema, path: string): readonly Row[] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([key, child]) => {
    const own = path === '' ? key : `${path}.${key}`;
    const row = {
      path: own,
      type: typeOf(child),
      required: (schema.required ?? []).includes(key) && child.default === undefined,
      default: child.default === undefined || isEmptyMap(child.default) ? '' : valueOf(child.default),
      description: child.description ?? '',
    };
    return [row, ...rowsOf(child, own)];
  }),
  ...(recordOf(schema) === undefined ? [] : rowsOf(recordOf(schema) ?? {}, `${path}.<name>`)),
  ...(schema.items === undefined ? [] : rowsOf(schema.items, `${path}[]`)),
  ...optionsOf(schema).flatMap((option) => rowsOf(option, path)),
];

/** Of a map that may be left out, the defaults of its keys are shown in its place. */
const isEmptyMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

const cell = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[*<>|[\]]/g, String.raw`\$&`)))
    .join('');

const table = (rows: readonly Row[], shown: (row: Row) => readonly string[] = () => []): string =>
  rows.length === 0
    ? 'No keys of its own.\n'
    : [
        `| key | type | default | description |${shown === none ? '' : ' job kinds |'}`,
        `|---|---|---|---|${shown === none ? '' : '---|'}`,
        ...rows.map((row) =>
          [
            '',
            `\`${row.path}\``,
            row.type,
            row.required ? '**required**' : row.default,
            cell(row.description),
            ...shown(row),
            '',
          ]
            .join(' | ')
            .trim(),
        ),
        '',
      ].join('\n');

const none = (): readonly string[] => [];

const heading =
  'This page is generated from the schema that checks the files. Do not edit it: change the descriptions in the schema, and run `npm run reference`.\n\n' +
  'In key paths, `<name>` stands for a name that you choose, and `[]` for each item of a list. Durations are written `90s`, `10m`, `2h`, `1h30m`, `2d` or `1w`.';

/** The page on tollkeeper.yaml. Pure. */
export const settingsReference = (schema: JsonSchema): string =>
  [
    '# Reference: tollkeeper.yaml',
    heading,
    `See also the keys of [jobs](${['jobs', 'md'].join('.')}) and of [reports](${['report', 'md'].join('.')}).`,
    ...Object.entries(schema.properties ?? {}).map(([key, child]) =>
      [
        `## ${key}`,
        table(rowsOf({ properties: { [key]: child }, required: schema.required ?? [] }, ''), none).trimEnd(),
      ].join('\n\n'),
    ),
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');

type Kind = { readonly name: string; readonly schema: JsonSchema };

const kindsOf = (schema: JsonSchema): readonly Kind[] =>
  optionsOf(recordOf(schema.properties?.['jobs'] ?? {}) ?? {}).map((option) => ({
    name: String(option.properties?.['kind']?.const),
    schema: option,
  }));

const sameRow = (left: Row, right: Row): boolean => JSON.stringify(left) === JSON.stringify(right);

/** The page on jobs: the keys that every kind has once, and the others below their kind. Pure. */
export const jobsReference = (schema: JsonSchema): string => {
  const kinds = kindsOf(schema).map((kind) => ({ ...kind, rows: rowsOf(kind.schema, '') }));
  const has = (kind: (typeof kinds)[number], path: string): boolean =>
    kind.rows.some((row) => row.path === path);
  const isCommon = (row: Row): boolean => row.path !== 'kind' && kinds.every((kind) => has(kind, row.path));
  const distinct = kinds
    .flatMap(({ rows }) => rows.filter(isCommon))
    .filter((row, index, all) => all.findIndex((other) => sameRow(row, other)) === index);
  const order = distinct.map(({ path }) => path);
  const common = distinct.toSorted((left, right) => order.indexOf(left.path) - order.indexOf(right.path));
  const kindsWith = (row: Row): readonly string[] => {
    const names = kinds
      .filter(({ rows }) => rows.some((other) => sameRow(row, other)))
      .map(({ name }) => name);
    return [names.length === kinds.length ? 'all' : names.map((name) => `\`${name}\``).join(', ')];
  };
  return [
    '# Reference: jobs',
    heading,
    'Jobs are declared under `jobs:` in the files of `config/jobs/`, each under its name. The paths on this page start below that name. Every job has a `kind`.',
    table(
      kinds.map(({ name, schema: { description = '' } }) => ({
        path: `kind: ${name}`,
        type: `[own keys](#${name})`,
        required: false,
        default: '',
        description,
      })),
      none,
    )
      .replace(
        '| key | type | default | description |\n|---|---|---|---|',
        '| kind | keys | purpose |\n|---|---|---|',
      )
      .replaceAll(' |  | ', ' | ')
      .trimEnd(),
    '## Keys of every kind',
    table(common, kindsWith).trimEnd(),
    ...kinds.map(({ name, schema: { description = '' }, rows }) =>
      [
        `## ${name}`,
        cell(description),
        table(
          rows.filter((row) => row.path !== 'kind' && !isCommon(row)),
          none,
        ).trimEnd(),
      ].join('\n\n'),
    ),
  ]
    .join('\n\n')
    .concat('\n');
};

/** The page on report.yaml: the keys of the report, and the keys of each kind of section. Pure. */
export const reportReference = (schema: JsonSchema): string => {
  const { sections = {}, ...others } = schema.properties ?? {};
  return [
    '# Reference: report.yaml',
    heading,
    'A report is a folder with a `report.yaml` and the SQL files that it names. `tollkeeper reports new NAME` writes one to start from.',
    '## The report',
    table(
      [
        ...rowsOf({ ...schema, properties: others }, ''),
        ...rowsOf(
          {
            properties: { sections: { ...sections, items: { type: 'object' } } },
            required: schema.required ?? [],
          },
          '',
        ),
      ],
      none,
    ).trimEnd(),
    ...optionsOf(sections.items ?? {}).map((section) =>
      [
        `## Section: ${String(section.properties?.['kind']?.const)}`,
        ...(section.description === undefined ? [] : [cell(section.description)]),
        table(rowsOf(section, 'sections[]'), none).trimEnd(),
      ].join('\n\n'),
    ),
  ]
    .join('\n\n')
    .concat('\n');
};

type View = {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly description: string }[];
};

/** The page that `tollkeeper schema` prints as text. */
export const viewsReference = (views: readonly View[]): string =>
  [
    '# Views',
    '',
    'The SQL of reports and `tollkeeper query` read these views. `tollkeeper schema` prints them.',
    ...views.flatMap(({ name, description, columns }) => [
      '',
      `## ${name}`,
      '',
      description,
      '',
      '| column | type | meaning |',
      '|---|---|---|',
      ...columns.map(
        (column) => `| \`${column.name}\` | ${column.type} | ${column.description.replaceAll('|', '\\|')} |`,
      ),
    ]),
    '',
  ].join('\n');

type Metric = {
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly most: number;
};

/** The page of the metrics that `/metrics` shows. */
export const metricsReference = (metrics: Readonly<Record<string, Metric>>): string =>
  [
    '# Metrics',
    '',
    '`/metrics` of the daemon shows these metrics if `metrics.enabled` is set; docs/operations.md describes how to scrape them.',
    'Times are in seconds, sizes in bytes, and ratios from 0 to 1. The last column is the number of label sets that a metric shows at most.',
    '',
    '| metric | type | labels | meaning | at most |',
    '|---|---|---|---|---|',
    ...Object.entries(metrics).map(
      ([name, { type, help, labels, most }]) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} | ${labels.length === 0 ? 1 : most} |`,
    ),
    '',
  ].join('\n');

type ShownCommand = {
  readonly name: string;
  readonly takes?: string;
  readonly summary: string;
  readonly docs?: string;
};

/** The commands with their arguments and summaries, as a table with links to the documentation. */
export const commandsTable = (commands: readonly ShownCommand[]): string =>
  [
    '| command | does |',
    '|---|---|',
    ...commands.map(({ name, takes, summary, docs }) => {
      const usage = takes === undefined ? name : `${name} ${takes}`;
      return `| \`${usage}\` | ${summary.replaceAll('|', '\\|')}${docs === undefined ? '' : ` [More](${docs})`} |`;
    }),
    '',
  ].join('\n');
