import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localDays, tagNames } from '../../../src/core/index.ts';
import { matchesPattern, tagsOf, type TagRule } from '../../../src/warehouse/index.ts';
import { batchOf, openInMemory, openNew } from '../support.ts';

const rules: readonly TagRule[] = [
  { pattern: 'prod-*', tags: { cost_center: '4711', environment: 'production' } },
  { pattern: 'prod-batch-*', tags: { environment: 'batch' } },
  { pattern: 'search', tags: { product: 'search' } },
];

const patterns = fc.stringMatching(/^[ab*]{1,5}$/);
const values = fc.option(fc.constantFrom('x', 'y', 'z'), { nil: undefined });

describe('the tags of a key', () => {
  it('come from the most specific pattern, for each tag by itself', () => {
    expect(tagsOf('prod-batch-1', 'search', rules)).toEqual({
      cost_center: '4711',
      environment: 'batch',
      product: 'search',
      owner: null,
    });
    expect(tagsOf('ci', 'ci', rules)).toEqual({
      cost_center: null,
      environment: null,
      product: null,
      owner: null,
    });
  });

  it('are given by a pattern that matches, and no other matching one is more specific', () => {
    const closeness = (pattern: string) =>
      pattern.includes('*') ? pattern.replaceAll('*', '').length : Number.POSITIVE_INFINITY;
    const given = fc.array(fc.record({ pattern: patterns, tags: fc.record({ environment: values }) }), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.stringMatching(/^[ab]{0,6}$/), given, (key, all) => {
        const giving = all.filter(
          ({ pattern, tags }) => tags.environment !== undefined && matchesPattern(pattern, key),
        );
        const best = Math.max(-1, ...giving.map(({ pattern }) => closeness(pattern)));
        const expected = giving.find(({ pattern }) => closeness(pattern) === best)?.tags.environment ?? null;
        expect(tagsOf(key, key, all).environment).toBe(expected);
      }),
    );
  });

  it('are columns of the cube, and restrict a report', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    await warehouse.logs.landWindow(
      await batchOf(folder, ['900,m,prod-1,1,1.5', '901,m,prod-batch-1,1,2.5', '902,m,ci,1,4']),
    );
    const periods = [{ name: 'current' as const, days: localDays('1970-01-01', '1970-01-01', 'UTC') }];
    const read = async (only: object) =>
      warehouse.readCube({ account: 'main', periods, tags: rules, only }, async (query) => {
        const { rows } = await query(
          `SELECT ${tagNames.join(', ')}, sum(spend) FROM cube GROUP BY ALL ORDER BY environment NULLS LAST`,
        );
        return rows;
      });
    expect(await read({})).toEqual([
      ['4711', 'batch', null, null, '2.5'],
      ['4711', 'production', null, null, '1.5'],
      [null, null, null, null, '4'],
    ]);
    expect(await read({ tags: { environment: ['prod*'] } })).toEqual([
      ['4711', 'production', null, null, '1.5'],
    ]);
  });
});
