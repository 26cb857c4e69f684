import { tagNames } from '../../core/index.ts';
import { boundRows, text, type Connection } from '../../storage/index.ts';
import { callsRelation } from '../report-views/calls.ts';
import { cubeRelation, ofKey } from '../report-views/cube-columns.ts';
import { declared, type ReportRelation } from '../report-views/relation.ts';
import { cellColumns, type AggregatesPlan } from './aggregates.ts';
import { tagsOf } from './tags.ts';
import { teamOf, type OwnerRules } from './teams.ts';
import type { Timeline } from './timeline.ts';

/** Base tables of the report views. */
export const createTimeTables = async (connection: Connection, timeline: Timeline): Promise<void> => {
  await connection.execute(
    'CREATE TABLE periods_by_day (slot_index INTEGER, period VARCHAR, day DATE, day_number INTEGER, start_seconds BIGINT, end_seconds BIGINT)',
  );
  await connection.execute('CREATE TABLE periods_by_segment (slot_index INTEGER, period VARCHAR)');
  await connection.execute(
    `CREATE TABLE key_owners (token_name VARCHAR, service VARCHAR, team VARCHAR, ${tagNames.map((name) => `${name} VARCHAR`).join(', ')})`,
  );
  const days = boundRows(
    connection,
    {
      slot_index: 'BIGINT',
      period: 'VARCHAR',
      day: 'VARCHAR',
      day_number: 'BIGINT',
      start_seconds: 'BIGINT',
      end_seconds: 'BIGINT',
    },
    timeline.days.flatMap((day) => day.of.map((one) => ({ ...day, ...one }))),
    ({ index, period, date, number, start, end }) => ({
      slot_index: index,
      period,
      day: date,
      day_number: number,
      start_seconds: start,
      end_seconds: end,
    }),
  );
  await days.insert('periods_by_day');
  const ofSegments = new Map(
    timeline.days.flatMap(({ segment, of }) =>
      of.map(({ period }) => [`${segment} ${period}`, { slot_index: segment, period }] as const),
    ),
  );
  const segments = boundRows(
    connection,
    { slot_index: 'BIGINT', period: 'VARCHAR' },
    [...ofSegments.values()],
    (row) => row,
  );
  await segments.insert('periods_by_segment');
  await connection.execute(
    'CREATE VIEW days AS SELECT period, day, day_number, start_seconds, end_seconds FROM periods_by_day',
  );
};

/** Reading a column that no query of these tables announced raises an error instead of returning a wrong sum. */
const notMaterialized = (name: string, type: string): string =>
  `CAST(error('the column ${name} was not materialized') AS ${type}) AS ${name}`;

const viewSql = (
  relation: ReportRelation,
  table: string,
  by: 'day' | 'segment',
  available: ReadonlySet<string>,
): string => {
  const ofDay: ReadonlySet<string> = new Set(by === 'day' ? ['period', 'day', 'day_number'] : ['period']);
  const columns = relation.columns.map(({ name, type }) => {
    if (ofDay.has(name)) return `periods.${name}`;
    if (!available.has(name)) return notMaterialized(name, type);
    return ofKey.has(name) ? `key_owners.${name}` : `available.${name}`;
  });
  const owners = [...ofKey].some((name) => available.has(name))
    ? 'LEFT JOIN key_owners ON key_owners.token_name = available.token_name'
    : '';
  return `CREATE OR REPLACE TEMP VIEW ${relation.name} AS
    SELECT ${columns.join(', ')}
    FROM ${table} AS available JOIN periods_by_${by} AS periods ON periods.slot_index = available.slot_index ${owners}`;
};

/** Defines `cube` as the aggregates of one plan. */
export const cubeView = (table: string, plan: AggregatesPlan): string =>
  viewSql(cubeRelation, table, plan.by, new Set([...plan.dimensions, ...plan.measures]));

export const callsView = (table: string, columns: ReadonlySet<string>): string =>
  viewSql(callsRelation, table, 'day', columns);

export const createAggregates = async (
  connection: Connection,
  table: string,
  plan: AggregatesPlan,
): Promise<void> => {
  const columns = cellColumns(plan).map(({ name, type }) => `${name} ${type}`);
  await connection.execute(`CREATE TABLE ${table} (${columns.join(', ')})`);
};

export const createRelation = async (connection: Connection, relation: ReportRelation): Promise<void> => {
  await connection.execute(`CREATE TABLE ${relation.name} (${declared(relation.columns)})`);
};

/** Adds the services, teams and tags of new keys among these. */
export const addOwners = async (
  connection: Connection,
  { table, column }: { readonly table: string; readonly column: string },
  { teams, tags, serviceOf }: OwnerRules,
): Promise<void> => {
  const rows = await connection.rows(
    `SELECT DISTINCT ${column} AS key FROM ${table} WHERE ${column} NOT IN (SELECT token_name FROM key_owners)`,
  );
  if (rows.length === 0) return;
  const columns = ['token_name', 'service', 'team', ...tagNames];
  const owners = boundRows(
    connection,
    Object.fromEntries(columns.map((name) => [name, 'VARCHAR' as const])),
    rows.map((row) => text(row, 'key')),
    (key) => {
      const service = serviceOf(key);
      return {
        token_name: key,
        service,
        team: teamOf(key, service, teams),
        ...tagsOf(key, service, tags),
      };
    },
  );
  await owners.insert('key_owners');
};
