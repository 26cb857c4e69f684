import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareMoney,
  money,
  multiplyMoney,
  subtractMoney,
  sumMoney,
  toSeconds,
  unixMillis,
  unixSeconds,
} from '../../src/core/index.ts';
import { renderReport } from '../../src/reports/index.ts';
import { few } from '../support/storm.ts';
import type { CubeRow } from './cube.ts';
import { build } from './sample.ts';

/** Noon in Berlin of a day in November 2026. */
const noon = (day: number): number => Date.UTC(2026, 10, day, 11) / 1000;

const call = (day: number, spend: string, change: Partial<CubeRow> = {}): CubeRow => ({
  quarter: noon(day),
  model: 'claude-sonnet-5',
  key: 'prod-search',
  calls: 10,
  prompt: 1000,
  completion: 100,
  spend,
  ...change,
});

const average = { period: 'yesterday', comparison: '7-day-average' } as const;

describe('a comparison with the average of seven days', () => {
  test('divides the sums of the seven days and keeps figures of a day as they are', async () => {
    const rows = [12, 13, 14, 15, 16, 17, 18].map((day) => call(day, '10'));
    const { headline, sections } = await build({ ...average, rows: [...rows, call(19, '25')] });
    expect(headline.value.text).toBe('$25.00');
    expect(headline.change.text).toBe('+150.0%');
    expect(headline.compared).toBe('vs $10.00 (average of Nov 12 – 18, 2026)');
    expect(headline.cause).toContain('+$15.00');
    const movers = sections.find(({ title }) => title === 'Biggest changes by model');
    expect(movers?.kind === 'table' ? movers.rows[0]?.cells.map(({ text }) => text).slice(2) : []).toEqual([
      '$25.00',
      '+$15.00',
      '+150.0%',
    ]);
  });

  test('leaves out days without complete data and names them', async () => {
    const rows = [14, 15, 16, 17, 18].map((day) => call(day, '10'));
    const dataSince = toSeconds(unixMillis(Date.UTC(2026, 10, 13, 23)));
    const { headline } = await build({ ...average, rows: [...rows, call(19, '20')], facts: { dataSince } });
    expect(headline.compared).toBe(
      'vs $10.00 (average of 5 days of Nov 12 – 18, 2026, without Nov 12, Nov 13: data incomplete)',
    );
    expect(headline.change.text).toBe('+100.0%');
  });

  test('says that there is none without a single complete day', async () => {
    const dataSince = unixSeconds(Date.UTC(2026, 10, 18, 23) / 1000);
    const { headline } = await build({ ...average, rows: [call(19, '20')], facts: { dataSince } });
    expect(headline.compared).toBe('Not compared with Nov 12 – 18, 2026: no data before Nov 19.');
    expect(headline.change.direction).toBe('unknown');
  });

  test('has causes that add up to the difference as shown, for every split of the days', async () => {
    const rowsOf = fc.array(
      fc.record({
        day: fc.integer({ min: 12, max: 19 }),
        model: fc.constantFrom('claude-sonnet-5', 'gpt-6', 'flux'),
        cents: fc.integer({ min: 1, max: 99_999 }),
        calls: fc.integer({ min: 1, max: 9 }),
        prompt: fc.integer({ min: 0, max: 5000 }),
      }),
      { minLength: 4, maxLength: 16 },
    );
    await fc.assert(
      fc.asyncProperty(rowsOf, async (made) => {
        const rows = made.map(({ day, model, cents, calls, prompt }) =>
          call(day, String(cents / 100), { model, calls, prompt, completion: 0 }),
        );
        const model = await build({ ...average, rows: [...rows, call(19, '1'), call(12, '1')] });
        const changes = model.data.tables.find(({ title }) => title === 'What changed');
        const sum = (days: (day: number) => boolean) =>
          sumMoney(
            [
              ...made.map(({ day, cents }) => ({ day, cents })),
              { day: 19, cents: 100 },
              { day: 12, cents: 100 },
            ]
              .filter(({ day }) => days(day))
              .map(({ cents }) => money(String(cents / 100))),
          );
        const parts = sumMoney((changes?.rows ?? []).map((row) => money(String(row[1]))));
        const exact = subtractMoney(
          multiplyMoney(
            sum((day) => day === 19),
            money('7'),
          ),
          sum((day) => day < 19),
        );
        // Seven times the parts are the difference of seven such days, but for the last of twelve decimals.
        const rest = subtractMoney(multiplyMoney(parts, money('7')), exact);
        expect(compareMoney(multiplyMoney(rest, rest), money('1e-22'))).toBeLessThan(0);
        expect(parts).toBe(changes?.total?.[1]);
        await renderReport(model);
      }),
      { numRuns: few(12, 100) },
    );
  });
});
