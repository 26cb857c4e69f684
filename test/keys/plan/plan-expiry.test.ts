import { clockPassed, type SurveyedKey, planExpiry, type LogCompleteness } from '../../../src/keys/index.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { money, toSeconds, unixSeconds } from '../../../src/core/index.ts';
import {
  pastSteps,
  rangeAsked,
  timesAsked,
  type ExpiryEvidence,
  type ExpiryPolicy,
  type PastSteps,
} from '../../../src/keys/plan/expiry-policy.ts';
import { approved, titled } from '../../support/approved.ts';
import { runs } from '../../support/storm.ts';
import { day, daysAgo, hour, now, surveyed, surveyOf } from './survey.ts';

const policy = (change: Partial<ExpiryPolicy> = {}): ExpiryPolicy => ({
  job: 'end-old',
  zone: 'UTC',
  select: { name: '*' },
  by: ['age'],
  stages: { warn: 90 * day, expire: 100 * day, delete: 110 * day },
  quiet: 7 * day,
  evenIfUsed: false,
  evenIfCurrent: false,
  limits: { maxPerRun: { count: 100 }, minRemaining: 0 },
  ...change,
});

type Known = {
  /** Days since the last call, by name. */
  readonly used?: Readonly<Record<string, number>>;
  readonly past?: Readonly<Record<string, PastSteps>>;
  /** Days that the log reaches back; not at all for null. */
  readonly log?: number | null;
  /** Hours that the log lags behind. */
  readonly lag?: number;
  readonly more?: Partial<ExpiryEvidence>;
};

const evidenceOf = (
  keys: readonly SurveyedKey[],
  {
    ending = policy(),
    used = {},
    past = {},
    log = 400,
    lag = 0,
    more = {},
  }: Known & { ending?: ExpiryPolicy },
): ExpiryEvidence => ({
  use: new Map(
    keys.map(({ key }) => {
      const ago = used[key.name];
      return [
        key.id,
        ago === undefined
          ? { calls: 0, models: [] }
          : { calls: 3, lastCall: toSeconds(daysAgo(ago)), models: [{ model: 'gpt-4o', calls: 3 }] },
      ];
    }),
  ),
  log: new Map(
    timesAsked(ending).map((time): [number, LogCompleteness] => {
      const asked = rangeAsked(time, now, ending.quiet);
      if (log === null || asked.start < toSeconds(daysAgo(log)))
        return [time, { complete: false, why: 'it begins later' }];
      const through = unixSeconds(toSeconds(now) - lag * 3600);
      return [time, lag === 0 ? { complete: true } : { complete: false, why: 'it lags', through }];
    }),
  ),
  idsNamed: new Map(keys.map(({ key }) => [key.name, [key.id]])),
  namesThen: new Map(keys.map(({ key }) => [key.id, key.name])),
  keptBySinks: new Map(),
  past: new Map(
    keys.flatMap(({ key }) => (past[key.name] === undefined ? [] : [[key.id, past[key.name] ?? {}]])),
  ),
  ...more,
});

const plan = (keys: readonly SurveyedKey[], change: Partial<ExpiryPolicy> = {}, known: Known = {}) => {
  const ending = policy(change);
  const { expiries, skipped } = planExpiry(
    surveyOf(...keys),
    ending,
    evidenceOf(keys, { ending, ...known }),
    [],
  );
  return {
    does: Object.fromEntries(expiries.map(({ planned }) => [planned.name, planned.action.kind])),
    skipped: Object.fromEntries(skipped.map(({ name, reason }) => [name, reason])),
    messages: Object.fromEntries(skipped.map(({ name, message }) => [name, message])),
    whys: Object.fromEntries(
      expiries.map(({ planned, clock, passed }) => [planned.name, clockPassed(clock, passed)]),
    ),
  };
};

const expiredSince = (days: number) => ({ expiredTime: toSeconds(daysAgo(days)) });

/** What the owner of a key that is idle is warned of. */
const stageOf = (change: Partial<ExpiryPolicy>, age: number, known: Known = {}): string => {
  const keys = [surveyed('a', { age })];
  const ending = policy({ by: ['idle'], ...change });
  const [one] = planExpiry(surveyOf(...keys), ending, evidenceOf(keys, { ending, ...known }), []).expiries;
  return one?.planned.action.kind === 'warn' ? one.planned.action.stage : '';
};

