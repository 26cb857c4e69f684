import {
  openEngine,
  type EngineOptions,
  text,
  wholeNumber,
  identifier,
  literal,
  type Sql,
} from '../../storage/index.ts';

/** What a database amounts to: two copies with equal facts hold the same data as far as people count it. */
export type DatabaseFacts = {
  /** The number of its schema. */
  readonly schema: number;
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The sum of the charges of each account, as served, archived months included: exact decimals. */
  readonly charges: Readonly<Record<string, string>>;
  /** The journal of keys: its number of entries and the hash of the last one, empty without entries. */
  readonly audit: { readonly entries: number; readonly head: string };
};

const charges = `
  SELECT account, CAST(sum(quota) AS VARCHAR) AS charge FROM (
    SELECT account, quota FROM call_log
    UNION ALL SELECT account, quota FROM call_archive WHERE state = 'sole'
  ) AS charged GROUP BY account HAVING sum(quota) IS NOT NULL ORDER BY account`;

const audit = `
  SELECT count(*) AS entries, coalesce((SELECT hash FROM key_event ORDER BY seq DESC LIMIT 1), '') AS head FROM key_event`;

/** The same in both engines. */
export const readTotals = async (connection: Sql): Promise<Pick<DatabaseFacts, 'charges' | 'audit'>> => {
  const [chain] = await connection.rows(audit);
  return {
    charges: Object.fromEntries(
      (await connection.rows(charges)).map((row) => [text(row, 'account'), text(row, 'charge')]),
    ),
    audit: { entries: wholeNumber(chain, 'entries'), head: text(chain, 'head') },
  };
};

export const readDatabaseFacts = async (connection: Sql): Promise<DatabaseFacts> => {
  const tables = await connection.rows(
    'SELECT table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary ORDER BY table_name',
  );
  const counts = tables.map((row) => {
    const name = text(row, 'table_name');
    return `SELECT ${literal(name)} AS name, count(*) AS rows FROM ${identifier(name)}`;
  });
  const rows = await connection.rows(counts.join(' UNION ALL '));
  const [schema] = await connection.rows('SELECT max(number) AS number FROM schema_migration');
  return {
    schema: wholeNumber(schema, 'number'),
    rows: Object.fromEntries(rows.map((row) => [text(row, 'name'), wholeNumber(row, 'rows')])),
    ...(await readTotals(connection)),
  };
};

/**
 * The facts of a database file that no process has open. Nothing is migrated.
 * @throws faults warehouse-locked, warehouse-unreadable, warehouse-newer
 */
export const factsOfFile = async (
  path: string,
  options: Pick<EngineOptions, 'memoryLimit' | 'spoolDirectory'>,
): Promise<DatabaseFacts> => {
  const engine = await openEngine({ ...options, path, threads: 1 });
  try {
    return await engine.state(readDatabaseFacts);
  } finally {
    await engine[Symbol.asyncDispose]();
  }
};
