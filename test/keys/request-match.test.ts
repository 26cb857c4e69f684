import { describe, expect, it } from 'vitest';
import { money } from '../../src/core/index.ts';
import type { ApiKey } from '../../src/gateway/index.ts';
import { mismatchOf } from '../../src/keys/retirement/request-match.ts';
import { now, surveyed } from './plan/survey.ts';

const requestOf = (service: string) => ({
  rotation: `${service}/1`,
  service,
  generation: 1,
  name: `${service}.g1`,
  askedAt: now,
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

  it('do not match if the quota differs', () => {
    const key = listed('billing', { remainQuota: money('0.00001') });
    expect(mismatchOf(key, requestOf('billing'))).toBe('its quota differs');
  });

  it('match for a probe whatever unit its quota is listed in, unless it is unlimited', () => {
    const request = requestOf('tollkeeper-probe');
    const inUnits = listed('tollkeeper-probe', { remainQuota: money('0.00001') });
    expect(mismatchOf(inUnits, request)).toBeUndefined();
    const unlimited = listed('tollkeeper-probe', { unlimitedQuota: true });
    expect(mismatchOf(unlimited, request)).toBe('its quota differs');
  });
});
