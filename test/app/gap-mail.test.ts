import { expect, it } from 'vitest';
import { gapMail } from '../../src/app/gap-mail.ts';
import { money, unixMillis, unixSeconds } from '../../src/base/index.ts';
import type { Job } from '../../src/config/index.ts';
import type { KnownGap } from '../../src/warehouse/index.ts';

const second = (text: string) => unixSeconds(Date.parse(text) / 1000);
const gap: KnownGap = {
  source: 'statistics',
  span: { start: second('2026-11-20T08:57:00Z'), end: second('2026-11-20T09:57:00Z') },
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
const means = {
  from: 'reports@example.com',
  operators: ['ops@example.com'],
  zone: 'UTC',
  jobs: { 'pull-logs': pull as unknown as Job },
};
const wordsOf = (gaps: readonly KnownGap[], more: object = {}): string =>
  gapMail(gaps, 'main', { ...means, ...more })?.text.replaceAll(/\s+/g, ' ') ?? '';

it('says what is missing and when, and names the runs that pull it again and the command that compares', () => {
  const mail = gapMail([gap], 'main', means);
  expect(mail?.subject).toBe('Tollkeeper: the call log of main lacks charge');
  for (const words of [
    'The log is short by <1.5>.',
    '2026-11-20 08:57 UTC to 2026-11-20 09:57 UTC',
    // A slot's run is about the time before it.
    '`tollkeeper run pull-logs --from 2026-11-20T09:07:00Z --to 2026-11-20T10:07:01Z`',
    '`tollkeeper reconcile --from 2026-11-20T08:57:00Z --to 2026-11-20T09:57:00Z --account main`',
  ])
    expect(wordsOf([gap])).toContain(words);
  expect(mail?.html).not.toContain('<1.5>');
  expect(mail?.key).toEqual(gapMail([gap], 'main', means)?.key);
  expect(mail?.key).not.toEqual(gapMail([{ ...gap, gap: money('2') }], 'main', means)?.key);
});

it('advises no pull of what is not short, nor where no job has a schedule; nobody to tell is no mail', () => {
  const odd: KnownGap = { ...gap, verdict: 'unexplained' };
  expect(gapMail([odd], 'main', means)?.subject).toBe('Tollkeeper: the call log of main does not add up');
  expect(wordsOf([odd])).not.toContain('tollkeeper run');
  expect(wordsOf([odd])).toContain('tollkeeper reconcile');
  expect(wordsOf([gap], { jobs: {} })).not.toContain('tollkeeper run');
  expect(gapMail([], 'main', means)).toBe(undefined);
  expect(gapMail([gap], 'main', { ...means, operators: [] })).toBe(undefined);
  expect(wordsOf(Array.from({ length: 500 }, () => gap))).toContain('and 460 more');
});
