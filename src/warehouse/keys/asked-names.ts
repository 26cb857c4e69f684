import type { DuckDBConnection } from '@duckdb/node-api';
import { boundRows } from '../bound-rows.ts';
import type { BoundRows } from '../bound-rows.ts';

/**
 * Names that are asked about at once, each once, as rows of `place` (in `unique`) and `name`. The place tells them apart in
 * answers, since the engine changes what is no text (half a surrogate pair).
 */
export const askedNames = (
  connection: DuckDBConnection,
  names: Iterable<string>,
): { readonly unique: readonly string[]; readonly asked: BoundRows } => {
  const unique = [...new Set(names)];
  const columns = { place: 'BIGINT', name: 'VARCHAR' } as const;
  const asked = boundRows(connection, columns, [...unique.entries()], ([place, name]) => ({ place, name }));
  return { unique, asked };
};
