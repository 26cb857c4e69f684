import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Engine } from '../../../src/storage/index.ts';
import type { LogBatch } from '../../../src/warehouse/index.ts';
import { batchOf, columnsNamed, landIn, openSchema, testFolder } from '../support.ts';

const columns = columnsNamed(['created_at', 'model_name', 'token_name', 'prompt_tokens', 'quota'], 'status');

/** The rows of the window with their numbers, marks of the rollup, restatements and landings. */
const stateOf = async (engine: Engine) =>
  engine.bulk(async (connection) => {
    const count = async (table: string): Promise<number> =>
      (await connection.rows(`SELECT 1 FROM ${table}`)).length;
    return {
      rows: await connection.rows(`SELECT rowid, * FROM call_log ORDER BY rowid`),
      marks: await count('rollup_mark'),
      restatements: await count('restatement'),
      landings: await count('log_window'),
    };
  });

type Line = {
  readonly at: number;
  readonly model: string;
  readonly tokens: number;
  readonly quota: string;
  readonly status: string;
};

const line: fc.Arbitrary<Line> = fc.record({
  at: fc.integer({ min: 900, max: 905 }),
  model: fc.constantFrom('a', 'b'),
  tokens: fc.integer({ min: 0, max: 2 }),
  quota: fc.constantFrom('0.1', '0.2', '-0.1'),
  status: fc.constantFrom('ok', 'failed', ''),
});

const textOf = ({ at, model, tokens, quota, status }: Line): string =>
  `${at},${model},key,${tokens},${quota},${status}`;

/** Each changes a row in one column. Only the change of an amount shows in the sums of quarter hours. */
const changes: readonly ((row: Line) => Line)[] = [
  (row) => ({ ...row, at: row.at + 1 }),
  (row) => ({ ...row, model: `${row.model}2` }),
  (row) => ({ ...row, tokens: row.tokens + 1 }),
  (row) => ({ ...row, quota: `${row.quota}1` }),
  (row) => ({ ...row, status: `${row.status}!` }),
];

it('landing a window again changes no row where nothing changed, in any order of the rows, and finds each change', async () => {
  await using folder = await testFolder();
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(...changes),
      async (rows, change) => {
        await using engine = await openSchema(folder, ':memory:');
        const batch = async (lines: readonly Line[]): Promise<LogBatch> =>
          batchOf(folder, lines.map(textOf), { columns });
        const first = await landIn(engine, await batch(rows));
        await engine.bulk(async (connection) => connection.execute('DELETE FROM rollup_mark'));
        const before = await stateOf(engine);

        const again = await landIn(engine, await batch(rows.toReversed()));
        expect(again).toEqual({ ...first, replaced: rows.length, replacedQuota: first.quota });
        expect(await stateOf(engine)).toEqual({ ...before, landings: 2 });

        const [one, ...others] = rows;
        const changed = [...others, ...(one === undefined ? [] : [change(one)])];
        await landIn(engine, await batch(changed));
        const after = await stateOf(engine);
        const found = after.rows.map(
          ({ created_at: at, model_name: model, prompt_tokens: tokens }) => `${at},${model},${tokens}`,
        );
        expect(found.toSorted()).toEqual(
          changed.map(({ at, model, tokens }) => `${at},${model},${tokens}`).toSorted(),
        );
        expect(after.rows).not.toEqual(before.rows);
        expect([after.marks, after.landings]).toEqual([1, 3]);
      },
    ),
    { numRuns: 15 },
  );
});
