import fc from 'fast-check';
import { expect, it } from 'vitest';
import { commonName } from '../../../src/jobs/rotate-keys/name-patterns.ts';
import { fitsPattern } from '../../../src/keys/index.ts';
import { runs } from '../../support/storm.ts';

it.each([
  ['prod-*', 'prod-*', 'prod-'],
  ['prod-*', '*-eu', 'prod-eu'],
  ['prod-*', 'dev-*', undefined],
  ['a*b', 'a*c', undefined],
  ['*', '*', ''],
  ['a', 'a', 'a'],
  ['a*', 'ab*c', 'abc'],
])('the patterns %s and %s have the common name %s', (left, right, name) => {
  const found = commonName(left, right);
  if (name === undefined) expect(found).toBeUndefined();
  else
    expect([found !== undefined, fitsPattern(left, name) && fitsPattern(right, name)]).toEqual([true, true]);
});

it('a common name matches both patterns, and is found whenever one exists', () => {
  const pattern = fc.stringMatching(/^[ab*]{0,6}$/);
  fc.assert(
    fc.property(pattern, pattern, fc.stringMatching(/^[ab]{0,6}$/), (left, right, name) => {
      const found = commonName(left, right);
      if (found !== undefined)
        expect([fitsPattern(left, found), fitsPattern(right, found)]).toEqual([true, true]);
      if (fitsPattern(left, name) && fitsPattern(right, name)) expect(found).toBeDefined();
    }),
    { numRuns: runs(300) },
  );
});
