import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReportModel } from '../../src/reports/index.ts';
import { coloursOf } from '../../src/reports/compose/palette.ts';
import type { CubeRow } from './cube.ts';
import { build, shipped } from './sample.ts';

/** As the warehouse keeps them. */
const registry = () => {
  const colours = new Map<string, number>();
  return async (names: readonly string[]) => {
    for (const name of names) if (!colours.has(name)) colours.set(name, colours.size);
    return Promise.resolve(new Map(names.map((name) => [name, colours.get(name) ?? 0])));
  };
};

const rowsOf = (week: number, models: readonly string[]): readonly CubeRow[] =>
  models.map((model, at) => ({
    quarter: Date.UTC(2026, 10, 2 + 7 * week, 12) / 1000,
    model,
    key: 'prod',
    spend: String(100 - at),
  }));

const week = (at: number): string =>
  `2026-11-${String(2 + 7 * at).padStart(2, '0')}..2026-11-${String(9 + 7 * at).padStart(2, '0')}`;

const legendOf = ({ sections }: ReportModel): ReadonlyMap<string, string> =>
  new Map(
    sections.flatMap((section) => {
      if (section.kind === 'chart') return section.legend.map(({ name, colour }) => [name, colour] as const);
      if (section.kind !== 'table') return [];
      return section.rows.flatMap(({ role, cells, colour }) =>
        role === 'row' && colour !== undefined ? [[cells[0]?.text ?? '', colour] as const] : [],
      );
    }),
  );

describe('colors of models', () => {
  test('stay the same over weeks in which models appear, disappear and change rank', async () => {
    const assignColours = registry();
    const first = legendOf(
      await build({ rows: rowsOf(0, ['opus', 'sonnet', 'gpt']), period: week(0), assignColours }),
    );
    const second = legendOf(
      await build({ rows: rowsOf(1, ['gemini', 'gpt', 'opus']), period: week(1), assignColours }),
    );
    expect(first.get('opus')).toBe('#4269d0');
    expect(second.get('opus')).toBe(first.get('opus'));
    expect(second.get('gpt')).toBe(first.get('gpt'));
    expect([...first.values()]).not.toContain(second.get('gemini'));
    const day = legendOf(
      await build({
        rows: rowsOf(1, ['gpt', 'gemini']),
        period: '2026-11-09..2026-11-10',
        assignColours,
      }),
    );
    expect(day.get('gpt')).toBe(first.get('gpt'));
    expect(day.get('gemini')).toBe(second.get('gemini'));
  });

  test('the keys of one team keep their colors in the mail of another', async () => {
    const assignColours = registry();
    const definition = await shipped('showback');
    const keys = (names: readonly string[]): readonly CubeRow[] =>
      names.map((key, at) => ({
        quarter: Date.UTC(2026, 10, 10, 12) / 1000,
        model: 'gpt',
        key,
        spend: String(50 - at),
      }));
    const one = legendOf(await build({ rows: keys(['search', 'shared']), definition, assignColours }));
    const other = legendOf(await build({ rows: keys(['shared', 'growth']), definition, assignColours }));
    expect(other.get('shared')).toBe(one.get('shared'));
    expect(other.get('growth')).not.toBe(one.get('search'));
  });

  test('differ within a chart, however many models an account has had', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 8 }),
        (numbers) => {
          const colours = coloursOf(numbers);
          expect(new Set(colours).size).toBe(numbers.length);
          for (const colour of colours) expect(colour).toMatch(/^#[0-9a-f]{6}$/);
          if (numbers.every((number) => number < 32))
            expect(coloursOf(numbers.toReversed())).toEqual(colours.toReversed());
        },
      ),
    );
  });
});