describe('an expiry stage', () => {
  const expired = { warned: daysAgo(30), expirySet: daysAgo(10) };
  const long = { age: 400, key: expiredSince(300) };
  it.each<[string, Parameters<typeof surveyed>[1], PastSteps, string]>([
    ['before the first', { age: 89 }, {}, 'not-due'],
    ['at the first', { age: 90 }, {}, 'warn'],
    ['each once', { age: 95 }, { warned: daysAgo(5) }, 'not-due'],
    ['the second after the first', { age: 100 }, { warned: daysAgo(10) }, 'expire'],
    ['never the second without the first', { age: 300 }, {}, 'warn'],
    ['the second no sooner than its time after the first', { age: 300 }, { warned: daysAgo(9) }, 'not-due'],
    ['the second whenever its time is over', { age: 300 }, { warned: daysAgo(10) }, 'expire'],
    ['a warning of long before it was made counts not', { age: 95 }, { warned: daysAgo(96) }, 'warn'],
    [
      'deletion of a key that has been expired for its time',
      { age: 120, key: expiredSince(10) },
      expired,
      'delete',
    ],
    ['no deletion before', { age: 120, key: expiredSince(9) }, expired, 'not-due'],
    ['no second expiry of a key whose expiry was extended', { age: 120 }, expired, 'revived'],
    ['a key that expired before its warning', long, {}, 'warn'],
    ['a key that expired, counted from the warning', long, { warned: daysAgo(1) }, 'not-due'],
    ['a key that expired, counted long after the warning', long, { warned: daysAgo(20) }, 'delete'],
  ])('is decided correctly: %s', (_, given, a, wanted) => {
    const { does, skipped } = plan([surveyed('a', given)], {}, { past: { a } });
    expect(does['a'] ?? skipped['a']).toBe(wanted);
  });

  it('notifies the owner of the next stages, with a different text each time the clock restarts', () => {
    expect(stageOf({}, 400, { used: { a: 91 } })).toContain('(not used since 2026-08-22T08:00:00Z)');
    expect(stageOf({}, 400, { used: { a: 92 } })).toContain('(not used since 2026-08-21T08:00:00Z)');
  });

  it('counts warnings of the same job or of a person only', () => {
    const event = {
      what: 'warned',
      at: now,
      who: 'job end-old',
      account: '',
      service: '',
      rotation: '',
      keyId: 5,
      generation: 1,
      name: 'a',
      stage: 'it is to be ended (made 2026-08-22T08:00:00Z)',
    } as const;
    const past = pastSteps(
      [
        event,
        { ...event, keyId: 6, stage: '7 days before it expires, 2026-11-28T08:00:00Z' },
        { ...event, keyId: 7, who: 'anna' },
        { ...event, keyId: 8, who: 'job end-idle' },
        { ...event, keyId: 5, at: daysAgo(-1), who: 'job end-idle' },
        {
          ...event,
          keyId: 9,
          who: 'job end-idle',
          what: 'expiry-set',
          expiredTime: toSeconds(now),
          measured: '',
        },
      ],
      'end-old',
    );
    expect([...past]).toEqual([
      [5, { warned: now }],
      [7, { warned: now }],
      [9, { expirySet: now }],
    ]);
  });

  it.each<[string, Parameters<typeof surveyed>[1], PastSteps, string]>([
    ['used since, before all that is looked at', {}, { warned: daysAgo(200) }, 'warn'],
    ['idle since before that, and warned within it', {}, { warned: daysAgo(5) }, 'expire'],
    ['set to expire before that', {}, { warned: daysAgo(5), expirySet: daysAgo(190) }, 'expire'],
    ['never used', { age: 35 }, { warned: daysAgo(5) }, 'expire'],
    ['used up and warned long ago', { key: { remainQuota: money('0') } }, { warned: daysAgo(200) }, 'warn'],
    ['made at an unknown time', { key: { createdTime: unixSeconds(0) } }, { warned: daysAgo(200) }, 'warn'],
  ])('by idle time counts a warning since the last use only: %s', (_, given, a, wanted) => {
    const change = { by: ['idle', 'exhausted'], stages: { warn: 30 * day, expire: 35 * day } } as const;
    const { does } = plan([surveyed('a', { age: 300, ...given })], change, { past: { a } });
    expect(does).toEqual({ a: wanted });
  });

  it('can be omitted', () => {
    expect(plan([surveyed('a', { age: 60 })], { stages: { delete: 60 * day } }).does).toEqual({
      a: 'delete',
    });
    expect(plan([surveyed('a', { age: 60 })], { stages: { expire: 60 * day } }).does).toEqual({
      a: 'expire',
    });
  });

  it('sets an expiry in the future', () => {
    const keys = [surveyed('a', { age: 60 })];
    const ending = policy({ stages: { expire: 60 * day } });
    const [found] = planExpiry(surveyOf(...keys), ending, evidenceOf(keys, { ending }), []).expiries;
    expect(found?.planned.action).toEqual({ kind: 'expire', at: toSeconds(now) + 60 });
  });
});

