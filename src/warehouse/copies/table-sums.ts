import { text, wholeNumber, type Column, type Sql } from '../../storage/index.ts';
import { readTotals, type DatabaseFacts } from '../backup/database-facts.ts';

/** What the tables of a database hold, computed by its own engine: equal where two databases hold the same rows. */
export type TableSums = Pick<DatabaseFacts, 'charges' | 'audit'> & {
  /** Rows and checksum of each table. */
  readonly tables: Readonly<Record<string, { readonly rows: number; readonly checksum: string }>>;
};

type Relation = { readonly table: string; readonly from: string; readonly columns: readonly Column[] };

/** A number from hexadecimal digits, which engines write in different ways. */
const numberOf = {
  duckdb: (digits: string) => `CAST('0x' || ${digits} AS BIGINT)`,
  postgres: (digits: string) => `CAST(CAST('x' || ${digits} AS bit(60)) AS BIGINT)`,
} as const;

const cellOf = ({ name, type }: Column): string =>
  `coalesce('+' || CAST(${type === 'VARCHAR[]' ? `to_json(${name})` : name} AS VARCHAR), '-') || chr(31)`;

/** The sum over the rows, so that their order has no influence, of the hash of each as text. */
const sumsSql = ({ from, columns }: Relation, engine: keyof typeof numberOf): string => {
  const cells = columns.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map(cellOf);
  return `SELECT count(*) AS row_count,
    coalesce(CAST(sum(${numberOf[engine]('substr(md5(cells), 1, 15)')}) AS VARCHAR), '0') AS checksum
    FROM (SELECT ${cells.join(' || ')} AS cells FROM ${from}) AS one`;
};

export const readSums = async (
  connection: Sql,
  relations: readonly Relation[],
  engine: keyof typeof numberOf,
): Promise<TableSums> => {
  const tables: Record<string, { rows: number; checksum: string }> = {};
  for (const relation of relations) {
    const [row] = await connection.rows(sumsSql(relation, engine));
    tables[relation.table] = { rows: wholeNumber(row, 'row_count'), checksum: text(row, 'checksum') };
  }
  return { tables, ...(await readTotals(connection)) };
};

/** Each difference between a database and its copy, as a sentence. */
export const differencesOf = (original: TableSums, copy: TableSums): readonly string[] => {
  const compare = (name: string, one: unknown, other: unknown): readonly string[] => {
    const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
    return left === right ? [] : [`${name}: ${left} in the original, ${right ?? 'none'} in the copy`];
  };
  return [
    ...Object.entries(original.tables).flatMap(([table, sums]) => compare(table, sums, copy.tables[table])),
    ...compare('charges', original.charges, copy.charges),
    ...compare('audit log', original.audit, copy.audit),
  ];
};
