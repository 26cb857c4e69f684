import { withFingerprints } from '../../core/index.ts';
import { boundRows, type BoundRows, type Sql } from '../../storage/index.ts';

/**
 * The distinct names of a query, as rows of `place` (in `unique`) and `name`. Answers identify a name by place, since
 * the engine changes invalid text (half a surrogate pair), and a name that looks like a key is stored as its fingerprint.
 */
export const askedNames = (
  connection: Sql,
  names: Iterable<string>,
): { readonly unique: readonly string[]; readonly asked: BoundRows } => {
  const unique = [...new Set(names)];
  const columns = { place: 'BIGINT', name: 'VARCHAR' } as const;
  const asked = boundRows(connection, columns, [...unique.entries()], ([place, name]) => ({
    place,
    name: withFingerprints(name),
  }));
  return { unique, asked };
};
