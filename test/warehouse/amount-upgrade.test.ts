import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { interval, systemClock, unixSeconds } from '../../src/core/index.ts';
import { openEngine } from '../../src/storage/index.ts';
import { migrate } from '../../src/warehouse/migrate.ts';
import { schema } from '../../src/warehouse/schema.ts';
import { openIn, optionsIn, testFolder } from './support.ts';

/** Seconds UTC, a whole hour. */
const hour = 1_795_197_600;
const call = (at: number, model: string, quota: string): string =>
  `INSERT INTO call_log (account, created_at, quarter, model_name, token_name, kind, prompt_tokens, completion_tokens, quota)
   VALUES ('main', ${at}, ${at - (at % 900)}, '${model}', 'k', 'consumption', 100, 10, ${quota})`;
const window = (start: number, sum: string): string =>
  `INSERT INTO log_window (account, start_at, end_at, row_count, served_count, replaced_count, quota, replaced_quota, amounts,
     currency, columns, bytes, landed_at)
   VALUES ('main', ${start}, ${start + 3600}, 2, 2, 0, ${sum}, 0, 'currency', 'USD', '[]', 1, ${(start + 3600) * 1000})`;

it('an upgrade converts integer units that were stored as currency', async () => {
  await using folder = await testFolder();
  const options = optionsIn(folder);
  await mkdir(dirname(options.path), { recursive: true });
  {
    await using engine = await openEngine(options);
    await migrate(engine, schema, systemClock, options.path);
    await engine.state(async (connection) => {
      for (const statement of [
        `INSERT INTO log_amounts VALUES ('main', 'USD', 'currency', 500000, 0, 0, 'data', 'currency', NULL, true)`,
        `INSERT INTO log_amounts VALUES ('other', 'CNY', 'units', 500000, 30, 4000, 'data', 'units', NULL, false)`,
        call(hour + 10, 'm', '0.0021'),
        call(hour + 20, 'whole-dollar', '1'),
        call(hour + 30, 'whole-dollar', '1.5'),
        window(hour, '2.5021'),
        // The change: the same model, in units.
        call(hour + 3700, 'm', '1050'),
        call(hour + 3800, 'm', '2100'),
        window(hour + 3600, '3150'),
        // Dollars that are whole by chance.
        call(hour + 7300, 'whole-dollar', '1'),
        window(hour + 7200, '1'),
      ])
        await connection.execute(statement);
    });
  }
  await using warehouse = await openIn(folder);
  expect(await warehouse.logs.amounts('main')).toMatchObject({ decidedBy: 'data', hasFractions: true });
  expect(await warehouse.logs.amounts('other')).toMatchObject({ decidedBy: 'data', unitsStated: undefined });
  const changed = interval(unixSeconds(hour + 3600), unixSeconds(hour + 7200));
  expect(await warehouse.logs.correctAmounts('main')).toEqual([changed]);
  expect(await warehouse.spend('main', changed)).toMatchObject({ net: '0.0063', calls: 2 });
  const all = interval(unixSeconds(hour), unixSeconds(hour + 10_800));
  expect((await warehouse.spend('main', all)).net).toBe('3.5084');
  expect(await warehouse.logs.correctAmounts('main')).toEqual([]);
});
