import type { UnixMillis } from '../../core/index.ts';
import { boundRows, text, wholeNumber, type Sql } from '../../storage/index.ts';
import { askedNames } from './asked-names.ts';

/** What `trim` removes in DuckDB, as from the names of calls; in PostgreSQL it removes the ASCII space alone. */
const spaces =
  '\u0020\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000';

/** For each name, every ID that an inventory showed under it at or after the moment, lowest first. */
export const readIdsNamed = async (
  connection: Sql,
  account: string,
  names: readonly string[],
  since: UnixMillis,
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const { unique, asked } = askedNames(connection, names);
  const rows = await asked.read(
    // A name is shown until the first inventory without it.
    (table) => `SELECT DISTINCT asked.place, key_id
      FROM ${table} AS asked JOIN key_snapshot ON trim(key_snapshot.name, $spaces) = trim(asked.name, $spaces)
      WHERE account = $account AND valid_until > $since
      ORDER BY asked.place, key_id`,
    { account, since, spaces },
  );
  const ids = unique.map((): number[] => []);
  for (const row of rows) ids[wholeNumber(row, 'place')]?.push(wholeNumber(row, 'key_id'));
  return new Map(unique.map((name, place) => [name, ids[place] ?? []]));
};

/** For each key, every name that an inventory showed for it at or after the moment, in order of appearance. */
export const readNamesOf = async (
  connection: Sql,
  account: string,
  keyIds: readonly number[],
  since: UnixMillis,
): Promise<ReadonlyMap<number, readonly string[]>> => {
  const names = new Map([...new Set(keyIds)].map((keyId): [number, string[]] => [keyId, []]));
  const asked = boundRows(connection, { id: 'BIGINT' }, [...names.keys()], (id) => ({ id }));
  const rows = await asked.read(
    (table) => `SELECT key_id, name FROM key_snapshot JOIN ${table} AS asked ON key_id = asked.id
      WHERE account = $account AND valid_until > $since
      GROUP BY key_id, name ORDER BY key_id, min(valid_from), name`,
    { account, since },
  );
  for (const row of rows) names.get(wholeNumber(row, 'key_id'))?.push(text(row, 'name'));
  return names;
};
