import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { localDays } from '../../../src/core/index.ts';
import { type Warehouse } from '../../../src/warehouse/index.ts';
import { isOnPostgres, openWarehouse } from '../../support/postgres-warehouse.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { openIn, optionsIn, testFolder, type TestFolder, openNew } from '../support.ts';
import { day, landCalls, type CountName, type LoggedCall } from './tokens-support.ts';

const rules = { 'in-*': 'includes_cache', 'ex-*': 'excludes_cache' } as const;
const outputRules = { 'in-*': 'includes_reasoning', 'ex-*': 'excludes_reasoning' } as const;

const oneDay = 86_400;
const stated = { prompt_tokens: 100, completion_tokens: 10, cached_tokens: 40, reasoning_tokens: 4 };
const complete = { ...stated, cache_write_tokens: 0 };
const models = ['in-1', 'ex-1', 'open-1'] as const;

const openWithRules = async (folder: TestFolder): Promise<Warehouse> => {
  const warehouse = await openIn(folder);
  await warehouse.tokens.configure('main', rules, outputRules);
  return warehouse;
};

/** Input and output of each model and day: how far their counts are stated, and the counts. */
const statesOf = async (warehouse: Warehouse, by = 'model_name'): Promise<readonly string[]> => {
  const days = localDays('2026-03-01', '2026-04-30', 'UTC');
  const table = await warehouse.readCube(
    { account: 'main', periods: [{ name: 'current', days }] },
    async (query) =>
      query(`SELECT ${by}, input_counts, output_counts, sum(input_tokens), sum(output_tokens)
        FROM cube GROUP BY ALL ORDER BY ALL`),
  );
  return table.rows.map((row) => row.map(String).join(', '));
};

const callsOf = (call: LoggedCall): readonly LoggedCall[] => models.map((model) => ({ ...call, model }));

it('counts without a column are a lower bound, except of a whole that includes the part', async () => {
  const { folder, warehouse } = await openNew(openWithRules);
  await landCalls(warehouse, folder, callsOf(complete), { without: ['cached_tokens', 'reasoning_tokens'] });
  expect(await statesOf(warehouse)).toEqual([
    'ex-1, lower bound, lower bound, 100, 10',
    'in-1, split unknown, split unknown, 100, 10',
    'open-1, lower bound, lower bound, 100, 10',
  ]);
});

it('counts are known where the export had every column', async () => {
  const { folder, warehouse } = await openNew(openWithRules);
  await landCalls(warehouse, folder, callsOf({ ...complete, cached_tokens: 0, reasoning_tokens: 0 }));
  expect(await statesOf(warehouse)).toEqual(
    models.toSorted().map((model) => `${model}, known, known, 100, 10`),
  );
});

it('calls without cache-write tokens are a lower bound where nothing proves that the prompt includes them', async () => {
  const { folder, warehouse } = await openNew(openWithRules);
  await landCalls(warehouse, folder, callsOf(stated), { without: ['cache_write_tokens'] });
  expect(await statesOf(warehouse)).toEqual([
    'ex-1, lower bound, known, 140, 14',
    'in-1, known, known, 100, 10',
    'open-1, lower bound, known, 100, 10',
  ]);
});

it('an empty cell in a served column is none for a call that cannot have such tokens, otherwise unknown', async () => {
  const { folder, warehouse } = await openNew(openWithRules);
  const blank: LoggedCall = { model: 'ex-1', cached_tokens: 0, cache_write_tokens: 0 };
  await landCalls(warehouse, folder, [
    { ...blank, key: 'embedding', prompt_tokens: 50, completion_tokens: 0 },
    { ...blank, key: 'image' },
    { ...blank, key: 'text', prompt_tokens: 50, completion_tokens: 5 },
  ]);
  expect(await statesOf(warehouse, 'token_name')).toEqual([
    'embedding, known, known, 50, 0',
    'image, known, known, null, null',
    'text, known, lower bound, 50, 5',
  ]);
});

it('a call without output is a lower bound of excluded reasoning where the column is not served', async () => {
  const { folder, warehouse } = await openNew(openWithRules);
  const call = {
    model: 'ex-1',
    prompt_tokens: 50,
    completion_tokens: 0,
    cached_tokens: 0,
    cache_write_tokens: 0,
  };
  await landCalls(warehouse, folder, [call], { without: ['reasoning_tokens'] });
  expect(await statesOf(warehouse)).toEqual(['ex-1, known, lower bound, 50, 0']);
});

it('a window that is pulled again has the columns of its last export', async () => {
  const { folder, warehouse } = await openNew(openWithRules);
  await landCalls(warehouse, folder, [{ ...complete, model: 'ex-1' }], { without: ['cached_tokens'] });
  expect(await statesOf(warehouse)).toEqual(['ex-1, lower bound, known, 100, 14']);
  await landCalls(warehouse, folder, [{ ...complete, model: 'ex-1' }]);
  expect(await statesOf(warehouse)).toEqual(['ex-1, known, known, 140, 14']);
});

it.skipIf(isOnPostgres)(
  'a column of rows that landed before columns were stored was served on the days on which it has a value',
  async () => {
    await using folder = await testFolder();
    const without: readonly CountName[] = ['reasoning_tokens'];
    {
      await using warehouse = await openWithRules(folder);
      const embedding = {
        ...complete,
        model: 'ex-1',
        completion_tokens: 0,
        reasoning_tokens: undefined as never,
      };
      await landCalls(warehouse, folder, [embedding, { ...complete, model: 'ex-1' }]);
      const later = { from: day + oneDay, without };
      await landCalls(warehouse, folder, [{ ...embedding, at: day + oneDay }], later);
    }
    const instance = await DuckDBInstance.create(optionsIn(folder).path);
    const connection = await instance.connect();
    await connection.run('UPDATE call_log SET served_columns = NULL');
    connection.closeSync();
    instance.closeSync();
    await using warehouse = await openWithRules(folder);
    expect(await statesOf(warehouse, 'day')).toEqual([
      '2026-03-28, known, known, 280, 14',
      '2026-03-29, known, lower bound, 140, 0',
    ]);
  },
);

it.skipIf(isOnPostgres)('the columns of a window stay with its calls in the archive', async () => {
  await using folder = await testFolder();
  const clock = manualClock(Date.UTC(2026, 5, 1));
  await using warehouse = await openWarehouse({ ...optionsIn(folder), clock });
  await warehouse.tokens.configure('main', rules, outputRules);
  await landCalls(warehouse, folder, [{ ...complete, model: 'ex-1' }], { without: ['cached_tokens'] });
  const later = day + oneDay;
  await landCalls(warehouse, folder, [{ ...complete, model: 'ex-1', at: later }], { from: later });
  const states = await statesOf(warehouse, 'day');
  expect(states).toEqual(['2026-03-28, lower bound, known, 100, 14', '2026-03-29, known, known, 140, 14']);
  expect(await warehouse.archive.run({ account: 'main', settle: 0, retain: 1 })).toMatchObject({ left: 1 });
  expect(await statesOf(warehouse, 'day')).toEqual(states);
  // A landing restores the month in the table.
  const third = day + 2 * oneDay;
  await landCalls(warehouse, folder, [{ ...complete, model: 'ex-1', at: third }], { from: third });
  expect(await statesOf(warehouse, 'day')).toEqual([...states, '2026-03-30, known, known, 140, 14']);
});
