import fc from 'fast-check';
import { expect, it } from 'vitest';
import { coverPairs } from './pairs.ts';

it('a covering array combines every two values of different factors in far fewer rows than all combinations', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 12 }), (sizes) => {
      const rows = coverPairs(sizes);
      for (const [left, size] of sizes.entries())
        for (let right = left + 1; right < sizes.length; right += 1)
          for (let one = 0; one < size; one += 1)
            for (let other = 0; other < (sizes[right] ?? 0); other += 1)
              expect(rows.some((row) => row[left] === one && row[right] === other)).toBe(true);
      expect(rows.length).toBeLessThanOrEqual(Math.max(4, 4 * Math.max(...sizes) ** 2));
    }),
    { numRuns: 30 },
  );
});
