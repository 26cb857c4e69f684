import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMillis, unixSeconds, money } from '../../src/core/index.ts';
import { judgeOrphan, type OrphanFacts, type SinkFact } from '../../src/keys/retirement/judge-orphan.ts';
import type { ApiKey } from '../../src/gateway/index.ts';
import { mismatchOf } from '../../src/keys/retirement/request-match.ts';
import { now as surveyedAt, surveyed } from './plan/survey.ts';

const hour = 3_600_000;
const now = unixMillis(1_767_225_600_000);
const [own, other] = ['a'.repeat(64), 'b'.repeat(64)];

const sink = (reading: SinkFact['reading'], isAnother = false): SinkFact => ({
  sink: 'the file',
  reading,
  isAnother,
});

const long = unixSeconds((now - 3 * hour) / 1000);

const proven: OrphanFacts = {
  name: 'billing.g2',
  now,
  zone: 'UTC',
  askedAt: unixMillis(now - hour),
  settle: 60_000,
  fingerprint: own,
  candidates: [102],
  sinks: [sink({ state: 'holds', fingerprint: other }, true), sink({ state: 'empty' })],
  complete: { complete: true },
  calls: 0,
};

const reasonOf = (facts: OrphanFacts): string => {
  const found = judgeOrphan(facts);
  return found.verdict === 'delete' ? 'delete' : found.reason;
};

