import { expect, it } from 'vitest';
import { localDays } from '../../../src/core/index.ts';
import { type Warehouse } from '../../../src/warehouse/index.ts';
import { inDatabase, isOnPostgres, openWarehouse } from '../../support/postgres-warehouse.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { optionsIn, testFolder, openNew } from '../support.ts';
import {
  day,
  landCalls,
  openWithRules,
  outputRules,
  rules,
  type CountName,
  type LoggedCall,
} from './tokens-support.ts';

const oneDay = 86_400;
const stated = { prompt_tokens: 100, completion_tokens: 10, cached_tokens: 40, reasoning_tokens: 4 };
const complete = { ...stated, cache_write_tokens: 0 };
const models = ['in-1', 'ex-1', 'open-1'] as const;

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

const blank: LoggedCall = { model: 'ex-1', cached_tokens: 0, cache_write_tokens: 0 };

it.each<[string, readonly LoggedCall[], readonly CountName[], readonly string[]]>([
  [
    'have a lower bound without a column, except of a whole that includes the part',
    callsOf(complete),
    ['cached_tokens', 'reasoning_tokens'],
    [
      'ex-1, lower bound, lower bound, 100, 10',
      'in-1, split unknown, split unknown, 100, 10',
      'open-1, lower bound, lower bound, 100, 10',
    ],
  ],
  [
    'are known where the export had every column',
    callsOf({ ...complete, cached_tokens: 0, reasoning_tokens: 0 }),
    [],
    models.toSorted().map((model) => `${model}, known, known, 100, 10`),
  ],
  [
    'have a lower bound without cache-write tokens where nothing proves that the prompt includes them',
    callsOf(stated),
    ['cache_write_tokens'],
    [
      'ex-1, lower bound, known, 140, 14',
      'in-1, known, known, 100, 10',
      'open-1, lower bound, known, 100, 10',
    ],
  ],
  [
    'include none for an empty cell in a served column of a call that has no such tokens',
    [{ ...blank, prompt_tokens: 50, completion_tokens: 0 }],
    [],
    ['ex-1, known, known, 50, 0'],
  ],
  [
    'include none for empty cells in served columns of an image',
    [blank],
    [],
    ['ex-1, known, known, null, null'],
  ],
  [
    'have a lower bound for an empty cell in a served column otherwise',
    [{ ...blank, prompt_tokens: 50, completion_tokens: 5 }],
    [],
    ['ex-1, known, lower bound, 50, 5'],
  ],
  [
    'of a call without output have a lower bound of excluded reasoning where the column is not served',
    [{ ...blank, prompt_tokens: 50, completion_tokens: 0 }],
    ['reasoning_tokens'],
    ['ex-1, known, lower bound, 50, 0'],
  ],
])('counts %s', async (_, calls, without, states) => {
  const { folder, warehouse } = await openNew(openWithRules);
  await landCalls(warehouse, folder, calls, { without });
  expect(await statesOf(warehouse)).toEqual(states);
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
    await inDatabase(optionsIn(folder).path, 'UPDATE call_log SET served_columns = NULL');
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
