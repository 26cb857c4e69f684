import { expect, it } from 'vitest';
import { usageTime } from '../../../src/ingest/usage/usage-time.ts';

it.each([
  ['1793440800000', '2026-10-31T10:00:00Z'],
  ['1793440800', '2026-10-31T10:00:00Z'],
  ['1793440800000999', '2026-10-31T10:00:00Z'],
  ['1793440800000999999', '2026-10-31T10:00:00Z'],
  ['179344080000099', 'no time'],
  ["'1793440800", '2026-10-31T10:00:00Z'],
  ['999999999', '2001-09-09T01:46:39Z'],
  ['2026-11-20', '2026-11-19T23:00:00Z'],
  ['2026/11/20', '2026-11-19T23:00:00Z'],
  ['2026-02-30', 'no time'],
  ['2026-W47', '2026-11-15T23:00:00Z'],
  ['2026-W53', '2026-12-27T23:00:00Z'],
  ['2026-W60', 'no time'],
  ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'],
  ['2026-11-20 10:00+0530', '2026-11-20T04:30:00Z'],
  ['2026/11/20 10:00:00+08', '2026-11-20T02:00:00Z'],
  ['2026-11-20 10:00', '2026-11-20T09:00:00Z'],
  ['20 Nov 2026', 'no time'],
])('the bucket %s of a usage export in Berlin is %s', (cell, expected) => {
  const moment = usageTime(cell, 'Europe/Berlin');
  const shown = moment === undefined ? 'no time' : new Date(moment).toISOString().replace('.000Z', 'Z');
  expect(shown).toBe(expected);
});
