import fc from 'fast-check';
import { expect, it } from 'vitest';
import { interval, unixSeconds } from '../../../src/core/index.ts';
import { callsWithJson, extraCellSql } from '../../../src/warehouse/logs/extra.ts';
import type { LogColumn } from '../../../src/warehouse/index.ts';
import { batchOf, columnsNamed, landIn, openSchema, testFolder } from '../support.ts';

const named = columnsNamed(['created_at', 'model_name', 'token_name', 'quota']);

const hostile = [
  '',
  ' ',
  '"',
  `'`,
  ',',
  '\\',
  '/',
  '~',
  '{}',
  'null',
  '\u001e',
  '\u001f',
  '\u001e\u001f1',
  'é数据',
  '\t',
  '$[0]',
];
const word = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'grapheme', maxLength: 6 }));
const long = fc.tuple(word, fc.integer({ min: 1, max: 20_000 })).map(([text, times]) => text.repeat(times));
/** What a CSV reader returns as it is: no NUL, and no line end. */
const plain = (text: string): string => text.replaceAll(/[\0\r\n\u2028\u2029]/g, ' ');
const name = word.map(plain);
const cell = fc.oneof({ weight: 20, arbitrary: word }, { weight: 1, arbitrary: long }).map(plain);

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** The statement of versions before schema 32, frozen: one JSON object a row. */
const jsonBefore = (names: readonly string[]): string => {
  const taken = new Set<string>();
  const fields = names.map((name, index) => {
    let unique = name === '' ? 'column' : name;
    for (let count = 2; taken.has(unique.toLowerCase()); count += 1) unique = `${name} (${count})`;
    taken.add(unique.toLowerCase());
    return `"${unique.replaceAll('"', '""')}": c${index + named.length}`;
  });
  return `CAST(to_json({${fields.join(', ')}}) AS VARCHAR)`;
};

const shapes = fc.integer({ min: 1, max: 5 }).chain((count) =>
  fc.record({
    names: fc.array(name, { minLength: count, maxLength: count }),
    rows: fc.array(fc.array(cell, { minLength: count, maxLength: count }), { minLength: 1, maxLength: 8 }),
  }),
);

it('columns that the schema does not name are read back byte for byte, as before, under hostile names and cells', async () => {
  await using folder = await testFolder();
  await using engine = await openSchema(folder);
  await fc.assert(
    fc.asyncProperty(shapes, async ({ names, rows }) => {
      const lines = rows.map((cells, at) => [`${900 + at},m,k,1`, ...cells.map(quoted)].join(','));
      const columns = [...named, ...names.map((name): LogColumn => ({ name }))];
      const batch = await batchOf(folder, lines, {
        columns,
        hasSeparators: ['\u001E', '\u001F'].some((one) => lines.join('').includes(one)),
        asked: interval(unixSeconds(900), unixSeconds(1800)),
      });
      await landIn(engine, batch);
      await engine.state(async (connection) => {
        await connection.execute('CHECKPOINT');
        const found = await connection.rows(
          `SELECT extra FROM ${callsWithJson} WHERE account = 'main' ORDER BY created_at`,
        );
        const before = await connection.rows(
          `SELECT ${jsonBefore(names)} AS extra FROM read_csv($file, auto_detect = false, header = false, delim = ',',
             quote = '"', escape = '"', new_line = '\\n', columns = {${columns.map((_, index) => `c${index}: 'VARCHAR'`).join(', ')}})
           ORDER BY c0`,
          { file: batch.file },
        );
        expect(found).toEqual(before);
        for (const [at, name] of names.entries()) {
          if (names.indexOf(name) !== at) continue;
          const cells = await connection.rows(
            `SELECT ${extraCellSql('column')} AS cell FROM call_log WHERE account = 'main' ORDER BY created_at`,
            { column: name === '' ? 'column' : name },
          );
          if (name !== '') expect(cells.map((row) => row['cell'] ?? '')).toEqual(rows.map((row) => row[at]));
        }
      });
    }),
    { numRuns: 40 },
  );
});

it('rows of both forms are read alike: JSON of earlier versions, and cells behind the number of their header', async () => {
  await using folder = await testFolder();
  await using engine = await openSchema(folder);
  const columns = [...named, { name: 'status' }, { name: 'a/b~c' }];
  await landIn(engine, await batchOf(folder, ['900,m,k,1,"Error ",x'], { columns }));
  await engine.state(async (connection) => {
    await connection.rows(
      `INSERT INTO call_log BY NAME SELECT * REPLACE (901 AS created_at, '{"status":"Error ","a/b~c":"x"}' AS extra) FROM call_log`,
    );
    for (const column of ['status', 'a/b~c', 'missing']) {
      const cells = await connection.rows(`SELECT DISTINCT ${extraCellSql('column')} AS cell FROM call_log`, {
        column,
      });
      expect(cells, column).toHaveLength(1);
    }
    const forms = await connection.rows(`SELECT DISTINCT extra FROM ${callsWithJson}`);
    expect(forms).toEqual([{ extra: '{"status":"Error ","a/b~c":"x"}' }]);
  });
});
