import { callLogColumns } from '../../core/index.ts';
import type { Migration } from '../migrate.ts';
import { replacedRollup } from '../rollup/rollup-schema.ts';

const sqlTypes = {
  time: 'BIGINT NOT NULL',
  text: 'VARCHAR NOT NULL',
  tokens: 'BIGINT',
  count: 'BIGINT',
  amount: 'DECIMAL(28, 12)',
} as const;

/**
 * One row per call, as served. There is no row ID: identical rows are different calls. `served_columns` has a bit for
 * each count of the export that brought the row; it is empty in rows that landed before schema 25. With zstd, `extra`
 * takes half the space and a third less time to write; tables of earlier versions keep their compression.
 */
export const callLogTable = `CREATE TABLE call_log (
  account VARCHAR NOT NULL, quarter BIGINT NOT NULL,
  ${callLogColumns.map(({ name, holds }) => `${name} ${sqlTypes[holds]}`).join(', ')},
  extra VARCHAR USING COMPRESSION zstd, served_columns BIGINT
)` as const;

/** Adds the columns that a schema introduced, and drops the rollup, which has sums of them: it is built again. */
export const columnMigrations = (
  columns: readonly { readonly name: string; readonly holds: 'tokens' | 'count'; readonly since: number }[],
): readonly Migration[] =>
  [...new Set(columns.map(({ since }) => since))].map((number) => {
    const added = columns.filter(({ since }) => since === number);
    return {
      number,
      name: `columns of the call log: ${added.map(({ name }) => name).join(', ')}`,
      statements: [
        ...added.map(({ name, holds }) => `ALTER TABLE call_log ADD COLUMN ${name} ${sqlTypes[holds]}`),
        ...replacedRollup,
      ],
    };
  });
