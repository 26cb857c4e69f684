import type { UnixSeconds } from '../../core/index.ts';
import { cellsBySpan, type CellTable } from '../../storage/index.ts';
import { dimensions, tokenColumns } from '../report-views/cube-columns.ts';

/** The sums of a cell, by column: NULL where no call of the cell has a value. */
export const tokenSums = tokenColumns.map(({ name }) => name);

/** The names that the cells of a table are grouped by. */
const namesOf = {
  rollup_model: ['model_name'],
  rollup_key: ['token_name'],
  rollup_pair: ['model_name', 'token_name'],
  rollup_month_pair: ['model_name', 'token_name'],
} as const satisfies Readonly<Record<Exclude<CellTable, HourTable>, readonly string[]>>;

/** The tables of cells with the sums of all tokens. */
export type SumTable = keyof typeof namesOf;

const names: readonly string[] = namesOf.rollup_pair;

/** What the cells of a table are grouped by, besides account, zone and day. */
export const dimensionsOf = (table: SumTable): readonly string[] => {
  const own: readonly string[] = namesOf[table];
  return dimensions.filter((name) => !names.includes(name) || own.includes(name));
};

/** The table with the fewest cells of days that have these columns. */
export const tableWith = (columns: ReadonlySet<string>): SumTable => {
  const asked = names.filter((name) => columns.has(name));
  return (
    cellsBySpan.rollup_day.find((table) => asked.every((name) => dimensionsOf(table).includes(name))) ??
    'rollup_pair'
  );
};

// Sums over the calls of a local day or month, by zone and by what reports group by. `size` is the sum of absolute amounts,
// `first_at` and `last_at` are the times of the first and last call.
// BIGINT, since the engine decompresses HUGEINT a hundred times slower.
const cellsStatement = <T extends SumTable>(table: T) =>
  `CREATE TABLE ${table} (
    account VARCHAR NOT NULL, zone VARCHAR NOT NULL, start_at BIGINT NOT NULL,
    ${dimensionsOf(table)
      .map((name) => `${name} VARCHAR NOT NULL`)
      .join(', ')},
    row_count BIGINT NOT NULL, first_at BIGINT NOT NULL, last_at BIGINT NOT NULL, quota DECIMAL(38, 12), size DECIMAL(38, 12),
    ${tokenSums.map((name) => `${name} BIGINT`).join(', ')}
  )` as const;

/** The tables of the rollup. They are derived from the calls: a migration drops and creates them when a column changes. */
export const rollupStatements = [
  cellsStatement('rollup_model'),
  cellsStatement('rollup_key'),
  cellsStatement('rollup_pair'),
  cellsStatement('rollup_month_pair'),
  // The days that have cells; a day without calls has none.
  `CREATE TABLE rollup_day (
    account VARCHAR NOT NULL, zone VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL
  )`,
  // The whole months that have cells. None has when one of its days has none.
  `CREATE TABLE rollup_month (
    account VARCHAR NOT NULL, zone VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL
  )`,
  // Ranges whose calls have changed since: no cell of them is read. `model_name`: only the classes of a model's tokens did.
  `CREATE TABLE rollup_mark (
    account VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL, model_name VARCHAR
  )`,
] as const;

/** The names that the hours of a table are grouped by. */
export const hourNames = {
  rollup_hour: ['model_name', 'token_name'],
  rollup_hour_model: ['model_name'],
  rollup_hour_key: ['token_name'],
} as const satisfies Readonly<Record<(typeof cellsBySpan.rollup_hours)[number], readonly string[]>>;

export type HourTable = keyof typeof hourNames;

const hoursStatement = <T extends HourTable, C extends string>(table: T, sums: C) =>
  `CREATE TABLE ${table} (
    account VARCHAR NOT NULL, zone VARCHAR NOT NULL, start_at BIGINT NOT NULL, hour_at BIGINT NOT NULL,
    ${hourNames[table].map((name) => `${name} VARCHAR NOT NULL`).join(', ')},
    ${sums}
  )` as const;

export const hourStatements = [
  // Of the last weeks, calls and spend as stored, which is consumption less refunds: a day has 24 times the cells.
  hoursStatement('rollup_hour', 'calls BIGINT NOT NULL, spend DECIMAL(38, 12) NOT NULL'),
  // By one name in doubles: they are judged, never shown, and decimals take three times as long to sum.
  hoursStatement('rollup_hour_model', 'calls BIGINT NOT NULL, spend DOUBLE PRECISION NOT NULL'),
  hoursStatement('rollup_hour_key', 'calls BIGINT NOT NULL, spend DOUBLE PRECISION NOT NULL'),
  // The UTC days whose hours have cells.
  `CREATE TABLE rollup_hours (
    account VARCHAR NOT NULL, zone VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL
  )`,
] as const;

/** A day of the rollup whose cells differ from its calls. */
export type DifferentDay = { readonly zone: string; readonly start: UnixSeconds };

/** Whether no call of a day or month has changed since its cells were built; `span` names the row of its table. */
export const isUnmarked = (span: string): string => `NOT EXISTS (
  FROM rollup_mark AS mark
  WHERE mark.account = ${span}.account AND mark.start_at < ${span}.end_at AND mark.end_at > ${span}.start_at)`;

/** Replaces the rollup of any earlier schema by an empty one. `rollup_cell` is the table of schemas 29 to 32. */
export const replacedRollup: readonly string[] = [
  ...['rollup_cell', ...Object.keys(namesOf), 'rollup_day', 'rollup_month', 'rollup_mark'].map(
    (table) => `DROP TABLE IF EXISTS ${table}`,
  ),
  ...rollupStatements,
];

/** Replaces the hours of an earlier schema by empty tables. */
export const replacedHours: readonly string[] = [
  ...[...Object.keys(hourNames), 'rollup_hours'].map((table) => `DROP TABLE IF EXISTS ${table}`),
  ...hourStatements,
];
