import fc from 'fast-check';
import { expect, it } from 'vitest';
import { interval, localDays, unknownGateway } from '../../../src/core/index.ts';
import { pullLogs } from '../../../src/ingest/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { anyStyle, iso, times } from './log-styles.ts';
import { logSource, seconds, sumOf, type SourceRow } from './log-source.ts';
import { base, openIn, pullOf, testFolder } from '../support.ts';
import { few, chaosFactor, runs } from '../../support/storm.ts';

const day = 86_400;

/** Amounts of one magnitude, whole ones among them: a charge that grows by 500,000 is a change of unit, and is refused. */
const decimal = (places: number) =>
  fc
    .tuple(
      fc.oneof(
        fc.bigInt({ min: 90_000_000n, max: 9_000_000_000n }),
        fc.bigInt({ min: -3_000_000_000n, max: -30_000_000n }),
      ),
      fc.constantFrom(1n, 1n, 1000n, 10_000_000n),
    )
    .map(([drawn, step]) => {
      const digits = (drawn / step) * step;
      const text = (digits < 0n ? -digits : digits).toString().padStart(places + 1, '0');
      const written = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
      const shortest = places === 0 ? written : written.replace(/\.?0+$/, '');
      return digits < 0n ? `-${shortest}` : shortest;
    });

const row = (places: number): fc.Arbitrary<SourceRow> =>
  fc.record({
    at: fc.integer({ min: base - 5, max: base + day + 5 }),
    model: fc.constantFrom('gpt-4o', 'claude "x"', 'a,b', '-dash', 'Modèle'),
    token: fc.constantFrom('', 'growth-1', '=cmd', '@ops', 'two\nlines'),
    prompt: fc.oneof(fc.constant(0), fc.integer({ min: 20_000_000, max: 2_000_000_000 })),
    quota: decimal(places),
    extra: fc.constantFrom('', 'note', 'a,b', 'say "hi"'),
  });

/** Duplicates are calls of their own. */
const rows = fc
  .integer({ min: 0, max: 8 })
  .chain((places) => fc.array(fc.tuple(row(places), fc.constantFrom(1, 1, 1, 2, 3)), { maxLength: 40 }))
  .map((list) => list.flatMap(([one, times]) => Array.from({ length: times }, () => one)));

const style = anyStyle({ min: 1, max: 500 });

/** Rows, tokens and amounts by quarter hour, model and key, as the warehouse gives them. */
const stored = async (warehouse: Warehouse, account: string): Promise<readonly unknown[]> => {
  const days = localDays('2025-12-30', '2026-01-03', 'UTC');
  return warehouse.readCube({ account, periods: [{ name: 'current', days }] }, async (query) => {
    const table = await query(
      `SELECT quarter, model_name, token_name, sum(rows)::BIGINT AS row_count, sum(prompt_tokens) AS prompt, sum(amount) AS amount
       FROM cube GROUP BY ALL ORDER BY ALL`,
    );
    return table.rows;
  });
};

const expected = (all: readonly SourceRow[], from: number, to: number): readonly unknown[] => {
  const groups = new Map<string, SourceRow[]>();
  for (const one of all.filter(({ at }) => at >= from && at < to)) {
    const key = JSON.stringify([String(one.at - (one.at % 900)), one.model, one.token]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups].map(([key, list]) => [
    ...(JSON.parse(key) as string[]),
    String(list.length),
    String(list.reduce((sum, one) => sum + one.prompt, 0)),
    sumOf(list.map(({ quota }) => quota)) || '0',
  ]);
};

const sorted = (table: readonly unknown[]): readonly string[] =>
  table.map((line) => JSON.stringify(line)).toSorted((left, right) => (left < right ? -1 : 1));

it('the warehouse contains exactly what the gateway served in any export format and any windows, and a second pull changes nothing', async () => {
  await using folder = await testFolder();
  await using warehouse = await openIn(folder);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      rows,
      style,
      fc.integer({ min: 5000, max: 2 * day }),
      fc.integer({ min: 0, max: day }),
      async (all, written, windowSeconds, first) => {
        // An account of its own for each run, in one file.
        run += 1;
        const account = `run-${run}`;
        const source = logSource(all, written);
        const profile = { ...unknownGateway, amounts: 'currency' as const };
        const request = pullOf(folder, warehouse, source, { account, windowSeconds, profile });
        // First a part, then the rest from the cursor.
        await pullLogs({ ...request, until: seconds(base + first) });
        expect(sorted(await stored(warehouse, account))).toEqual(sorted(expected(all, base, base + first)));
        await pullLogs(request);
        const whole = sorted(expected(all, base, base + day));
        expect(sorted(await stored(warehouse, account))).toEqual(whole);
        const again = await pullLogs({ ...request, from: seconds(base) });
        expect(sorted(await stored(warehouse, account))).toEqual(whole);
        const inWindow = all.filter(({ at }) => at >= base && at < base + day);
        expect(again.rows).toBe(inWindow.length);
        expect(again.quota).toBe(sumOf(inWindow.map(({ quota }) => quota)) || '0');
      },
    ),
    { numRuns: few(2, chaosFactor) },
  );
});

it('a pull through a repeated hour lands each row once when times have no offset', async () => {
  await using folder = await testFolder();
  await using warehouse = await openIn(folder);
  let run = 0;
  const dstOverlap = Date.UTC(2026, 9, 25, 0) / 1000;
  const wall = (at: number): string =>
    iso(at + (at < dstOverlap + 3600 ? 7200 : 3600))
      .slice(0, 19)
      .replace('T', ' ');
  const all = Array.from({ length: 240 }, (_, index) => ({
    at: dstOverlap - 7200 + index * 90,
    model: 'm',
    token: 'k',
    prompt: 1,
    quota: `0.0${index + 1}`,
  }));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 300, max: 20_000 }),
      fc.array(fc.integer({ min: 0, max: 21_600 }), { maxLength: 4 }),
      async (windowSeconds, stops) => {
        run += 1;
        const account = `run-${run}`;
        const source = logSource(all, { time: wall });
        const request = pullOf(folder, warehouse, source, {
          account,
          since: seconds(dstOverlap - 7200),
          profile: { ...unknownGateway, naiveZone: 'Europe/Berlin' },
          windowSeconds,
        });
        for (const stop of [...stops, 21_600].toSorted((left, right) => left - right))
          await pullLogs({ ...request, until: seconds(dstOverlap - 7200 + stop) });
        const spend = await warehouse.spend(account, interval(seconds(0), seconds(4_000_000_000)));
        expect(spend.calls).toBe(240);
        expect(spend.net).toBe(sumOf(all.map(({ quota }) => quota)));
      },
    ),
    { numRuns: runs(1) },
  );
});

it('a pull recognises a single time at the end of a body without a final line break, after a cell with two lines', async () => {
  await using folder = await testFolder();
  await using warehouse = await openIn(folder);
  const lone = { at: base + 7, model: 'm', token: 'two\nlines', prompt: 1, quota: '0.5', extra: '' };
  const order = ['token_name', 'model_name', 'prompt_tokens', 'quota', 'created_at'];
  for (const [index, time] of times.entries()) {
    const account = `lone-${index}`;
    const source = logSource([lone], { time, order, endsLines: false });
    const { rows: landed } = await pullLogs(pullOf(folder, warehouse, source, { account }));
    expect([account, landed]).toEqual([account, 1]);
  }
});
