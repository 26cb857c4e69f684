import { tokenRoles } from '../logs/log-batch.ts';
import { inputClasses, outputClasses, tokenClasses } from '../tokens/class-names.ts';
import { columnsOf } from './relation.ts';
import type { ReportColumn, ReportRelation } from './relation.ts';

const served = (name: string): ReportColumn => ({
  name,
  type: 'HUGEINT',
  description: `${name.replace('_tokens', '').replaceAll('_', ' ')} tokens as the gateway tells them; NULL where it does not`,
});

const classed = (name: string): ReportColumn => ({
  name,
  type: 'HUGEINT',
  description: `class of ${name.startsWith('input') ? 'input' : 'output'} tokens; the classes that are known add up to ${name.startsWith('input') ? 'input_tokens' : 'output_tokens'}`,
});

/** Columns that count tokens: as served, and in classes that count each token once. */
export const tokenColumns: readonly ReportColumn[] = [
  ...tokenRoles.map(served),
  { name: 'input_tokens', type: 'HUGEINT', description: 'all tokens of the input, each counted once' },
  ...inputClasses.map(classed),
  { name: 'output_tokens', type: 'HUGEINT', description: 'all tokens of the output, each counted once' },
  ...outputClasses.map(classed),
];

const classNames: ReadonlySet<string> = new Set(tokenClasses);

/** Whether it takes a look at each call’s classes, which costs more than adding up what was served. */
export const isClass = (column: string): boolean => classNames.has(column);

/** What is told from the name of the key once calls are summed. */
export const ofKey: ReadonlySet<string> = new Set(['service', 'team']);

/** What the cube is summed by. */
export const dimensions = ['model_name', 'token_name', 'kind'] as const;

export const cubeRelation: ReportRelation = {
  name: 'cube',
  description:
    'sums over calls, by the columns that the query names among period, day, quarter, model_name, token_name, service, team and kind; use sum(), for a row is no call',
  columns: [
    ...columnsOf([
      [
        'period',
        'VARCHAR',
        "'current', 'comparison', and where report.yaml asks for them 'month', 'history'",
      ],
      ['day', 'DATE', 'local day in the zone of the job'],
      ['day_number', 'INTEGER', 'days since the first of the period, from 0'],
      ['quarter', 'BIGINT', 'start of the quarter hour, seconds UTC'],
      ['model_name', 'VARCHAR', 'as the gateway names it'],
      ['token_name', 'VARCHAR', 'name of the API key'],
      [
        'service',
        'VARCHAR',
        'the service whose key it is, through all its rotations; the name of the key where no line of keys knows it, or several do',
      ],
      [
        'team',
        'VARCHAR',
        'who pays: the first team with a pattern that matches the key or its service; NULL is unassigned',
      ],
      ['kind', 'VARCHAR', 'consumption, refund, top-up, management, system, error or as served'],
      ['calls', 'BIGINT', 'calls that were charged for or free: rows of the kind consumption alone'],
      ['rows', 'BIGINT', 'rows of the call log, of every kind'],
    ]),
    ...tokenColumns,
    ...columnsOf([
      ['spend', 'DECIMAL(38, 12)', 'consumption less refunds, in the currency of the account'],
      ['amount', 'DECIMAL(38, 12)', 'amounts of every kind, with the sign they were served with'],
    ]),
  ],
};

export const daysRelation: ReportRelation = {
  name: 'days',
  description: 'every day of every period asked for, with data or without',
  columns: columnsOf([
    ['period', 'VARCHAR', 'as in cube'],
    ['day', 'DATE', 'local day'],
    ['day_number', 'INTEGER', 'days since the first of the period, from 0'],
    ['start_seconds', 'BIGINT', 'first second of the day, UTC'],
    ['end_seconds', 'BIGINT', 'first second after it, UTC'],
  ]),
};
