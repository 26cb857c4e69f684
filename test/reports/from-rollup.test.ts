import fc from 'fast-check';
import { expect, it } from 'vitest';
import { systemClock, unixMillis } from '../../src/core/index.ts';
import { runs } from '../support/storm.ts';
import { openAccount, type Call } from './shipped.ts';

const first = Date.UTC(2026, 8, 20) / 1000;
const last = Date.UTC(2026, 10, 18) / 1000;

const count = fc.option(fc.nat(5000), { nil: undefined });
const call = fc.record(
  {
    at: fc.integer({ min: first, max: last }),
    model: fc.constantFrom('gpt-5', 'claude-opus-4-5', 'gemini-3-pro', ''),
    key: fc.constantFrom('search', 'growth', 'billing', ''),
    kind: fc.constantFrom('consumption', 'consumption', 'consumption', 'refund'),
    prompt: fc.integer({ min: 5000, max: 20_000 }),
    cached: count,
    cacheWrite: count,
    completion: fc.integer({ min: 1000, max: 4000 }),
    reasoning: fc.nat(1000),
    charge: fc.integer({ min: 1, max: 99_999 }).map((units) => `${units / 10_000}`),
  },
  { requiredKeys: ['at', 'model', 'key', 'kind', 'prompt', 'completion', 'charge'] },
) as fc.Arbitrary<Call>;

const asked = [
  ['spend-summary', '2026-10-21..2026-11-20'],
  ['spend-summary', 'yesterday'],
  ['digest', 'last-week'],
  ['showback', '2026-10-01..2026-11-01'],
  ['statement', '2026-10-01..2026-11-01'],
  ['token-economics', '2026-10-01..2026-11-01'],
  ['key-inventory', '2026-10-21..2026-11-20'],
  ['reconciliation', '2026-10-21..2026-11-20'],
] as const;

it('every figure of every shipped report is the same from the rollup and from the calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 60 }), async (calls) => {
      let moment = systemClock.now();
      await using account = await openAccount(undefined, { ...systemClock, now: () => moment });
      await account.land(calls);
      const build = async () => {
        const models: unknown[] = [];
        for (const [name, period] of asked) models.push(await account.report(name, { period }));
        return models;
      };
      // Before any day has ended, none has cells.
      moment = unixMillis(0);
      const fromCalls = await build();
      moment = systemClock.now();
      await account.report('spend-summary');
      expect(await account.warehouse.rollup.compare('main', 'cells')).toEqual([]);
      expect(await build()).toEqual(fromCalls);
    }),
    { numRuns: runs(8), endOnFailure: true },
  );
}, 300_000);
