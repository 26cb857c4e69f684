import { expect, it } from 'vitest';
import { segmentsOf, unmatchedSelectors, unmatchedText, type Selector } from '../../src/monitoring/index.ts';
import { interval, unixSeconds } from '../../src/core/index.ts';

const known = {
  keys: ['cafe-prod', 'cafe-test', 'billing.g2', 'billing', 'growth-1'],
  models: ['gpt-4o', 'gpt-4o-mini', 'claude-haiku-4-5'],
};
const rules = [{ pattern: 'billing', tags: { environment: 'production' } }];

const unmatched = (selector: Selector) => unmatchedSelectors([selector], known, rules);

it.each<[Selector['names'], string, readonly string[] | undefined]>([
  ['key', 'cafe-*', undefined],
  ['key', 'billing', undefined],
  ['key', 'caf\u00E9-*', ['cafe-prod', 'cafe-test']],
  ['key', 'biling*', ['billing', 'billing.g2']],
  ['key', 'nothing-like-it', []],
  ['model', 'gpt-4*', undefined],
  ['model', 'gpt4-o', ['gpt-4o']],
  ['environment', 'production', undefined],
  ['environment', 'prodution', ['production']],
])('a selector of the %s %j has the similar names %j if it matches none', (names, pattern, near) => {
  expect(unmatched({ names, pattern })).toEqual(near === undefined ? [] : [{ names, pattern, near }]);
});

it('selectors of keys and of models are not judged while no key or model is known', () => {
  const selectors = [
    { names: 'key', pattern: 'a' },
    { names: 'model', pattern: 'a' },
    { names: 'owner', pattern: 'a' },
  ] as const;
  expect(unmatchedSelectors(selectors, { keys: [], models: [] }, rules)).toEqual([]);
  expect(unmatchedSelectors(selectors, { keys: [], models: ['m'] }, rules)).toHaveLength(1);
});

it('the text of a selector names what it selects', () => {
  expect(unmatchedText({ names: 'key', pattern: 'a*' })).toBe('no key matches "a*"');
  expect(unmatchedText({ names: 'owner', pattern: 'a' })).toMatch(/has the owner "a"$/);
});

const range = (start: number, end: number) => interval(unixSeconds(start), unixSeconds(end));

it('the segments of ranges that overlap are all those within any of them', () => {
  expect(
    segmentsOf([range(0, 50), range(0, 10), range(0, 30), range(20, 50), range(70, 80), range(9, 9)]),
  ).toEqual({
    bounds: [0, 10, 20, 30, 50, 70, 80],
    segments: new Set([0, 1, 2, 3, 5]),
  });
});
