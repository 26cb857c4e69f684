import type { Pool } from 'pg';
import { fault, type Fault } from '../../core/index.ts';

/** The range of schema versions that this program supports: the oldest that it can upgrade, and its own. */
export type SchemaRange = { readonly oldest: number; readonly newest: number };

/** What a server and a database on it are like. */
export type ServerFacts = {
  readonly version: string;
  /** `150004` for 15.4. */
  readonly version_number: number;
  readonly encoding: string;
  readonly standby: boolean;
  readonly read_only: boolean;
  /** The PostgreSQL schema for new tables; null if search_path names no existing schema. */
  readonly place: string | null;
  readonly may_create: boolean;
  /** Whether there is a `schema_migration` as Tollkeeper writes it. */
  readonly ours: boolean;
  /** The name of one table in the database, with its schema; null if there is none. */
  readonly table: string | null;
  /** The clock of the server, in milliseconds. */
  readonly now: number;
};

/** One statement, because a pooler may run each on another server process. Ignores tables of extensions. */
const question = `SELECT current_setting('server_version') AS version,
  current_setting('server_version_num')::int AS version_number,
  current_setting('server_encoding') AS encoding,
  pg_is_in_recovery() AS standby,
  current_setting('transaction_read_only') = 'on' AS read_only,
  current_schema()::text AS place,
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create,
  (SELECT count(*) = 4 FROM pg_attribute WHERE attrelid = to_regclass('schema_migration')
    AND attname IN ('number', 'name', 'applied_at', 'version') AND NOT attisdropped) AS ours,
  (SELECT min(format('%s.%s', nspname, relname)) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE relkind IN ('r', 'p', 'f') AND nspname !~ '^pg_' AND nspname <> 'information_schema'
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid
      AND deptype = 'e')) AS table,
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;

export const readFacts = async (pool: Pool): Promise<ServerFacts> => {
  const { rows } = await pool.query<ServerFacts>(question);
  const [facts] = rows;
  if (facts === undefined) throw new RangeError('the server returned no row of facts');
  return facts;
};

/** The schema version of the database; 0 if the database has no tables of Tollkeeper. */
export const readSchema = async (pool: Pool, { ours }: ServerFacts): Promise<number> => {
  if (!ours) return 0;
  const { rows } = await pool.query<{ readonly number: number | null }>(
    'SELECT max(number)::int AS number FROM schema_migration',
  );
  return rows[0]?.number ?? 0;
};

const oldestServer = 13;

const refused = (message: string, advice: string, retryHelps = false): Fault =>
  fault('database-refused', message, { advice, retryHelps });

/** Why the server or the database cannot be used; undefined if it can. Nothing was changed there. */
export const refusalOf = (facts: ServerFacts, where: string): Fault | undefined => {
  if (facts.version_number < oldestServer * 10_000)
    return refused(
      `${where}: the server is PostgreSQL ${facts.version}`,
      `use PostgreSQL ${oldestServer} or later`,
    );
  if (facts.encoding !== 'UTF8')
    return refused(
      `${where}: the database has the encoding ${facts.encoding}`,
      "create another one with `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`, and set its name in the URL",
    );
  if (facts.standby)
    return refused(
      `${where}: the server is a standby, which is read-only`,
      'use the address of the primary; after a failover, wait until the address points to the new primary',
      true,
    );
  if (facts.read_only)
    return refused(
      `${where}: transactions are read-only`,
      'set default_transaction_read_only of the server, the database or the role to off',
      true,
    );
  if (!facts.ours && facts.table !== null)
    return refused(
      `${where}: the database belongs to another product: it has the table ${facts.table}, but no schema_migration of Tollkeeper`,
      'use an empty database that only Tollkeeper uses; this database was not changed',
    );
  if (facts.place === null)
    return refused(
      `${where}: search_path of the role names no schema that exists`,
      'create the schema, or reset search_path of the role',
    );
  return undefined;
};

/** Why this version cannot use the schema version of the database; undefined if it can. */
export const schemaRefusalOf = (
  reached: number,
  { oldest, newest }: SchemaRange,
  facts: ServerFacts,
  where: string,
): Fault | undefined => {
  if (reached > newest)
    return fault('warehouse-newer', `${where} has schema ${reached}; this version supports up to ${newest}`, {
      advice: 'run the version that wrote it or a later one, or restore a backup into an empty database',
    });
  if (reached > 0 && reached < oldest)
    return fault('warehouse-older', `${where} has schema ${reached}; the oldest supported is ${oldest}`, {
      advice: 'upgrade with a version in between, or name an empty database and pull again',
    });
  if (reached < newest && !facts.may_create)
    return refused(
      `${where}: the role may not create tables in the schema ${facts.place ?? ''}`,
      `make the role the owner of the database, or run GRANT CREATE ON SCHEMA ${facts.place ?? 'public'} TO the role`,
    );
  return undefined;
};
