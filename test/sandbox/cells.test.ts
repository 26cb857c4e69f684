import { expect, test } from 'vitest';
import { toAggregates } from '../../src/sandbox/traffic/cells.ts';
import { models } from '../../src/sandbox/traffic/models.ts';
import { plainRow } from '../../src/sandbox/traffic/row.ts';

test('the sandbox adds the grains of an hour exactly, also above the whole numbers that a double holds', () => {
  const rows = Array.from({ length: 5 }, (_, at) =>
    plainRow('consumption', 7_200 + at, {
      model: models.gpt,
      token: 'billing',
      grains: Number.MAX_SAFE_INTEGER - at,
    }),
  );
  const [cell, ...more] = toAggregates([
    ...rows,
    plainRow('refund', 7_300, { model: models.gpt, token: 'billing', grains: -7 }),
  ]);
  expect(more).toEqual([]);
  expect(cell).toMatchObject({
    hour: 7_200,
    calls: 5,
    consumption: 5n * (2n ** 53n - 1n) - 10n,
    refunds: -7n,
  });
});
