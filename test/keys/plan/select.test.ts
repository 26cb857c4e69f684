import { describe, expect, it } from 'vitest';
import { unixSeconds } from '../../../src/core/index.ts';
import { fitsPattern, isSelected, teamOf, type KeySelection } from '../../../src/keys/plan/select.ts';
import { day, now, surveyed } from './survey.ts';

const teams = [
  { name: 'search', keys: ['prod-search', 'search-*'] },
  { name: 'rest', keys: ['*'] },
];

describe('a name pattern', () => {
  it.each([
    ['*', '', true],
    ['prod-*', 'prod-', true],
    ['prod-*', 'xprod-a', false],
    ['*-eu', 'prod-eu', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*bc*c', 'abc', false],
    ['prod', 'prod-1', false],
    ['a.c', 'abc', false],
    ['*b*', 'a\nb\nc', true],
  ])('matches as expected: %s and %j: %s', (pattern, text, fits) => {
    expect(fitsPattern(pattern, text)).toBe(fits);
  });
});

describe('the key selection of a job', () => {
  const key = surveyed('prod-search.g3', { age: 40, key: { group: 'vip', status: 1 } });
  it.each<[KeySelection, boolean]>([
    [{}, true],
    [{ name: 'prod-*' }, true],
    [{ name: 'prod-search' }, true],
    [{ name: '*.g3' }, true],
    [{ name: 'dev-*' }, false],
    [{ group: 'vip' }, true],
    [{ group: 'default' }, false],
    [{ olderThan: 40 * day }, true],
    [{ olderThan: 41 * day }, false],
    [{ team: 'search' }, true],
    [{ team: 'rest' }, false],
    [{ status: [2, 1] }, true],
    [{ status: [] }, false],
    [{ name: 'prod-*', group: 'default' }, false],
  ])('applies as expected: %j: %s', (selection, chosen) => {
    expect(isSelected(key, selection, { teams, now })).toBe(chosen);
  });

  it('treats an empty group as the default one, and skips keys of unknown age', () => {
    const bare = surveyed('x', { age: null });
    expect(isSelected(bare, { group: 'default' }, { teams, now })).toBe(true);
    expect(isSelected(bare, { olderThan: 0 }, { teams, now })).toBe(false);
    expect(
      isSelected(surveyed('x', { key: { createdTime: unixSeconds(0) } }), { olderThan: 1 }, { teams, now }),
    ).toBe(false);
  });

  it('assigns the first team that matches the name or the service', () => {
    expect([teamOf(key, teams), teamOf(surveyed('x'), teams), teamOf(key, [])]).toEqual([
      'search',
      'rest',
      undefined,
    ]);
  });
});
