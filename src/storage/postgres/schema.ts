import type { Clock } from '../../core/index.ts';
import { cellTables } from '../row-store.ts';
import { inTransaction, text, wholeNumber, type Sql } from '../sql.ts';
import type { PostgresEngine } from './engine.ts';

/** The schema of a database: the statements that create it in DuckDB, and those that each number adds to the one before. */
export type DatabaseSchema = {
  readonly number: number;
  readonly statements: readonly string[];
  readonly migrations: readonly {
    readonly number: number;
    readonly name: string;
    readonly statements: readonly string[];
  }[];
};

/** The first schema that was stored in PostgreSQL. */
export const oldestShared = 32;

/** A table whose rows belong to an account. */
type AccountTable = {
  /** The column that names the account. */
  readonly account: string;
  readonly ddl: string;
};

const nameOf = (statement: string): string => /^CREATE TABLE (\w+) \(/.exec(statement)?.[1] ?? '';
const accountOf = (statement: string): string | undefined =>
  /\b((?:header_)?account) VARCHAR NOT NULL/.exec(statement)?.[1];

/** The names of all tables. */
export const tablesOf = ({ statements }: Pick<DatabaseSchema, 'statements'>): readonly string[] =>
  statements.map(nameOf).filter((name) => name !== '');

/** The tables whose rows belong to an account, by name. */
export const accountTablesOf = ({
  statements,
}: Pick<DatabaseSchema, 'statements'>): ReadonlyMap<string, AccountTable> =>
  new Map(
    statements.flatMap((ddl) => {
      const account = accountOf(ddl);
      return account === undefined ? [] : [[nameOf(ddl), { account, ddl }]];
    }),
  );

/** Whether a table is too large to be fetched as a whole. */
export const isRowTable = (name: string): boolean =>
  ['call_log', ...cellTables].some((table) => table === name);

const month = 'PARTITION BY RANGE (created_at)';

/** Converts a DuckDB schema statement to PostgreSQL. Partitions `call_log` by month. */
const postgresTable = (statement: string): string => {
  const plain = statement
    .replaceAll(' USING COMPRESSION zstd', '')
    // Texts have the order of their bytes, as in DuckDB, in a database of any locale.
    .replaceAll(/\bVARCHAR\b(?!\[)/g, 'VARCHAR COLLATE "C"');
  return nameOf(statement) === 'call_log' ? `${plain} ${month}` : plain;
};

/** The index of a table whose rows belong to an account. Without it, a query for one account reads all accounts. */
const indexOf = (statement: string): readonly string[] => {
  const [name, account] = [nameOf(statement), accountOf(statement)];
  if (name === 'call_log') return ['CREATE INDEX call_log_time ON call_log (account, created_at)'];
  if (isRowTable(name)) return [`CREATE INDEX ${name}_day ON ${name} (account, zone, start_at)`];
  return name === '' || account === undefined || statement.includes('UNIQUE (account')
    ? []
    : [`CREATE INDEX ${name}_account ON ${name} (${account})`];
};

const inPostgres = (statement: string): readonly string[] => [
  postgresTable(statement),
  ...indexOf(statement),
];

/**
 * The number of changes to the tables of an account. Not a column of `account_lease`: while `send` copies, it locks the
 * row of the number, but must not block the extension of the lease.
 */
const accountVersionTable =
  'CREATE TABLE account_version (account VARCHAR NOT NULL PRIMARY KEY, version BIGINT NOT NULL)';

/**
 * The replicas. From `until` on (ms of the server's clock), a replica counts as gone. `config` has digests of the parts of its
 * configuration as JSON. Unlogged: after a crash of the server, each replica stores its row again.
 */
const replicaTable = `CREATE UNLOGGED TABLE replica (
    holder VARCHAR NOT NULL PRIMARY KEY, version VARCHAR NOT NULL, state VARCHAR NOT NULL, config VARCHAR NOT NULL,
    seen_at BIGINT NOT NULL, until BIGINT NOT NULL
  )`;

/**
 * Statements for databases of an earlier version, which stored the number of changes in `account_lease`. That version can still use
 * the database afterwards.
 */
const laterStatements: readonly { readonly table: string; readonly statements: readonly string[] }[] = [
  {
    table: 'account_version',
    statements: [accountVersionTable, 'ALTER TABLE account_lease ALTER COLUMN version SET DEFAULT 0'],
  },
  { table: 'replica', statements: [replicaTable] },
];

/** The statements that create the schema in PostgreSQL. */
export const postgresStatements = ({ statements }: Pick<DatabaseSchema, 'statements'>): readonly string[] => [
  ...statements.flatMap(inPostgres),
  // Which replica works for an account, and until when (ms of the server's clock).
  `CREATE TABLE account_lease (
    account VARCHAR NOT NULL PRIMARY KEY, holder VARCHAR NOT NULL, token BIGINT NOT NULL, until BIGINT NOT NULL
  )`,
  accountVersionTable,
  replicaTable,
  // Commands for the working replica, and the lines of its answers, in the format of the control socket.
  // Unlogged: a request is needed only while its sender waits, so it need not survive a crash of the server.
  `CREATE UNLOGGED TABLE command_request (
    id VARCHAR NOT NULL PRIMARY KEY, version VARCHAR NOT NULL, command VARCHAR NOT NULL, input VARCHAR NOT NULL,
    seen_at BIGINT NOT NULL, holder VARCHAR
  )`,
  `CREATE UNLOGGED TABLE command_line (
    request VARCHAR NOT NULL REFERENCES command_request ON DELETE CASCADE, nth BIGINT NOT NULL, line VARCHAR NOT NULL,
    PRIMARY KEY (request, nth)
  )`,
  // The bytes of messages, in base64, by the hash of their content.
  'CREATE TABLE mail_file (file VARCHAR COLLATE "C" NOT NULL PRIMARY KEY, bytes VARCHAR NOT NULL)',
];

const recordSchema = async (
  connection: Sql,
  { number, name }: Pick<DatabaseSchema['migrations'][number], 'number' | 'name'>,
  clock: Clock,
  version: string,
): Promise<void> => {
  await connection.execute('INSERT INTO schema_migration VALUES ($number, $name, $at, $version)', {
    number,
    name,
    at: clock.now(),
    version,
  });
};

/** Creates the tables in an empty database. If two replicas do so at once, one waits for the other, then fails. */
export const createSchema = async (
  database: PostgresEngine,
  schema: DatabaseSchema,
  clock: Clock,
  version = 'unknown',
): Promise<void> =>
  database.bulk((connection) =>
    inTransaction(connection, async () => {
      // Created first, so that a second replica waits here and then fails.
      await connection.execute(
        'CREATE TABLE schema_migration (number BIGINT NOT NULL, name VARCHAR NOT NULL, applied_at BIGINT NOT NULL, version VARCHAR)',
      );
      for (const statement of postgresStatements(schema)) await connection.execute(statement);
      await recordSchema(connection, { number: schema.number, name: 'new database' }, clock, version);
    }),
  );

/**
 * Migrates a database to this schema in one transaction. If several replicas do so at once, the others wait, then find nothing
 * pending.
 */
export const migrateSchema = async (
  database: PostgresEngine,
  { migrations }: Pick<DatabaseSchema, 'migrations'>,
  clock: Clock,
  version = 'unknown',
): Promise<void> =>
  database.bulk((connection) =>
    inTransaction(connection, async () => {
      await connection.execute('LOCK TABLE schema_migration IN EXCLUSIVE MODE');
      const [row] = await connection.rows('SELECT max(number) AS number FROM schema_migration');
      const reached = wholeNumber(row ?? {}, 'number');
      for (const migration of migrations.filter(({ number }) => number > reached)) {
        for (const statement of migration.statements.flatMap(inPostgres)) await connection.execute(statement);
        await recordSchema(connection, migration, clock, version);
      }
    }),
  );

/** Adds the tables that a database of an earlier version lacks. */
export const completeSchema = async (database: PostgresEngine): Promise<void> =>
  database.bulk(async (connection) => {
    const missing = await connection.rows(
      'SELECT name FROM unnest($tables) AS name WHERE to_regclass(name) IS NULL',
      { tables: laterStatements.map(({ table }) => table) },
    );
    const names = new Set(missing.map((row) => text(row, 'name')));
    for (const { statements } of laterStatements.filter(({ table }) => names.has(table)))
      await inTransaction(connection, async () => {
        for (const statement of statements) await connection.execute(statement);
      });
  });