describe('an expiry clock', () => {
  const stages = { delete: 30 * day };
  const spent = surveyed('a', { key: { remainQuota: money('0') } });
  const over = surveyed('a', { age: 1, key: expiredSince(31) });

  it.each<[string, Partial<ExpiryPolicy>, SurveyedKey, Known, string]>([
    ['age unknown', {}, surveyed('a', { age: null }), {}, 'age-unknown'],
    ['idle', { by: ['idle'] }, surveyed('a'), { used: { a: 31 } }, 'delete'],
    ['never used', { by: ['idle'] }, surveyed('a'), {}, 'delete'],
    ['never used and young', { by: ['idle'] }, surveyed('a', { age: 29 }), {}, 'not-due'],
    ['used since', { by: ['idle'] }, surveyed('a'), { used: { a: 29 } }, 'not-due'],
    ['a log too short', { by: ['idle'] }, surveyed('a'), { log: 20 }, 'log-incomplete'],
    ['no log', { by: ['idle'] }, surveyed('a'), { log: null }, 'log-incomplete'],
    ['expired', { by: ['expired'] }, surveyed('a', { key: expiredSince(31) }), {}, 'delete'],
    ['expired lately', { by: ['expired'] }, surveyed('a', { key: expiredSince(29) }), {}, 'not-due'],
    ['never expiring', { by: ['expired'] }, surveyed('a'), {}, 'not-due'],
    ['used up', { by: ['exhausted'] }, surveyed('a', { key: { remainQuota: money('-0.1') } }), {}, 'delete'],
    ['quota left', { by: ['exhausted'] }, surveyed('a'), {}, 'not-due'],
    ['used up and asked for', { by: ['exhausted'] }, spent, { used: { a: 2 } }, 'not-due'],
    ['one of several', { by: ['exhausted', 'expired', 'age'] }, over, {}, 'delete'],
  ])('is evaluated correctly: %s', (_, change, key, known, wanted) => {
    const { does, skipped } = plan([key], { stages, ...change }, known);
    expect(does['a'] ?? skipped['a']).toBe(wanted);
  });

  it('explains a stage that is not due, a key that is in use and what a warning announces', async () => {
    const text = (key: SurveyedKey, change: Partial<ExpiryPolicy>, ago = 2): string =>
      plan([key], { stages, ...change }, { used: { a: ago } }).messages['a'] ?? '';
    const texts = titled([
      ['not due by age', text(surveyed('a', { age: 29 }), { by: ['age'] })],
      ['not due by idle', text(surveyed('a'), { by: ['idle'] })],
      ['not due by expired', text(surveyed('a', { key: expiredSince(29) }), { by: ['expired'] })],
      ['not due by exhausted', text(spent, { by: ['exhausted'] })],
      ['in use', text(surveyed('a'), { by: ['age'], stages: { expire: 30 * day } }, 0.5)],
      ['warned of two stages', stageOf({}, 400, { used: { a: 91 } })],
      ['warned, without a last call', stageOf({ stages: { warn: 30 * day, expire: 35 * day } }, 300)],
    ]);
    await expect(texts).toMatchFileSnapshot(approved('keys/expiry-plans'));
  });
});

