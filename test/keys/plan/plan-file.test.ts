import { describe, expect, it } from 'vitest';
import { money, unixSeconds } from '../../../src/core/index.ts';
import { type SurveyedKey, plannedRotation } from '../../../src/keys/index.ts';
import {
  isStale,
  parsePlanFile,
  printPlanFile,
  withQuotaNow,
  type KeyPlan,
} from '../../../src/keys/plan/plan-file.ts';
import { approved, titled } from '../../support/approved.ts';
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

const ended = { keyId: 3, generation: 1, name: 'search', service: 'search' };

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
    { ...ended, action: { kind: 'delete' } },
    { ...ended, action: { kind: 'warn', stage: 'x' } },
    { ...ended, action: { kind: 'expire', at: unixSeconds(2_000_000_000) } },
  ],
  notes: ['other.g1: too young'],
};

const refusalOf = (text: string): string => {
  try {
    parsePlanFile(text);
  } catch (error) {
    return String(error);
  }
  return 'accepted';
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

  it('is rejected if it is none or was changed, and stale if a key that it is based on has changed', async () => {
    const rejected = [
      ['invalid JSON', 'x'],
      ['another file', '{"version":1}'],
      ['a later version', text.replace('"version": 1', '"version": 2')],
      ['a field that is not known', text.replace('"notes"', '"more": 1, "notes"')],
      ['a part that is missing', text.replace(/ {2}"job": .*\n/, '')],
      ['another key', text.replace('"keyId": 3,', '"keyId": 5,')],
      ['another state', text.replace('"status": 1', '"status": 4')],
    ].map(([title = '', changed = '']) => [title, refusalOf(changed)] as const);
    const read = parsePlanFile(text);
    const g7 = (change: object) => surveyed('billing.g7', { id: 7, known: true, ...change });
    const stale = Object.entries<readonly SurveyedKey[]>({
      'a key is gone': [search, other],
      'status and expiry': [g7({ key: { status: 2, expiredTime: unixSeconds(9) } }), search],
      'another name': [surveyed('renamed', { id: 7, known: true }), search],
      'a rotation': [g7({ rotation: { id: 'r', stage: 'planned', part: 'old' } }), search],
      'a new generation': [billing, search, surveyed('billing.g8', { id: 9 })],
      'another key of its name': [billing, search, surveyed('search', { id: 10 })],
      'another key of its name, of another service': [
        billing,
        search,
        surveyed('search', { id: 12, service: 'apart' }),
      ],
      'a key of the new service': [billing, search, surveyed('new.g1', { id: 11 })],
    }).map(([title, keys]) => {
      const [change = '', ...more] = isStale(read, surveyOf(...keys));
      expect([title, more]).toEqual([title, []]);
      return [title, change] as const;
    });
    expect(isStale(read, surveyOf(billing, search))).toEqual([]);
    await expect(titled([...rejected, ...stale])).toMatchFileSnapshot(approved('keys/plan-files'));
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
