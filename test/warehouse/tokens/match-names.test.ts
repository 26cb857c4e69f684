import { expect, it } from 'vitest';
import { fitsPattern } from '../../../src/keys/plan/select.ts';
import { inScope } from '../../../src/monitoring/budgets/scope.ts';
import { isSameName, matchesPattern } from '../../../src/warehouse/index.ts';

/** The same name with its accent as one character, and as two. */
const [composed, decomposed] = ['caf\u00E9-prod', 'cafe\u0301-prod'];

it.each([
  [composed, decomposed],
  [decomposed, composed],
  ['caf\u00E9-*', decomposed],
])('the pattern %j of reports and budgets matches %j, however the accent is written', (pattern, name) => {
  expect(matchesPattern(pattern, name)).toBe(true);
  expect(isSameName(composed, decomposed)).toBe(true);
});

it('a budget of a service counts it under both forms of its name', () => {
  const rules = { teams: [], tags: [{ pattern: composed, tags: { product: composed } }] };
  const calls = { model: 'm', key: decomposed, service: decomposed };
  expect(inScope({ kind: 'service', name: composed }, calls, rules)).toBe(true);
  expect(inScope({ kind: 'tag', tag: 'product', name: decomposed }, calls, rules)).toBe(true);
});

it('a selector of keys that are rotated or deleted gains none by normalization', () => {
  expect(fitsPattern(composed, decomposed)).toBe(false);
});