describe('evidence that a key may end', () => {
  const stages = { delete: 30 * day };
  const one = (known: Known, change: Partial<ExpiryPolicy> = {}) =>
    plan([surveyed('a', { id: 5 })], { stages, ...change }, known);

  it.each<[string, Known, string]>([
    ['no call', {}, 'delete'],
    ['calls before the quiet time', { used: { a: 7.1 } }, 'delete'],
    ['calls within it', { used: { a: 6.9 } }, 'used'],
    ['a log that lags as logs do', { lag: 13 }, 'delete'],
    ['a log that lags for too long', { lag: 15 }, 'log-incomplete'],
    ['a log that lags and shows calls behind its end', { lag: 13, used: { a: 0.1 } }, 'used'],
    ['a log that lags, and shows calls in its quiet time', { lag: 13, used: { a: 7.4 } }, 'used'],
    ['a log that lags, and shows calls before its quiet time', { lag: 13, used: { a: 7.6 } }, 'delete'],
    ['a call of a clock that is ahead', { used: { a: -0.01 } }, 'used'],
    ['no log', { log: null }, 'log-incomplete'],
    ['another key of its name before', { more: { idsNamed: new Map([['a', [5, 9]]]) } }, 'name-not-unique'],
    ['another name before', { more: { namesThen: new Map([[5, 'b']]) } }, 'name-not-unique'],
    ['no key then', { more: { namesThen: new Map() } }, 'inventory-incomplete'],
  ])('is evaluated correctly: %s', (_, known, wanted) => {
    const { does, skipped } = one(known);
    expect(does['a'] ?? skipped['a']).toBe(wanted);
    // Where use does not matter, none of it does.
    expect(one(known, { evenIfUsed: true }).does).toEqual({ a: 'delete' });
  });

  it('of a short quiet time is at most two hours old', () => {
    const change = { quiet: day };
    expect(one({ lag: 2 }, change).does).toEqual({ a: 'delete' });
    expect(one({ lag: 3 }, change).skipped).toEqual({ a: 'log-incomplete' });
    // Used all Monday, and the proof ends on Sunday.
    expect(one({ lag: 23 }, { ...change, stages: { expire: 30 * day } }).skipped).toEqual({
      a: 'log-incomplete',
    });
  });

  it('is missing without an inventory', () => {
    const keys = [surveyed('a', { id: 5 })];
    const ending = policy({ stages });
    const { namesThen: _none, ...rest } = evidenceOf(keys, { ending });
    expect(planExpiry(surveyOf(...keys), ending, rest, []).skipped[0]?.reason).toBe('inventory-incomplete');
  });

  it('is missing for two keys of one name', () => {
    const keys = [surveyed('a', { id: 5 }), surveyed('a', { id: 6 })];
    expect(plan(keys, { stages }).skipped).toEqual({ a: 'name-not-unique' });
  });

  it('is required before a key expires as well as before it is deleted', () => {
    const { skipped } = one({ used: { a: 0.5 } }, { stages: { expire: 30 * day } });
    expect(skipped).toEqual({ a: 'used' });
  });

  it('is not required for a warning, nor for a key in a rotation', () => {
    expect(one({ log: null, used: { a: 0 } }, { stages: { warn: day } }).does).toEqual({ a: 'warn' });
    const rotation = { id: 'r', stage: 'current', part: 'successor' } as const;
    expect(plan([surveyed('a', { rotation })], { stages }).skipped).toEqual({ a: 'in-rotation' });
  });

  it('never allows the end of a key that was called in the quiet time, or whose log is incomplete', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            age: fc.integer({ min: 0, max: 200 }),
            used: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
            dead: fc.boolean(),
          }),
          { minLength: 1, maxLength: 8 },
        ),
        fc.subarray(['age', 'idle', 'expired', 'exhausted'] as const, { minLength: 1 }),
        fc.constantFrom(null, 5, 60, 400),
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 0, max: 5 }),
        (given, by, log, lag, minRemaining) => {
          const keys = given.map(({ age, dead }, index) =>
            surveyed(`k${index}`, { age, key: dead ? expiredSince(1) : {} }),
          );
          const used = Object.fromEntries(
            given.flatMap((each, index) => (each.used === undefined ? [] : [[`k${index}`, each.used]])),
          );
          const limits = { maxPerRun: { count: 2 }, minRemaining };
          const { does, skipped } = plan(keys, { by, stages, limits }, { used, log, lag });
          const ended = Object.keys(does);
          expect([...ended, ...Object.keys(skipped)].sort()).toEqual(keys.map(({ key }) => key.name).sort());
          expect(ended.length).toBeLessThanOrEqual(2);
          for (const name of ended) {
            expect(used[name] ?? 99).toBeGreaterThanOrEqual(7);
            expect(log !== null && log > 7 && lag <= 14).toBe(true);
          }
          const working = given.filter(({ dead }) => !dead).length;
          const lost = ended.filter((name) => !(given[Number(name.slice(1))]?.dead ?? true)).length;
          expect(lost === 0 || working - lost >= minRemaining).toBe(true);
        },
      ),
      { numRuns: runs(80) },
    );
  });
});

describe('the queried time range of the log', () => {
  it('is the quiet time, and the time of each stage that counts usage', () => {
    expect(timesAsked(policy())).toEqual([7 * day]);
    expect(timesAsked(policy({ evenIfUsed: true }))).toEqual([]);
    expect(timesAsked(policy({ stages: { warn: day } }))).toEqual([]);
    expect(timesAsked(policy({ by: ['idle', 'age'] }))).toEqual([7, 90, 100, 110].map((days) => days * day));
  });

  it('is slightly longer than that, since logs lag', () => {
    expect(rangeAsked(7 * day, now, 7 * day)).toEqual({
      start: toSeconds(daysAgo(7)) - 14 * 3600,
      end: toSeconds(now),
    });
    expect(rangeAsked(2 * hour, now, 2 * hour).start).toBe(toSeconds(now) - 4 * 3600);
  });
});
