import { DuckDBConnection } from '@duckdb/node-api';
import { expect, it, vi } from 'vitest';
import { pullLogs } from '../../../src/ingest/index.ts';
import { seconds, type SourceRow } from './log-source.ts';
import { base, pullOf, setUp } from '../support.ts';

const length = 7200;

/** A call every five minutes. */
const calls: readonly SourceRow[] = Array.from({ length: length / 300 }, (_, index) => ({
  at: base + index * 300 + 60,
  model: 'm',
  token: 'k',
  prompt: index,
  quota: `0.${1000 + index}`,
  kind: '2',
}));

/** How many statements a pull of the rows in so many windows runs; begin and commit are two. */
const statementsOf = async (rows: readonly SourceRow[], windows: number): Promise<number> => {
  await using set = await setUp(rows);
  const run = vi.spyOn(DuckDBConnection.prototype, 'run');
  try {
    const range = { until: seconds(base + length), windowSeconds: length / windows };
    const pulled = await pullLogs(pullOf(set.folder, set.warehouse, set.source, range));
    expect(pulled).toMatchObject({ windows, rows: rows.length });
    return run.mock.calls.length;
  } finally {
    run.mockRestore();
  }
};

it.each([
  ['with calls', calls],
  ['without a call', []],
] as const)('one more window %s, which teaches nothing, costs few statements', async (_, rows) => {
  const [few, many] = [4, 12];
  const more = (await statementsOf(rows, many)) - (await statementsOf(rows, few));
  expect(more / (many - few)).toBeLessThanOrEqual(14);
});
