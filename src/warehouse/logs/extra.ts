import { text, identifier, type Sql } from '../../storage/index.ts';
import type { LogBatch } from './log-batch.ts';

/*
 * `extra` holds the cells of the columns that the schema does not name. It has two forms: JSON, `{"column":"cell"}`, and
 * the cells alone behind the number of their header, all separated by U+001F, a blank cell as U+001E. The second is cheaper to write and
 * takes less space. JSON is what versions before schema 32 wrote, what the archive holds, and what rows have whose cells
 * contain these characters.
 */

/** The table of headers, which schema 32 adds. */
export const extraStatements = [
  // The columns that `extra` holds, by the number with which it begins. Its columns have names that `call_log` has not.
  `CREATE TABLE extra_header (
    header_account VARCHAR NOT NULL, header VARCHAR NOT NULL, names VARCHAR[] NOT NULL, UNIQUE (header_account, header)
  )`,
] as const;

const [separator, blank] = ['chr(31)', 'chr(30)'];

/** Keys of an object must be distinct, regardless of case. */
const uniqueNames = (names: readonly string[]): readonly string[] => {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name === '' ? 'column' : name;
    for (let count = 2; taken.has(unique.toLowerCase()); count += 1) unique = `${name} (${count})`;
    taken.add(unique.toLowerCase());
    return unique;
  });
};

const unnamedOf = ({ columns }: LogBatch) =>
  columns.flatMap(({ name, role }, index) => (role === undefined ? [{ name, index }] : []));

/** The names of the columns that go to `extra`, in the order of their cells. */
const namesOf = (batch: LogBatch): readonly string[] =>
  uniqueNames(unnamedOf(batch).map(({ name }) => name.replaceAll('\0', '\uFFFD')));

/** The value of `extra` for a row of the file; `cell` is SQL for the cell at an index. Needs the binding $header unless it is NULL. */
export const extraSql = (batch: LogBatch, cell: (index: number) => string): string => {
  const cells = unnamedOf(batch).map(({ index }) => cell(index));
  if (cells.length === 0) return 'NULL';
  // The only place where a name from data becomes part of SQL.
  const fields = namesOf(batch).map((name, at) => `${identifier(name)}: ${cells[at] ?? ''}`);
  const needsJson = cells.map((one) => `contains(${one}, ${separator}) OR ${one} = ${blank}`);
  const values = cells.map((one) => `coalesce(${one}, ${blank})`);
  const joined = `concat_ws(${separator}, '', $header, ${values.join(', ')})`;
  return batch.hasSeparators === false
    ? joined
    : `CASE WHEN ${needsJson.join(' OR ')} THEN CAST(to_json({${fields.join(', ')}}) AS VARCHAR) ELSE ${joined} END`;
};

/** The number of the batch's header, stored when it is new; undefined where it has no other columns. In the transaction of the landing. */
export const headerOf = async (connection: Sql, batch: LogBatch): Promise<string | undefined> => {
  const names = namesOf(batch);
  if (names.length === 0) return undefined;
  const { account } = batch;
  const [known] = await connection.rows(
    'SELECT header FROM extra_header WHERE header_account = $account AND names = CAST($names AS VARCHAR[])',
    { account, names },
  );
  if (known !== undefined) return text(known, 'header');
  const [next] = await connection.rows(
    'SELECT CAST(count(*) + 1 AS VARCHAR) AS header FROM extra_header WHERE header_account = $account',
    { account },
  );
  const header = text(next, 'header');
  await connection.execute('INSERT INTO extra_header VALUES ($account, $header, $names)', {
    account,
    header,
    names,
  });
  return header;
};

const ofRow = `header_account = account AND header = split_part(extra, ${separator}, 2)`;

/** The cell of a row of `call_log` in the column whose name is bound as `column`; NULL where it is blank or has none. */
export const extraCellSql = (column: string): string => `CASE WHEN starts_with(extra, ${separator})
  THEN nullif(string_split(extra, ${separator})[2 + nullif(
    (SELECT list_position(names, $${column}) FROM extra_header WHERE ${ofRow}), 0)], ${blank})
  ELSE json_extract_string(extra, '/' || replace(replace($${column}, '~', '~0'), '/', '~1')) END`;

const cellJson = `CASE WHEN pair[2] = ${blank} THEN 'null' ELSE to_json(pair[2]) END`;

/** `call_log` with `extra` as JSON, for FROM: what leaves the database. */
export const callsWithJson = `(SELECT * REPLACE (CASE WHEN starts_with(extra, ${separator}) THEN (
    SELECT '{' || array_to_string(list_transform(list_zip(names, string_split(extra, ${separator})[3:]),
      lambda pair: to_json(pair[1]) || ':' || ${cellJson}), ',') || '}'
    FROM extra_header WHERE ${ofRow}
  ) ELSE extra END AS extra) FROM call_log)`;
