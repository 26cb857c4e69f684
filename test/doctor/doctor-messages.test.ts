import { expect, it } from 'vitest';
import { fault, interval, unixMillis, unixSeconds, type FaultCode } from '../../src/core/index.ts';
import { neededScopes } from '../../src/doctor/gateway.ts';
import { keyWriteKnown, keyWriteTried, type ProbeKeysOf } from '../../src/doctor/keys.ts';
import { quarantinePoint } from '../../src/doctor/doctor.ts';
import { jobKinds } from '../../src/jobs/index.ts';
import { approved, titled } from '../support/approved.ts';
import type { LearnedPoint } from '../../src/warehouse/index.ts';

const scopesOf = (kind: string): readonly string[] => [
  ...neededScopes([{ name: 'a', kind, account: 'main' }], 'main').keys(),
];

it('the scopes that each kind of job needs are known; an unknown kind needs all', () => {
  const all = scopesOf('pull-moon');
  expect(all).toEqual(['account:read', 'logs:read', 'usage:read', 'keys:read']);
  for (const { kind } of jobKinds) expect(scopesOf(kind), kind).not.toEqual(all);
  expect(scopesOf('archive')).toEqual([]);
});

it('only jobs that write keys need the scope for it', () => {
  const jobs = ['rotate-keys', 'expire-keys'].flatMap((kind) =>
    ['plan', 'apply'].map((mode) => ({ name: `${kind} ${mode}`, kind, account: 'main', fields: { mode } })),
  );
  const needed = neededScopes(jobs, 'main');
  expect(needed.get('keys:write')).toEqual(['rotate-keys apply', 'expire-keys apply']);
  expect(needed.get('keys:read')).toHaveLength(4);
  expect(neededScopes(jobs, 'other').size).toBe(0);
});

const probed = (point: string, value: string) => ({
  point,
  value,
  evidence: 'on a temporary key',
  how: 'probe' as const,
  learnedAt: unixMillis(1_767_225_600_000),
  confirmedAt: unixMillis(1_767_300_000_000),
});
const question = { account: 'main', jobs: ['rotate'], points: [], zone: 'UTC' };

const about = 'scope keys:write of main';
const points = [probed('key.quota_unit', 'currency')];

it('permission to write keys is known from past writes and never tested without a request', () => {
  expect(keyWriteKnown({ ...question, jobs: [] })).toEqual([]);
  expect(keyWriteKnown(question)).toMatchObject([{ about, state: 'skipped' }]);
  expect(keyWriteKnown({ ...question, points })).toMatchObject([{ about, state: 'ok' }]);
});

it('a requested temporary key shows the scope, or the obstacle', async () => {
  const { signal } = new AbortController();
  const tried = (probe: ProbeKeysOf) => keyWriteTried({ ...question, jobs: [] }, probe, signal);
  const learns = (...points: readonly LearnedPoint[]) => tried(() => Promise.resolve(points));
  const shown = [
    ['before a write', keyWriteKnown(question)],
    ['after a write', keyWriteKnown({ ...question, points })],
    ['a temporary key', await learns(...points)],
    ['a temporary key that showed no unit', await learns(probed('key.quota_unit', 'open: neither'))],
  ] as const;
  const lines = shown.map(
    ([title, checks]) => [title, checks.map(({ message }) => message).join('\n')] as const,
  );
  await expect(titled(lines)).toMatchFileSnapshot(approved('doctor/write-scope'));
  expect(await learns(...points)).toMatchObject([{ about, state: 'ok' }]);
  expect(await learns(probed('key.quota_unit', 'open: neither'))).toMatchObject([{ about, state: 'ok' }]);
  const fails = (code: FaultCode) => tried(() => Promise.reject(fault(code, 'no')));
  expect(await fails('gateway-scope-missing')).toMatchObject([
    { about, state: 'failed', code: 'gateway-scope-missing' },
  ]);
  expect(await fails('gateway-timeout')).toMatchObject([{ about: 'temporary key of main', state: 'failed' }]);
});

it('rows in quarantine are reported with their number and the last one', () => {
  const range = interval(unixSeconds(1_767_225_600), unixSeconds(1_767_229_200));
  const landedAt = unixMillis(1_767_300_000_000);
  const row = {
    line: 5,
    text: 'junk',
    reason: '1 cells where the header has 7',
    window: range,
    range,
    landedAt,
  };
  expect(quarantinePoint([], 'UTC')).toEqual([]);
  expect(quarantinePoint([row, { ...row, line: 9, reason: 'x'.repeat(999) }], 'UTC')).toEqual([
    {
      point: 'log.quarantine',
      value: expect.stringMatching(/^2 rows unreadable, /) as string,
      evidence: expect.stringMatching(
        /line 9 .* 2026-01-01 00:00 UTC to 2026-01-01 01:00 UTC: x{200}$/,
      ) as string,
      how: 'data',
      learnedAt: landedAt,
    },
  ]);
});
