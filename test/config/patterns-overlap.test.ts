import fc from 'fast-check';
import { expect, it } from 'vitest';
import { patternsOverlap } from '../../src/config/rules/patterns-overlap.ts';
import { matchesPattern } from '../../src/warehouse/index.ts';

const patterns = fc.stringMatching(/^[ab*]{0,4}$/);

/** All names of these letters that are long enough for two patterns of four characters. */
const names = [
  '',
  ...Array.from({ length: 8 })
    .reduce<string[][]>(
      (lists) => [...lists, (lists.at(-1) ?? []).flatMap((name) => [`${name}a`, `${name}b`])],
      [['']],
    )
    .flat(),
];

it('two patterns overlap exactly if some name matches both', () => {
  fc.assert(
    fc.property(patterns, patterns, (left, right) => {
      const both = names.some((name) => matchesPattern(left, name) && matchesPattern(right, name));
      expect(patternsOverlap(left, right)).toBe(both);
    }),
    { numRuns: 300 },
  );
});