describe('an orphan', () => {
  it('is deleted when every sink was read and holds another key, and the complete log shows no call by it', () => {
    expect(judgeOrphan(proven)).toMatchObject({ verdict: 'delete' });
  });

  it.each<[string, Partial<OrphanFacts>]>([
    ['ambiguous', { candidates: [102, 103] }],
    ['not-ours', { mismatch: 'its quota differs' }],
    ['used', { calls: 1 }],
    ['sink-holds-it', { sinks: [sink({ state: 'empty' }), sink({ state: 'holds', fingerprint: own })] }],
    ['sink-unreadable', { sinks: [sink({ state: 'unreadable', why: 'a webhook' })] }],
    ['sink-failed', { sinks: [sink({ state: 'failed', why: '503' })] }],
    ['log-incomplete', { complete: { complete: false, why: 'no log' } }],
    ['log-incomplete', { complete: { complete: false, why: 'late', through: long } }],
    ['log-incomplete', { askedAt: unixMillis(now - 60_000) }],
  ])('is retained: %s', (reason, change) => {
    expect(reasonOf({ ...proven, ...change })).toBe(reason);
  });

  it.each<[string, Partial<OrphanFacts>]>([
    ['delete', { sinks: [sink({ state: 'unreadable', why: 'a webhook' })] }],
    ['delete', { sinks: [sink({ state: 'failed', why: '503' })] }],
    ['delete', { sinks: undefined }],
    ['used', { calls: 1 }],
    ['ambiguous', { candidates: [102, 103] }],
    ['not-ours', { mismatch: 'its quota differs' }],
    ['sink-unknown', { sinks: [sink({ state: 'holds', fingerprint: other })] }],
    ['log-incomplete', { complete: { complete: false, why: 'no log' } }],
    ['log-incomplete', { askedAt: unixMillis(now - 60_000) }],
  ])('whose plaintext never arrived is judged without its sinks: %s', (reason, change) => {
    const unanswered = { ...proven, askedAt: unixMillis(now - 3 * hour), isUnanswered: true };
    expect(reasonOf({ ...unanswered, fingerprint: undefined, ...change })).toBe(reason);
  });

  it('is retained if no job declares sinks for it', () => {
    const { sinks: _sinks, ...undeclared } = proven;
    expect(reasonOf(undeclared)).toBe('sinks-undeclared');
  });

  it('is retained while a sink holds a key that the journal does not know', () => {
    const { fingerprint: _fingerprint, ...rest } = proven;
    const lost = { ...rest, askedAt: unixMillis(now - 2 * hour) };
    const holds = { state: 'holds', fingerprint: other } as const;
    expect(reasonOf({ ...lost, sinks: [sink(holds)] })).toBe('sink-unknown');
    expect(reasonOf({ ...proven, sinks: [sink(holds)] })).toBe('sink-unknown');
    expect(reasonOf({ ...lost, sinks: [sink(holds, true)] })).toBe('delete');
  });

  it('with a lost answer is retained until it has had no call for an hour since its creation', () => {
    const { fingerprint: _fingerprint, ...rest } = proven;
    const lost = { ...rest, askedAt: unixMillis(now - 2 * hour), sinks: [sink({ state: 'empty' })] };
    expect(reasonOf({ ...lost, createdAt: unixMillis(now - hour / 2) })).toBe('log-incomplete');
    expect(reasonOf({ ...lost, createdAt: unixMillis(now - hour) })).toBe('delete');
  });

  it('is never deleted while any evidence is missing', () => {
    const reading = fc.constantFrom<SinkFact['reading']>(
      { state: 'empty' },
      { state: 'holds', fingerprint: own },
      { state: 'holds', fingerprint: other },
      { state: 'unreadable', why: 'sealed' },
      { state: 'failed', why: '503' },
    );
    const facts = fc.record({
      fingerprint: fc.constantFrom(own, undefined),
      candidates: fc.constantFrom([102], [102, 103]),
      calls: fc.constantFrom(0, 0, 1),
      lag: fc.integer({ min: 0, max: 6 * hour }),
      age: fc.integer({ min: 0, max: 6 * hour }),
      sinks: fc.option(
        fc.array(fc.record({ sink: fc.constant('s'), reading, isAnother: fc.boolean() }), {
          minLength: 1,
          maxLength: 3,
        }),
        { nil: undefined },
      ),
    });
    fc.assert(
      fc.property(facts, ({ fingerprint, candidates, calls, lag, age, sinks }) => {
        const { fingerprint: _own, sinks: _sinks, ...rest } = proven;
        const through = unixSeconds(Math.floor((now - lag) / 1000));
        const askedAt = unixMillis(now - age);
        const found = judgeOrphan({
          ...rest,
          askedAt,
          candidates,
          calls,
          complete: { complete: false, why: 'late', through },
          ...(fingerprint === undefined ? {} : { fingerprint }),
          ...(sinks === undefined ? {} : { sinks }),
        });
        if (found.verdict === 'retain') return;
        expect([candidates.length, calls, sinks === undefined]).toEqual([1, 0, false]);
        expect(through * 1000).toBeGreaterThan(askedAt);
        for (const { reading: read, isAnother } of sinks ?? [])
          expect(
            read.state === 'empty' ||
              (read.state === 'holds' && read.fingerprint !== fingerprint && isAnother),
          ).toBeTruthy();
      }),
    );
  });
});

const requestOf = (service: string) => ({
  rotation: `${service}/1`,
  service,
  generation: 1,
  name: `${service}.g1`,
  askedAt: surveyedAt,
  isLost: true,
  spec: {
    remainQuota: money('5'),
    unlimitedQuota: false,
    expiredTime: 'never' as const,
    group: '',
  },
});

const listed = (service: string, key: Partial<ApiKey> = {}): ApiKey =>
  surveyed(`${service}.g1`, { age: 0, key }).key;

describe('a listed key and a request with a lost answer', () => {
  it.each(['billing', 'tollkeeper-probe'])('match if a key of %s has the requested fields', (service) => {
    expect(mismatchOf(listed(service), requestOf(service))).toBeUndefined();
  });

  it('match for a probe whatever unit its quota is listed in, unless it is unlimited', () => {
    const request = requestOf('tollkeeper-probe');
    const inUnits = listed('tollkeeper-probe', { remainQuota: money('0.00001') });
    expect(mismatchOf(inUnits, request)).toBeUndefined();
    const unlimited = listed('tollkeeper-probe', { unlimitedQuota: true });
    expect(mismatchOf(unlimited, request)).toBe('its quota differs');
  });
});
