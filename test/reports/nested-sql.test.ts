import { expect, it } from 'vitest';
import { systemClock } from '../../src/core/index.ts';
import { factsOf } from '../../src/reports/sql/facts.ts';
import { openQueries } from '../../src/warehouse/index.ts';

it('the facts of a query with subqueries in subqueries are found in one pass', async () => {
  await using queries = await openQueries(undefined, systemClock);
  // Each level went through all levels below it: 2 to the power of 60 steps.
  const nested = `${'(SELECT '.repeat(60)}sum(spend) FROM cube${')'.repeat(60)}`;
  const bound = await queries.bind(`SELECT ${nested} AS spend`);
  expect(bound.fault).toBeUndefined();
  expect(factsOf(bound.tree)).toMatchObject({ mixedAt: expect.any(Number) as number, readsCalls: true });
});
