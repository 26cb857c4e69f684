import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { money, toSeconds, unixSeconds } from '../../../src/core/index.ts';
import { planRotations, type RotationPolicy, type SurveyedKey } from '../../../src/keys/index.ts';
import { approved, titled } from '../../support/approved.ts';
import { runs } from '../../support/storm.ts';
import { day, hour, now, surveyed, surveyOf } from './survey.ts';
import {
  maxKeysPerRun,
  readMaxPerRun,
  defaultMaxPerRun,
  withinLimits,
} from '../../../src/keys/plan/limits.ts';

const terms = {
  job: 'rotate',
  template: '{service}.g{generation}',
  overlap: 2 * day,
  quota: { kind: 'carry' as const },
  retire: { when: 'unused' as const, quiet: day, ending: 'delete' as const },
  tries: 5,
};

const policy = (change: Partial<RotationPolicy> = {}): RotationPolicy => ({
  select: { name: '*' },
  every: 30 * day,
  terms,
  limits: { maxPerRun: { count: 100 }, minRemaining: 0 },
  windows: [],
  zone: 'UTC',
  ...change,
});

const plan = (
  keys: readonly SurveyedKey[],
  change: Partial<RotationPolicy> = {},
): {
  taken: readonly (string | undefined)[];
  skipped: Record<string, string>;
  messages: Record<string, string>;
} => {
  const { rotations, skipped } = planRotations(surveyOf(...keys), policy(change), []);
  return {
    taken: rotations.map(({ planned }) => planned.old?.name),
    skipped: Object.fromEntries(skipped.map(({ name, reason }) => [name, reason])),
    messages: Object.fromEntries(skipped.map(({ name, message }) => [name, message])),
  };
};

