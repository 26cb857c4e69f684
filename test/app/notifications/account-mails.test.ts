import { describe, expect, it } from 'vitest';
import { money, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import { adminKeyMail, gapMail } from '../support/alert-emails.ts';
import type { Job } from '../../../src/config/index.ts';
import type { KnownGap } from '../../../src/warehouse/index.ts';

const at = (text: string) => unixMillis(Date.parse(text));
const account = { admin_key_issued: '2026-01-01', admin_key_max_age: 90 * 86_400_000 };
const people = { from: 'Tollkeeper <t@example.com>', operators: ['ops@example.com'] };

describe('the reminder of an Admin Key', () => {
  it('is sent at its age, once in thirty days, and says what a person must do', () => {
    expect(adminKeyMail('main', account, at('2026-03-31T12:00:00Z'), people)).toBeUndefined();
    const first = adminKeyMail('main', account, at('2026-04-01T12:00:00Z'), people);
    expect(first?.subject).toContain('main is 90 days old');
    const same = adminKeyMail('main', account, at('2026-04-20T12:00:00Z'), people);
    expect(same?.key).toEqual(first?.key);
    const second = adminKeyMail('main', account, at('2026-05-03T12:00:00Z'), people);
    expect(second?.key).not.toEqual(first?.key);
  });

  it('starts again with another key, and is not sent without an age or a recipient', () => {
    const now = at('2026-08-01T00:00:00Z');
    const one = adminKeyMail('main', account, now, people);
    const other = adminKeyMail('main', { ...account, admin_key_issued: '2026-01-02' }, now, people);
    expect(other?.key).not.toEqual(one?.key);
    expect(
      adminKeyMail('main', { admin_key_max_age: 1, admin_key_issued: undefined }, now, people),
    ).toBeUndefined();
    expect(adminKeyMail('main', account, now, { ...people, operators: [] })).toBeUndefined();
  });
});

const second = (text: string) => unixSeconds(Date.parse(text) / 1000);
const gap: KnownGap = {
  source: 'statistics',
  range: { start: second('2026-11-20T08:57:00Z'), end: second('2026-11-20T09:57:00Z') },
  gap: money('1.5'),
  unit: 'USD',
  verdict: 'truncated',
  text: 'The log is short by <1.5>.',
  state: 'open',
  notedAt: unixMillis(Date.parse('2026-11-20T10:07:05Z')),
};
const pull = {
  name: 'pull-logs',
  kind: 'pull-logs',
  account: 'main',
  schedule: '7 * * * *',
  timezone: 'UTC',
};
const deps = {
  from: 'reports@example.com',
  operators: ['ops@example.com'],
  zone: 'UTC',
  jobs: { 'pull-logs': pull as unknown as Job },
};
const errorText = (gaps: readonly KnownGap[], more: object = {}): string =>
  gapMail(gaps, 'main', { ...deps, ...more })?.text.replaceAll(/\s+/g, ' ') ?? '';

it('the notification of a gap says what is missing and when, and names the runs that pull it again and the command that compares', () => {
  const mail = gapMail([gap], 'main', deps);
  expect(mail?.subject).toContain('main is missing charges');
  for (const message of [
    'The log is short by <1.5>.',
    '2026-11-20 08:57 UTC to 2026-11-20 09:57 UTC',
    '`tollkeeper run pull-logs --from 2026-11-20T08:57:00Z --to 2026-11-20T09:57:00Z`',
    '`tollkeeper reconcile --from 2026-11-20T08:57:00Z --to 2026-11-20T09:57:00Z --account main`',
  ])
    expect(errorText([gap])).toContain(message);
  expect(mail?.html).not.toContain('<1.5>');
  expect(mail?.key).toEqual(gapMail([gap], 'main', deps)?.key);
  expect(mail?.key).not.toEqual(gapMail([{ ...gap, gap: money('2') }], 'main', deps)?.key);
});

it('the notification of a gap recommends no pull of complete data or without a scheduled job, and is not sent without a recipient', () => {
  const odd: KnownGap = { ...gap, verdict: 'unexplained' };
  expect(gapMail([odd], 'main', deps)?.subject).toContain('main does not reconcile');
  expect(errorText([odd])).not.toContain('tollkeeper run');
  expect(errorText([odd])).toContain('tollkeeper reconcile');
  expect(errorText([gap], { jobs: {} })).not.toContain('tollkeeper run');
  expect(gapMail([], 'main', deps)).toBe(undefined);
  expect(gapMail([gap], 'main', { ...deps, operators: [] })).toBe(undefined);
  expect(errorText(Array.from({ length: 500 }, () => gap))).toContain('and 460 more');
});
