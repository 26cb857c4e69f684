import { describe, expect, it } from 'vitest';
import { money, unixSeconds } from '../../../src/core/index.ts';
import type { SurveyedKey } from '../../../src/keys/model/service-types.ts';
import {
  isStale,
  parsePlanFile,
  printPlanFile,
  withQuotaNow,
  type KeyPlan,
} from '../../../src/keys/plan/plan-file.ts';
import { plannedRotation } from '../../../src/keys/plan/plan-rotations.ts';
import { day, now, surveyed, surveyOf } from './survey.ts';

const billing = surveyed('billing.g7', { id: 7, known: true });
const search = surveyed('search', { id: 3 });
const other = surveyed('other.g1', { id: 5 });
const survey = surveyOf(billing, search, other);

const terms = {
  job: 'rotate',
  template: '{service}.g{generation}',
  overlap: 2 * day,
  quota: { kind: 'fixed' as const, amount: money('5.5') },
  retire: { when: 'after-overlap' as const, quiet: day, ending: 'expire' as const, maxOverlap: 14 * day },
  tries: 5,
};

const plan: KeyPlan = {
  at: now,
  account: 'main',
  job: 'rotate',
  rotations: [
    plannedRotation(billing, 'age', terms),
    {
      service: 'new',
      why: 'new',
      terms,
      fresh: {
        remainQuota: money('1'),
        unlimitedQuota: false,
        expiredTime: unixSeconds(2_000_000_000),
        group: '',
      },
    },
  ],
  expiries: [
    { keyId: 3, generation: 1, name: 'search', service: 'search', action: { kind: 'delete' } },
    { keyId: 3, generation: 1, name: 'search', service: 'search', action: { kind: 'warn', stage: 'x' } },
    {
      keyId: 3,
      generation: 1,
      name: 'search',
      service: 'search',
      action: { kind: 'expire', at: unixSeconds(2_000_000_000) },
    },
  ],
  notes: ['other.g1: too young'],
};

describe('a plan file', () => {
  const text = printPlanFile(plan, survey);

  it('contains the plan, and the state of the keys it is based on', () => {
    const read = parsePlanFile(text);
    expect(read).toMatchObject(plan);
    expect(read.state.keys.map(({ id }) => id)).toEqual([3, 7]);
    expect(isStale(read, survey)).toEqual([]);
    expect(text).not.toContain('sk-');
  });

  it.each([
    ['invalid JSON', 'x', 'is not JSON'],
    ['another file', '{"version":1}', 'does not contain a key plan'],
    ['a later version', text.replace('"version": 1', '"version": 2'), 'of version 2'],
    [
      'a field that is not known',
      text.replace('"notes"', '"more": 1, "notes"'),
      'is not a complete key plan',
    ],
    ['a part that is missing', text.replace(/ {2}"job": .*\n/, ''), 'is not a complete key plan: job'],
    ['another key', text.replace('"keyId": 3,', '"keyId": 5,'), 'was modified after it was created'],
    ['another state', text.replace('"status": 1', '"status": 4'), 'was modified after it was created'],
  ])('is rejected with %s', (_, changed, message) => {
    expect(() => parsePlanFile(changed)).toThrow(message);
  });

  it('is stale when a key it is based on has changed, and names the key', () => {
    const read = parsePlanFile(text);
    const changed = (...keys: readonly SurveyedKey[]) => isStale(read, surveyOf(...keys));
    const g7 = { id: 7, known: true } as const;
    expect(changed(search, other)).toEqual(['billing.g7 (id 7) no longer exists']);
    expect(changed(billing, search)).toEqual([]);
    expect(
      changed(surveyed('billing.g7', { ...g7, key: { status: 2, expiredTime: unixSeconds(9) } }), search),
    ).toEqual(['billing.g7 (id 7): changed status, expiry']);
    expect(changed(surveyed('renamed', g7), search)).toEqual([
      'billing.g7 (id 7): changed name, service, generation',
    ]);
    expect(
      changed(
        surveyed('billing.g7', { ...g7, rotation: { id: 'r', stage: 'planned', part: 'old' } }),
        search,
      ),
    ).toEqual(['billing.g7 (id 7): changed rotation']);
    expect(changed(billing, search, surveyed('billing.g8', { id: 9 }))).toEqual([
      'billing.g8 (id 9) is new in service billing',
    ]);
    expect(changed(billing, search, surveyed('search', { id: 10 }))).toEqual([
      'search (id 10) is new in service search',
    ]);
    expect(changed(billing, search, surveyed('new.g1', { id: 11 }))).toEqual([
      'new.g1 (id 11) is new in service new',
    ]);
  });

  it('is not stale after spend, and is applied with the remaining quota', () => {
    const read = parsePlanFile(text);
    const spent = (remain: string) =>
      surveyOf(surveyed('billing.g7', { id: 7, known: true, key: { remainQuota: money(remain) } }), search);
    expect(isStale(read, spent('4.9'))).toEqual([]);
    expect(withQuotaNow(read, spent('4.9')).rotations[0]?.old?.remainQuota).toBe('4.9');
    expect(isStale(read, spent('0'))).toEqual(['billing.g7 (id 7): changed quota']);
  });
});