describe('a rotation plan', () => {
  it('selects the newest working key of each service that is old enough, the oldest first', () => {
    const { taken, skipped } = plan([
      surveyed('a.g1', { age: 40 }),
      surveyed('b.g1', { age: 90 }),
      surveyed('b.g2', { age: 50 }),
      surveyed('c', { age: 30 }),
      surveyed('d.g1', { age: 29.5 }),
    ]);
    expect(taken).toEqual(['b.g2', 'a.g1', 'c']);
    expect(skipped).toEqual({ 'b.g1': 'older-generation', 'd.g1': 'not-due' });
  });

  it('contains the terms and the state of the old key', () => {
    const key = surveyed('billing.g7', { id: 70, key: { remainQuota: money('1.2345') } });
    const { rotations, selected } = planRotations(surveyOf(key), policy(), []);
    const old = { keyId: 70, generation: 7, name: 'billing.g7', born: now - 60 * day };
    expect(selected).toBe(1);
    expect(rotations).toMatchObject([
      {
        age: 60 * day,
        planned: { service: 'billing', why: 'age', terms, old: { ...old, remainQuota: '1.2345' } },
      },
    ]);
  });

  it.each([
    ['disabled', { status: 2 }],
    ['expired', { expiredTime: toSeconds(now) }],
    ['exhausted', { remainQuota: money('0') }],
  ])('skips a key that is %s, and selects the newest working one', (reason, key) => {
    const { taken, skipped } = plan([
      surveyed('a.g1', { known: true }),
      surveyed('a.g2', { key }),
      surveyed('b.g1', { key }),
    ]);
    expect(taken).toEqual(['a.g1']);
    expect(skipped).toEqual({ 'a.g2': reason, 'b.g1': reason });
  });

  it('ignores an unlimited quota, a future expiry and a requested status', () => {
    const { taken } = plan(
      [
        surveyed('a', { key: { remainQuota: money('0'), unlimitedQuota: true } }),
        surveyed('b', { key: { expiredTime: unixSeconds(toSeconds(now) + 1) } }),
        surveyed('c', { key: { status: 2 } }),
      ],
      { select: { status: [1, 2] } },
    );
    expect(taken).toEqual(['a', 'b', 'c']);
  });

  it('never relies on a name alone: where a key is known, one that is only called so does not count', () => {
    const { taken, skipped } = plan([
      surveyed('ours.g4', { known: true }),
      surveyed('ours.g9', {}),
      surveyed('theirs.g4', {}),
      surveyed('theirs.g9', { known: true }),
    ]);
    expect(taken).toEqual(['theirs.g9']);
    expect(skipped).toEqual({
      'ours.g4': 'not-ours',
      'ours.g9': 'not-ours',
      'theirs.g4': 'older-generation',
    });
  });

  it('skips a retired key, and is not blocked by it', () => {
    const { taken, skipped } = plan([
      surveyed('a.g1', { known: true, retired: true, key: { expiredTime: toSeconds(now) } }),
      surveyed('b.g1', { known: true, retired: true }),
      surveyed('c.g1', { known: true, retired: true }),
      surveyed('c.g2', { known: true }),
      surveyed('d.g1', { known: true, retired: true, key: { expiredTime: toSeconds(now) } }),
      surveyed('d.g2'),
      surveyed('e.g1', { known: true }),
      surveyed('e.g2', { known: true, retired: true }),
      surveyed('f.g1', { known: true }),
      surveyed('f', { service: 'f', known: true, retired: true }),
    ]);
    expect(taken).toEqual(['c.g2', 'd.g2', 'e.g1', 'f.g1']);
    expect(skipped).toEqual({
      'a.g1': 'retired',
      'b.g1': 'revived',
      'c.g1': 'revived',
      'd.g1': 'retired',
      'e.g2': 'revived',
      f: 'revived',
    });
  });

  it('rotates the newest of keys that were never in every sink, if there is no other', () => {
    const { taken, skipped } = plan([
      surveyed('a.g1', { known: true, split: true, unfinished: true }),
      surveyed('a.g2', { known: true, split: true, unfinished: true }),
    ]);
    expect(taken).toEqual(['a.g2']);
    expect(skipped).toEqual({ 'a.g1': 'unfinished' });
  });

  it('rotates a service immediately after an incomplete delivery, from the key that all sinks skipped', () => {
    const split = { known: true, split: true };
    const { rotations, skipped } = planRotations(
      surveyOf(
        surveyed('old.g1', { age: 90, known: true }),
        surveyed('a.g1', { ...split, age: 10 }),
        surveyed('a.g2', { ...split, age: 1, unfinished: true }),
        // What nobody can use is what a sink may hold.
        surveyed('b.g1', { ...split, age: null }),
        surveyed('b.g2', { ...split, age: 1, unfinished: true, key: { status: 2 } }),
        surveyed('c.g1', { ...split, age: 1, unfinished: true }),
        surveyed('d.g1', { ...split, age: 1 }),
        surveyed('e.g1', { ...split, age: 90, key: { status: 2 } }),
        surveyed('e.g2', { ...split, age: 1, unfinished: true }),
        surveyed('f.g1', { known: true, age: 1 }),
      ),
      policy({ select: { name: '*', olderThan: 20 * day } }),
      [],
    );
    expect(rotations.map(({ planned }) => [planned.old?.name, planned.why])).toEqual([
      ['a.g1', 'split'],
      ['c.g1', 'split'],
      ['d.g1', 'split'],
      ['e.g2', 'split'],
      ['b.g1', 'split'],
      ['old.g1', 'age'],
    ]);
    expect(skipped.map(({ name, reason }) => [name, reason])).toEqual([
      ['e.g1', 'older-generation'],
      ['a.g2', 'unfinished'],
      ['b.g2', 'unfinished'],
    ]);
  });

  it('starts nothing outside its windows', () => {
    const windows = [{ days: ['mon'] as const, from: '02:00', to: '05:00' }];
    const { taken, skipped } = plan([surveyed('a'), surveyed('b', { age: 1 })], { windows });
    expect([taken, skipped]).toEqual([[], { a: 'outside-window', b: 'not-due' }]);
    expect(plan([surveyed('a')], { windows: [{ from: '08:00', to: '09:00' }] }).taken).toEqual(['a']);
  });

  it('says why each key is skipped, both keys of a service whose rotation is open among them', async () => {
    const windows = [{ days: ['mon'] as const, from: '02:00', to: '05:00' }];
    const rotation = { id: 'r1', stage: 'current', part: 'old' } as const;
    const known = { known: true } as const;
    const keys = [
      surveyed('young.g1', { age: 29.5 }),
      surveyed('unknown', { age: null }),
      surveyed('off.g1', { key: { status: 2 } }),
      surveyed('past.g1', { key: { expiredTime: toSeconds(now) } }),
      surveyed('spent.g1', { key: { remainQuota: money('0') } }),
      surveyed('old.g1', { age: 90 }),
      surveyed('old.g2', { age: 50 }),
      surveyed('twin.g1', { id: 11 }),
      surveyed('twin.g1', { id: 12 }),
      surveyed('b', {}),
      surveyed('b.g1', {}),
      surveyed('ours.g4', known),
      surveyed('ours.g9', {}),
      surveyed('../etc', {}),
      surveyed('x'.repeat(46), {}),
      surveyed('ended.g1', { ...known, retired: true, key: { expiredTime: toSeconds(now) } }),
      surveyed('again.g1', { ...known, retired: true }),
      surveyed('half.g1', { ...known, split: true, unfinished: true }),
      surveyed('half.g2', { ...known, split: true, unfinished: true }),
      surveyed('open.g1', { rotation }),
      surveyed('open.g2'),
    ];
    const limits = { maxPerRun: { count: 1 }, minRemaining: 0 };
    const few = [surveyed('one.g1'), surveyed('two.g1')];
    const texts = [
      plan(keys, { limits }),
      plan([surveyed('a')], { windows }),
      plan(few, { limits: { ...limits, minRemaining: 2 } }),
    ].flatMap(({ skipped, messages }) =>
      Object.entries(messages).map(([name, message]) => [`${name}: ${skipped[name]}`, message] as const),
    );
    await expect(titled(texts)).toMatchFileSnapshot(approved('keys/rotation-plans'));
  });

  it('does not depend on the order of the list, and names every selected key once', () => {
    const key = fc.record({
      service: fc.constantFrom('a', 'b', 'c', 'd'),
      generation: fc.integer({ min: 1, max: 4 }),
      age: fc.integer({ min: 0, max: 60 }),
      known: fc.boolean(),
      status: fc.constantFrom(1, 2),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(key, {
          maxLength: 10,
          selector: ({ service, generation }) => `${service}${generation}`,
        }),
        fc.integer({ min: 1, max: 3 }),
        (given, count) => {
          const keys = given.map(({ service, generation, age, known, status }, index) =>
            surveyed(`${service}.g${generation}`, { id: index + 1, age, known, key: { status } }),
          );
          const change = { limits: { maxPerRun: { count }, minRemaining: 1 } };
          const one = planRotations(surveyOf(...keys), policy(change), []);
          const other = planRotations(surveyOf(...keys.toReversed()), policy(change), []);
          expect(other).toEqual(one);
          const named = [
            ...one.rotations.map(({ planned }) => planned.old?.keyId),
            ...one.skipped.map(({ keyId }) => keyId),
          ];
          expect(named).toHaveLength(keys.length);
          expect(new Set(named)).toEqual(new Set(keys.map((each) => each.key.id)));
          const services = one.rotations.map(({ planned }) => planned.service);
          expect(new Set(services).size).toBe(services.length);
          expect(one.rotations.every(({ age }) => age >= 30 * day - hour)).toBe(true);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

describe('the limit of a run', () => {
  it.each([
    [5, { count: 5 }],
    ['5', { count: 5 }],
    ['10%', { hundredths: 1000 }],
    ['2.5%', { hundredths: 250 }],
    ['100%', { hundredths: 10_000 }],
    ['101%', undefined],
    ['0%', undefined],
    [0, undefined],
    [-1, undefined],
    [1.5, undefined],
    ['all', undefined],
  ])('%j is parsed as %j', (written, limit) => {
    expect(readMaxPerRun(written)).toEqual(limit);
  });

  it('is a tenth of the keys by default, and at least one', () => {
    expect([0, 1, 9, 10, 19, 20, 2000].map((selected) => maxKeysPerRun(defaultMaxPerRun, selected))).toEqual([
      1, 1, 1, 1, 1, 2, 200,
    ]);
    expect(maxKeysPerRun({ count: 5 }, 2)).toBe(5);
  });

  it('takes due keys in order and leaves at least the minimum', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 30 }),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(20),
        fc.nat(10),
        (due, count, minRemaining, others) => {
          const items = due.map((works, index) => ({ works, index }));
          const remaining = others + items.filter(({ works }) => works).length;
          const limits = { maxPerRun: { count }, minRemaining };
          const { taken, skipped } = withinLimits(items, limits, {
            selected: due.length + others,
            remaining,
            reduces: ({ works }) => works,
          });
          expect(taken.length).toBeLessThanOrEqual(count);
          const ended = taken.filter(({ works }) => works).length;
          expect(ended === 0 || remaining - ended >= minRemaining).toBe(true);
          expect(new Set([...taken, ...skipped.map(({ item }) => item)])).toEqual(new Set(items));
          expect(taken.length + skipped.length).toBe(items.length);
          expect(taken.map(({ index }) => index)).toEqual(
            taken.map(({ index }) => index).sort((left, right) => left - right),
          );
          // Nothing is skipped that could have been taken.
          expect(
            skipped.every(
              ({ item }) => taken.length === count || (item.works && remaining - ended - 1 < minRemaining),
            ),
          ).toBe(true);
        },
      ),
      { numRuns: runs(100) },
    );
  });
});
