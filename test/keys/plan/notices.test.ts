import { describe, expect, it } from 'vitest';
import { toSeconds, unixMillis } from '../../../src/core/index.ts';
import type { KeyEvent } from '../../../src/keys/index.ts';
import { planNotices, defaultNotices } from '../../../src/keys/plan/notices.ts';
import { day, daysAgo, now, surveyed } from './survey.ts';

const common = { at: now, who: 'test', account: 'main', rotation: 'e' };
const keyIn = (days: number) => surveyed('a.g1', { id: 7, key: { expiredTime: toSeconds(daysAgo(-days)) } });

const due = (keys: readonly ReturnType<typeof surveyed>[], history: readonly KeyEvent[] = []) =>
  planNotices({ at: now, keys }, defaultNotices, history).map(({ name, action }) =>
    action.kind === 'warn' ? `${name}: ${action.stage}` : action.kind,
  );

describe('an expiry notice', () => {
  it.each([
    [31, undefined],
    [30, '30 days before it expires, 2026-12-21T08:00:00Z'],
    [8, '30 days before it expires, 2026-11-29T08:00:00Z'],
    [7, '7 days before it expires, 2026-11-28T08:00:00Z'],
    [1, '1 day before it expires, 2026-11-22T08:00:00Z'],
    [0, undefined],
    [-3, undefined],
  ])('is sent %s days before as: %s', (days, stage) => {
    expect(due([keyIn(days)])).toEqual(stage === undefined ? [] : [`a.g1: ${stage}`]);
  });

  it('is sent once for each stage over all runs, and again when the expiry is moved', () => {
    const reported: string[] = [];
    const history: KeyEvent[] = [];
    const expiring = (expiredTime: number) =>
      surveyed('a.g1', { id: 7, key: { expiredTime: toSeconds(unixMillis(expiredTime)) } });
    const live = (from: number, to: number, expires: number) => {
      for (let hours = from; hours <= to; hours += 6) {
        const at = unixMillis(now + hours * 3_600_000);
        for (const planned of planNotices({ at, keys: [expiring(now + expires)] }, defaultNotices, history)) {
          if (planned.action.kind !== 'warn') continue;
          const { action, ...key } = planned;
          reported.push(action.stage);
          history.push({ ...common, ...key, what: 'warned', stage: action.stage });
        }
      }
    };
    live(0, 36 * 24, 40 * day);
    live(36 * 24, 75 * 24, 70 * day);
    expect(reported.map((stage) => stage.replace(' before it expires,', ''))).toEqual([
      '30 days 2026-12-31T08:00:00Z',
      '7 days 2026-12-31T08:00:00Z',
      '30 days 2027-01-30T08:00:00Z',
      '7 days 2027-01-30T08:00:00Z',
      '1 day 2027-01-30T08:00:00Z',
    ]);
  });

  it('is not sent for keys that never expire, were replaced, or are ended by Tollkeeper', () => {
    const rotation = { id: 'r', stage: 'current', part: 'leaving' } as const;
    const expiredTime = toSeconds(daysAgo(-3));
    const key = { service: 'a', keyId: 7, generation: 1, name: 'a.g1' };
    const own: KeyEvent = { ...common, ...key, what: 'expiry-set', expiredTime, measured: '' };
    expect(due([surveyed('a'), surveyed('b', { rotation, key: { expiredTime } })])).toEqual([]);
    expect(due([keyIn(3)], [own])).toEqual([]);
    expect(due([keyIn(2)], [own])).toHaveLength(1);
  });

  it.each([
    ['is paused before its cutover', 'waiting', 'old'],
    ['is in progress', 'delivering', 'old'],
    ['retains the old key for months (the notice is for the new key)', 'current', 'successor'],
    ['is paused after its cutover', 'waiting', 'leaving'],
    ['retains its old key, which is in use', 'current', 'kept'],
  ] as const)('is sent for a key in use whose rotation %s', (_, stage, part) => {
    const rotation = { id: 'r', stage, part };
    expect(due([surveyed('b', { rotation, key: { expiredTime: toSeconds(daysAgo(-1)) } })])).toEqual([
      'b: 1 day before it expires, 2026-11-22T08:00:00Z',
    ]);
  });

  it('names the key that expires first before others', () => {
    const keys = [5, 3, 20].map((days, index) =>
      surveyed(`k${index}`, { key: { expiredTime: toSeconds(daysAgo(-days)) } }),
    );
    expect(due(keys).map((text) => text.slice(0, 2))).toEqual(['k1', 'k0', 'k2']);
  });
});
