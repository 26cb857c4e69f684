import { expect, it } from 'vitest';
import { interval, unixMillis, unixSeconds } from '../../src/base/index.ts';
import { neededScopes } from '../../src/app/doctor-gateway.ts';
import { quarantinePoint } from '../../src/app/doctor-quarantine.ts';
import { jobKinds } from '../../src/jobs/index.ts';

const scopesOf = (kind: string): readonly string[] => [
  ...neededScopes([{ name: 'a', kind, account: 'main' }], 'main').keys(),
];

it('it is known of every kind of job which scopes it needs; of a strange one all are asked for', () => {
  const all = scopesOf('pull-moon');
  expect(all).toEqual(['account:read', 'logs:read', 'usage:read', 'keys:read']);
  for (const { kind } of jobKinds) expect(scopesOf(kind), kind).not.toEqual(all);
  expect(scopesOf('archive')).toEqual([]);
});

it('rows in quarantine are told by their number and the last of them', () => {
  const span = interval(unixSeconds(1_767_225_600), unixSeconds(1_767_229_200));
  const landedAt = unixMillis(1_767_300_000_000);
  const row = {
    line: 5,
    text: 'junk',
    reason: '1 cells where the header has 7',
    window: span,
    span,
    landedAt,
  };
  expect(quarantinePoint([])).toEqual([]);
  expect(quarantinePoint([row, { ...row, line: 9, reason: 'x'.repeat(999) }])).toEqual([
    {
      point: 'log.quarantine',
      value: '2 rows could not be read, in no sum',
      evidence: `the last at line 9 of the export of 2026-01-01 00:00 UTC to 2026-01-01 01:00 UTC: ${'x'.repeat(200)}`,
      how: 'data',
      learnedAt: landedAt,
    },
  ]);
});
