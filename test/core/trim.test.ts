import fc from 'fast-check';
import { expect, it } from 'vitest';
import { trimEndOf, trimOf } from '../../src/core/index.ts';

const text = fc.string({ unit: fc.constantFrom('/', '-', ' ', 'a', 'b/') });

it('a trimmed text is what a pattern would leave', () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(trimEndOf(one, '/-')).toBe(one.replace(/[/-]+$/, ''));
      expect(trimOf(one, '/-')).toBe(one.replace(/^[/-]+/, '').replace(/[/-]+$/, ''));
    }),
  );
});
