import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dateAt, localDays, money, startOfDay, sumMoney, unixSeconds } from '../../src/core/index.ts';
import type { TruthRow } from '../../src/sandbox/index.ts';
import { now } from '../support/gateway-fixture.ts';
import { openJobFixture, type JobFixture } from '../support/job-fixture.ts';

const since = '2026-11-10';
const today = dateAt(unixSeconds(Math.floor(now / 1000)), 'UTC');
const path = '/api/log/self/stream-export';

let fixture: JobFixture;
let rows: readonly TruthRow[];
beforeAll(async () => {
  fixture = await openJobFixture({ callsPerDay: 100 });
  await fixture.run('pull-logs', { since });
  rows = fixture.sandbox.truth
    .rows(startOfDay(since, 'UTC'), startOfDay(today, 'UTC'))
    .filter(({ kind }) => kind === 'consumption');
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Sums of the true rows, as the query on the cube gives those of the stored ones. */
const truth = (
  group: (row: TruthRow) => string,
  value: (row: TruthRow) => string,
): Record<string, string> => {
  const found: Record<string, string> = {};
  for (const row of rows) found[group(row)] = sumMoney([money(found[group(row)] ?? '0'), money(value(row))]);
  return found;
};

const stored = (group: string, value: string): Promise<Record<string, string>> =>
  fixture.context.warehouse.readCube(
    {
      account: 'main',
      periods: [{ name: 'current', days: localDays(since, '2026-11-20', 'UTC') }],
      timeLimit: 3_600_000,
    },
    async (query) =>
      Object.fromEntries(
        (
          await query(`SELECT ${group}, sum(${value}) FROM cube WHERE kind = 'consumption' GROUP BY 1`)
        ).rows.map(([name, sum]) => [String(name), money(String(sum))]),
      ),
  );

const byModel = ({ model }: TruthRow): string => model;
const one = (): string => '1';

describe('a documented column of the call log', () => {
  it.each<[id: string, group: string, value: string, (row: TruthRow) => string, (row: TruthRow) => string]>([
    ['G6.3.created_at', 'quarter', 'calls', ({ createdAt }) => String(createdAt - (createdAt % 900)), one],
    ['G6.3.model_name', 'model_name', 'calls', byModel, one],
    ['G6.3.token_name', 'token_name', 'calls', ({ token }) => token, one],
    [
      'G6.3.prompt_tokens',
      'model_name',
      'prompt_tokens',
      byModel,
      // Of the vendors of the sandbox, one counts cached tokens apart.
      ({ model, text, cached, cacheWrite, audioInput, imageInput }) =>
        String(text + audioInput + imageInput + (model.startsWith('claude') ? 0 : cached + cacheWrite)),
    ],
    [
      'G6.3.completion_tokens',
      'model_name',
      'completion_tokens',
      byModel,
      ({ completion }) => String(completion),
    ],
    ['G6.3.cached_tokens', 'model_name', 'cached_tokens', byModel, ({ cached }) => String(cached)],
    [
      'G6.3.reasoning_tokens',
      'model_name',
      'reasoning_tokens',
      byModel,
      ({ reasoning }) => String(reasoning),
    ],
    ['G6.3.quota', 'model_name', 'spend', byModel, ({ quota }) => quota],
  ])(
    'is requested by its name, and lands as the gateway booked it: %s',
    async (id, group, value, groupOf, valueOf) => {
      const expected = truth(groupOf, valueOf);
      expect(Object.values(expected).some((sum) => Number(sum) > 0)).toBe(true);
      expect(await stored(group, value)).toEqual(expected);
      const column = id.slice('G6.3.'.length);
      const requests = fixture.sandbox.requests.all().filter((request) => request.path === path);
      expect(requests.some(({ query }) => query['columns']?.split(',').includes(column))).toBe(true);
    },
  );
});

it('a pull of the call log names the currency and sets no filter (G6.7, G6.11)', () => {
  const queries = fixture.sandbox.requests
    .all()
    .filter((request) => request.path === path)
    .map(({ query }) => query);
  expect(queries.length).toBeGreaterThan(0);
  for (const query of queries) {
    expect(query['currency']).toBe('USD');
    for (const filter of ['status', 'model_name', 'vendor_id']) expect(query).not.toHaveProperty(filter);
  }
});
