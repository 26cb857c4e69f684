import { dimensions, tokenColumns } from '../report-views/cube-columns.ts';

/** The sums of a cell, by column: NULL where no call of the cell has a value. */
export const tokenSums = tokenColumns.map(({ name }) => name);

/** The tables of the rollup. They are derived from the calls: a migration drops and creates them when a column changes. */
export const rollupStatements = [
  // Sums over the calls of a local day, by zone and by what reports group by. `size` is the sum of absolute amounts,
  // `first_at` and `last_at` are the times of the first and last call.
  // BIGINT, since the engine decompresses HUGEINT a hundred times slower.
  `CREATE TABLE rollup_cell (
    account VARCHAR NOT NULL, zone VARCHAR NOT NULL, start_at BIGINT NOT NULL,
    ${dimensions.map((name) => `${name} VARCHAR NOT NULL`).join(', ')},
    row_count BIGINT NOT NULL, first_at BIGINT NOT NULL, last_at BIGINT NOT NULL, quota DECIMAL(38, 12), size DECIMAL(38, 12),
    ${tokenSums.map((name) => `${name} BIGINT`).join(', ')}
  )`,
  // The days that have cells; a day without calls has none.
  `CREATE TABLE rollup_day (
    account VARCHAR NOT NULL, zone VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL
  )`,
  // Ranges whose calls have changed since: no cell of them is read. `model_name`: only the classes of a model's tokens did.
  `CREATE TABLE rollup_mark (
    account VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL, model_name VARCHAR
  )`,
] as const;
