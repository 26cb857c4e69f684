import { callLogColumns, countColumns, tagNames } from '../../core/index.ts';
import { inputClasses, outputClasses, tokenClasses } from '../tokens/class-names.ts';
import { columnsOf, type ReportColumn, type ReportRelation } from './relation.ts';

const countNames: ReadonlySet<string> = new Set(countColumns);

const served = callLogColumns
  .filter(({ name }) => countNames.has(name))
  .map(({ name, meaning }): ReportColumn => ({
    name,
    type: 'HUGEINT',
    description: `${meaning}, as served; NULL where the export does not have it`,
  }));

const classed = (name: string): ReportColumn => ({
  name,
  type: 'HUGEINT',
  description: `class of ${name.startsWith('input') ? 'input' : 'output'} tokens; the known classes total ${name.startsWith('input') ? 'input_tokens' : 'output_tokens'}`,
});

/** Token columns: counts as served, and classes that count each token once. */
export const tokenColumns: readonly ReportColumn[] = [
  ...served,
  { name: 'input_tokens', type: 'HUGEINT', description: 'all tokens of the input, each counted once' },
  ...inputClasses.map(classed),
  { name: 'output_tokens', type: 'HUGEINT', description: 'all tokens of the output, each counted once' },
  ...outputClasses.map(classed),
];

/** How far the tokens of a call are known; they are derived with its classes. */
const countDimensions = ['input_counts', 'output_counts'] as const;

const classNames: ReadonlySet<string> = new Set([...tokenClasses, ...countDimensions]);

/** Whether the column needs the classes of each call, which cost more than summing the served counts. */
export const isClass = (column: string): boolean => classNames.has(column);

/** Columns that are derived from the key name after calls are summed. */
export const ofKey: ReadonlySet<string> = new Set(['service', 'team', ...tagNames]);

const tagTexts = {
  cost_center: 'tag of the key: cost center',
  environment: 'tag of the key: environment',
  product: 'tag of the key: product',
  owner: 'tag of the key: owner',
} as const;

/** The tags of a key, by the most specific pattern in the configuration. */
export const tagColumns: readonly ReportColumn[] = tagNames.map((name) => ({
  name,
  type: 'VARCHAR',
  description: `${tagTexts[name]}; NULL if untagged`,
}));

/** The dimensions of the cube. */
export const dimensions = ['model_name', 'token_name', 'kind', ...countDimensions] as const;

export const cubeRelation: ReportRelation = {
  name: 'cube',
  description:
    'sums over calls, grouped by those of the columns period, day, quarter, model_name, token_name, service, team, kind, input_counts, output_counts and the tags that the query uses; use sum(), because a row is not a call',
  columns: [
    ...columnsOf([
      [
        'period',
        'VARCHAR',
        "'current', 'comparison', and, if report.yaml requests them, 'month' and 'history'",
      ],
      ['day', 'DATE', 'local day in the zone of the job'],
      ['day_number', 'INTEGER', 'days since the first day of the period, from 0'],
      ['quarter', 'BIGINT', 'start of the quarter hour, seconds UTC'],
      ['model_name', 'VARCHAR', 'the gateway’s name of the model'],
      ['token_name', 'VARCHAR', 'name of the API key'],
      [
        'service',
        'VARCHAR',
        'the service that the key belongs to, across rotations; the name of the key if it belongs to no service or to several',
      ],
      [
        'team',
        'VARCHAR',
        'cost owner: the first team with a pattern that matches the key or its service; NULL if unassigned',
      ],
    ]),
    ...tagColumns,
    ...columnsOf([
      [
        'kind',
        'VARCHAR',
        'consumption, refund, top-up, management, system, error, or the gateway’s own label',
      ],
      [
        'input_counts',
        'VARCHAR',
        "how far the export states the input: 'known'; 'split unknown' without the cached tokens that the prompt includes; 'lower bound' where tokens may be missing",
      ],
      [
        'output_counts',
        'VARCHAR',
        "the same of the output: 'split unknown' without the reasoning tokens that the completion includes",
      ],
      ['calls', 'BIGINT', 'calls, charged or free: rows of kind consumption only'],
      ['rows', 'BIGINT', 'rows of the call log of any kind'],
    ]),
    ...tokenColumns,
    ...columnsOf([
      ['spend', 'DECIMAL(38, 12)', 'consumption less refunds, in the currency of the account'],
      ['amount', 'DECIMAL(38, 12)', 'amounts of every kind, with the sign as served'],
    ]),
  ],
};

export const daysRelation: ReportRelation = {
  name: 'days',
  description: 'every day of every requested period, with or without data',
  columns: columnsOf([
    ['period', 'VARCHAR', 'as in cube'],
    ['day', 'DATE', 'local day'],
    ['day_number', 'INTEGER', 'days since the first day of the period, from 0'],
    ['start_seconds', 'BIGINT', 'first second of the day, UTC'],
    ['end_seconds', 'BIGINT', 'first second after it, UTC'],
  ]),
};
