import type { DuckDBConnection } from '@duckdb/node-api';
import type { UnixMillis } from '../../core/index.ts';
import { readRows, text, wholeNumber } from '../rows.ts';
import { askedNames } from './asked-names.ts';

/** For each name, every ID that an inventory showed under it at or after the moment, lowest first. */
export const readIdsNamed = async (
  connection: DuckDBConnection,
  account: string,
  names: readonly string[],
  since: UnixMillis,
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const { unique, asked } = askedNames(connection, names);
  const rows = await asked.read(
    // A name is shown until the first inventory without it.
    (table) => `SELECT DISTINCT asked.place, key_id
      FROM ${table} AS asked JOIN key_snapshot ON trim(key_snapshot.name) = trim(asked.name)
      WHERE account = $account AND valid_until > $since
      ORDER BY asked.place, key_id`,
    { account, since },
  );
  const ids = unique.map((): number[] => []);
  for (const row of rows) ids[wholeNumber(row, 'place')]?.push(wholeNumber(row, 'key_id'));
  return new Map(unique.map((name, place) => [name, ids[place] ?? []]));
};

/** Every name that an inventory showed for the key at or after the moment, in order of appearance. */
export const readNamesOf = async (
  connection: DuckDBConnection,
  account: string,
  keyId: number,
  since: UnixMillis,
): Promise<readonly string[]> => {
  const rows = await readRows(
    connection,
    `SELECT name FROM key_snapshot
     WHERE account = $account AND key_id = $keyId AND valid_until > $since
     GROUP BY name ORDER BY min(valid_from), name`,
    { account, keyId, since },
  );
  return rows.map((row) => text(row, 'name'));
};
