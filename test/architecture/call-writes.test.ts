import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../src/', import.meta.url));

const writes = /\b(?:INTO|UPDATE|DELETE FROM) call_log\b/g;

/** Positions in a text where SQL writes calls without marking them for the rollup. */
const unmarkedWrites = (name: string, text: string): readonly string[] =>
  [...text.matchAll(writes)].flatMap(({ index }) => {
    const before = text.slice(0, index);
    const called = before.slice(before.lastIndexOf(';') + 1);
    return /\b(?:changeCalls|moveCalls)\(\s*[^()]*$/.test(called) ? [] : [name];
  });

it('every statement that writes calls marks their range for the rollup', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const unmarked = files.flatMap((file) => unmarkedWrites(file, readFileSync(root + file, 'utf8')));
  // The SQL of a landing stands in a file of its own, and is passed to `changeCalls`.
  // What a change marked is sent with it.
  expect(unmarked.toSorted()).toEqual(['storage/postgres/rows/publish.ts', 'warehouse/logs/landing-sql.ts']);
  expect(readFileSync(`${root}warehouse/logs/land-logs.ts`, 'utf8')).toContain(
    'await changeCalls(connection, windowOf(batch), landingSql(',
  );
});

it.each(['UPDATE call_log SET quota = 0', 'DELETE FROM call_log', 'INSERT INTO call_log BY NAME'])(
  'a statement that does not mark the range is found: %s',
  (sql) => {
    expect(unmarkedWrites('planted.ts', `await execute(connection, \`${sql}\`);`)).toEqual(['planted.ts']);
    expect(unmarkedWrites('planted.ts', `await changeCalls(connection, range, \`${sql}\`);`)).toEqual([]);
  },
);
